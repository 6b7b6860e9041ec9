// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// A Tracker follows a run by its journals. It reads them once, and later what was added. Of a
// trial it keeps the start of the identity and the status, so that a run of a million trials
// takes less than 200 MB. An Observer brings it up to date.
type Tracker struct {
	Run *slurm.Run
	// Brief skips the journals of a run that was complete at its last merge. The best so far
	// is not known then.
	Brief bool

	plan   slurm.Plan
	ledger *slurm.Ledger
	slots  map[string][]slurm.Slot // slots are the tasks that each chunk was given.
	// glance says that the journals were not read, because the run is complete and merged.
	glance   bool
	missing  []slurm.Missing
	claims   map[string]slurm.Claim // claims are those of processes outside of arrays, by chunk.
	journals map[journal.Name]*slurm.File
	now      time.Time // now is when the journals were read, by their server's clock.
	err      error

	mu       sync.Mutex // mu guards what follows, which several readers fill.
	ended    map[trial.Key]trial.Status
	families map[string]int // families are the numbers of trials by family of chunks.
	pace     pace
	best     map[trial.Case]Best
	measured map[string]bool // measured has the nodes on which good trials were measured.
}

// NewTracker returns a tracker of a run. It reads nothing yet.
func NewTracker(run *slurm.Run) *Tracker {
	return &Tracker{
		Run: run, ledger: &slurm.Ledger{}, journals: map[journal.Name]*slurm.File{},
		ended: map[trial.Key]trial.Status{}, families: map[string]int{}, pace: pace{}, best: map[trial.Case]Best{},
		measured: map[string]bool{},
	}
}

// final reports whether a merge after the last submission found the run complete, so that
// Slurm has nothing to add.
func (t *Tracker) final() bool {
	merged := t.ledger.Merge
	return merged != nil && len(merged.Missing) == 0 && t.ledger.LastRound() <= merged.Round
}

// read reads what has changed in the folder since the last call, except the jobs.
func (t *Tracker) read(ctx context.Context) (err error) {
	if !t.final() {
		t.now = journal.Refresh(t.Run.Dir) // where this fails, the listing may be some seconds old
	}
	if t.plan, err = t.Run.Plan(); err != nil {
		return err
	}
	if t.slots, err = t.ledger.Slots(); err != nil {
		return err
	}
	if t.claims, err = t.Run.Claims(); err != nil {
		return err
	}
	merged := t.Run.LastMerge() // what was sent since Slurm was asked does not count yet
	t.ledger.Merge = merged
	t.glance = t.Brief && merged != nil && len(merged.Missing) == 0
	if t.glance {
		t.missing = nil
		return nil
	}

	return t.readJournals(ctx)
}

// readJournals reads what was added to the journals.
func (t *Tracker) readJournals(ctx context.Context) error {
	files, err := t.Run.Files()
	if err != nil {
		return err
	}
	for i, f := range files {
		if known := t.journals[f.Name]; known != nil {
			files[i] = known
		}
		t.journals[f.Name] = files[i]
	}
	err = panics.Each(ctx, len(files), func(i int) error {
		for line := range files[i].Lines(ctx) {
			if line.Trial != nil {
				t.count(files[i].Name.Family(), line.Trial)
			}
		}
		return ctx.Err()
	})
	t.missing = slurm.Incomplete(t.plan, files)
	return err
}

// A View is what Slurm says about the jobs of runs at one moment.
type View struct {
	// Silent says why the controller does not answer; "" if it does.
	Silent string

	jobs map[taskID]sbatch.Job
	past map[taskID]sbatch.Job // past has the jobs that only accounting knows.
	// stray are jobs of the runs about which their ledgers say nothing.
	stray []sbatch.Job
	// private says that jobs of other users may run without being seen.
	private bool
	err     error // err is the cause of Silent.
}

// A taskID names a task of an array in Slurm. The job's name is part of it, because the
// numbers of jobs start again one day.
type taskID struct {
	sbatch.JobID
	name string
	task int // task is the index in the array, -1 for a job outside of arrays.
}

func byTask(jobs []sbatch.Job) map[taskID]sbatch.Job {
	return lists.Keyed(jobs, func(j sbatch.Job) (taskID, sbatch.Job) { return taskID{j.JobID, j.Name, j.Task}, j })
}

// An Observer asks Slurm about the jobs of runs again and again. It needs one squeue for all of
// them, and sacct once for a job that squeue has forgotten.
type Observer struct {
	Client *sbatch.Client
	// thorough also looks for jobs of which the folder of a run has lost every trace.
	thorough bool
	asked    map[sbatch.JobID]bool // asked are the jobs for which sacct has answered.
	past     map[taskID]sbatch.Job // past is what it said.
}

// Of is the status of a run now.
func Of(ctx context.Context, c *sbatch.Client, run *slurm.Run) (Status, error) {
	t, o := NewTracker(run), Observer{Client: c}
	view := o.Observe(ctx, t)
	return t.Status(view), t.err
}

// Certain is the status of a run, for those who act by it: the error says, too, why Slurm does not answer, or is not
// believed. It asks for jobs of the run also where nothing says that there are any.
func Certain(ctx context.Context, c *sbatch.Client, run *slurm.Run) (Status, error) {
	t, o := NewTracker(run), Observer{Client: c, thorough: true}
	view := o.Observe(ctx, t)
	s, err := t.Status(view), errors.Join(t.err, view.err)
	if s.Silent != "" && err == nil {
		err = errors.New(s.Silent)
	}
	return s, err
}

// Observe brings trackers up to date. It asks Slurm before it reads the journals: a task that
// ends in between is seen as done, and not as one that ended without completing its work. A
// tracker whose run can't be read says so in its Status; the others are not affected.
func (o *Observer) Observe(ctx context.Context, runs ...*Tracker) View {
	var ids []sbatch.JobID
	for _, t := range runs {
		ledger, err := t.Run.Ledger()
		if t.err = err; err != nil {
			continue
		}
		if t.ledger = ledger; !t.final() {
			ids = append(ids, slurm.JobIDs(t.ledger.Jobs)...)
		}
	}

	jobs, err := o.Client.Jobs(ctx, ids)
	v := View{jobs: byTask(jobs)}
	if err != nil {
		v.err, v.Silent = err, err.Error()
	}
	for _, t := range runs {
		if t.err == nil {
			t.err = t.read(ctx)
		}
	}
	o.askForgotten(ctx, &v, runs...)
	o.askStray(ctx, &v, runs...)
	return v
}

// askForgotten asks accounting about tasks that left work undone and that squeue has forgotten, each once: they
// have ended and do not change. There need not be any accounting.
func (o *Observer) askForgotten(ctx context.Context, v *View, runs ...*Tracker) {
	if v.err != nil {
		return
	}
	if o.asked == nil {
		o.asked, o.past = map[sbatch.JobID]bool{}, map[taskID]sbatch.Job{}
	}
	v.past = o.past
	var ids []sbatch.JobID
	for _, t := range runs {
		if t.err == nil {
			ids = append(ids, t.forgotten(*v)...)
		}
	}
	ids = slices.DeleteFunc(ids, func(id sbatch.JobID) bool { return o.asked[id] })
	jobs, err := o.Client.Accounting(ctx, ids)
	if err != nil {
		return
	}
	for _, id := range ids {
		o.asked[id] = true
	}
	maps.Copy(o.past, byTask(jobs))
}

const (
	// askEvery is how often Slurm is asked about a run that is followed, with one squeue.
	askEvery = 10 * time.Second
	// lookEvery is how often its folder is searched for the end of the merge.
	lookEvery = time.Second
)

// Follow shows how far a run is until it has ended, and returns its last status.
func Follow(ctx context.Context, c *sbatch.Client, run *slurm.Run, show func(Status) error) (Status, error) {
	t := NewTracker(run)
	o := Observer{Client: c}
	for {
		view := o.Observe(ctx, t)
		if err := cmp.Or(ctx.Err(), t.err); err != nil {
			return Status{}, err
		}
		s := t.Status(view)
		if err := show(s); err != nil || !s.Active() {
			return s, err
		}
		if err := t.pause(ctx); err != nil {
			return s, err
		}
	}
}

// pause waits until Slurm may be asked again, or the run is merged anew.
func (t *Tracker) pause(ctx context.Context) error {
	for end := time.Now().Add(askEvery); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
		now, before := t.Run.LastMerge(), t.ledger.Merge
		if now != nil && (before == nil || now.At.After(before.At)) {
			return nil
		}
	}
	return nil
}

// askStray asks for what the ledger can't say: for jobs whose lines are lost, by the names of the
// runs, and whether this user sees the jobs of others.
func (o *Observer) askStray(ctx context.Context, v *View, runs ...*Tracker) {
	if v.err != nil {
		return
	}
	foreign := false
	for _, t := range runs {
		if t.err != nil || t.final() {
			continue
		}
		foreign = foreign || t.foreign()
		unknown := func(m slurm.Missing) bool {
			_, unknown := t.tasks(m.Chunk)
			return len(unknown) > 0
		}
		if !o.thorough && !t.ledger.Forgetful && !slices.ContainsFunc(t.missing, unknown) {
			continue
		}
		jobs, err := Stray(ctx, o.Client, t.Run, t.ledger.Jobs)
		if err != nil {
			v.err, v.Silent = err, err.Error()
			return
		}
		v.stray = append(v.stray, jobs...)
	}

	if foreign {
		v.private = Private(ctx, o.Client)
	}
}

// Stray asks Slurm for the jobs of a run that are not among those it knows.
func Stray(ctx context.Context, c *sbatch.Client, run *slurm.Run, known []slurm.Sent) (stray []sbatch.Job, err error) {
	all := append([]slurm.Sent{{JobID: sbatch.JobID{Cluster: sbatch.ChosenCluster()}}}, known...)
	for _, cluster := range lists.Distinct(all, func(s slurm.Sent) string { return s.Cluster }) {
		jobs, err := c.All(ctx, cluster, run.JobName()+".")
		if err != nil {
			return nil, err
		}
		stray = append(stray, lists.Where(jobs, func(j sbatch.Job) bool {
			return !slices.ContainsFunc(known, func(s slurm.Sent) bool { return s.Name == j.Name && s.ID == j.ID })
		})...)
	}
	return stray, nil
}

// Private reports whether this user does not see jobs of others, or may not.
func Private(ctx context.Context, c *sbatch.Client) bool {
	config, err := c.Config(ctx)
	return err != nil || config.Private
}

// foreign reports whether somebody else may have sent something.
func (t *Tracker) foreign() bool {
	others := func(user string) bool { return user != "" && user != slurm.Me() }
	for number := range t.ledger.Rounds {
		if others(t.Run.RoundUser(number)) {
			return true
		}
	}
	return others(t.Run.Owner()) || slices.ContainsFunc(t.ledger.Jobs, func(j slurm.Sent) bool { return others(j.User) })
}

// hides reports whether a user's job may run without being seen.
func (v View) hides(user string) bool { return v.private && user != "" && user != slurm.Me() }

// roundOf returns the round of a task of the run, by its name.
func (t *Tracker) roundOf(j sbatch.Job) (number int, is bool) {
	own, is := strings.CutPrefix(j.Name, t.Run.JobName()+".")
	round, rest, _ := strings.Cut(own, ".")
	number, err := strconv.Atoi(round)
	return number, is && err == nil && rest != "finish"
}

// explainUnlisted says why a chunk may have a task about which the ledger has lost its line, if it may. unknown
// are the rounds with the chunk of which that may be so. A job of a round that is lost may measure any chunk.
func (t *Tracker) explainUnlisted(s *Chunk, unknown []int, v View) bool {
	const mayBe = "may be a task of job %s, whose %s"
	for _, j := range v.stray {
		number, is := t.roundOf(j)
		renamed := func(x slurm.Slot) bool { return x.Job != nil && x.Job.Name == j.Name && x.Task == j.Task }
		switch {
		case j.State.Terminal():
		case slices.ContainsFunc(t.slots[s.Chunk], renamed):
			s.State, s.Why = Unclear, fmt.Sprintf(mayBe, j.ID, "number is another one in "+slurm.LedgerFile)
			return true
		case is && t.ledger.Rounds[number] == nil:
			s.State, s.Why = Unclear, fmt.Sprintf(mayBe, j.ID, "record the run has lost")
			return true
		case is && slices.Contains(unknown, number):
			s.State, s.Why = Unclear, fmt.Sprintf(mayBe, j.ID, "line "+slurm.LedgerFile+" has lost")
			return true
		}
	}
	if t.ledger.Forgetful && s.hiddenFrom(t.Run.Owner(), v) {
		return true
	}
	return slices.ContainsFunc(unknown, func(number int) bool { return s.hiddenFrom(t.Run.RoundUser(number), v) })
}

// hiddenFrom says of a chunk that a user's job, which can't be seen, may measure it, if that is so.
func (s *Chunk) hiddenFrom(user string, v View) bool {
	if v.hides(user) {
		s.State, s.hidden = Unclear, user
		s.Why = fmt.Sprintf("may run, wait or have ended: %s sent it, and you don't see the jobs of others (PrivateData)", user)
	}
	return s.hidden != ""
}
