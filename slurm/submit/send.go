// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

// mostTries bounds how often sbatch runs for a job that Slurm says nothing about and
// does not have afterwards.
const mostTries = 3

// submit submits b. On an error, the outcome says whether there may be a job.
//
// An interrupt does not break off sbatch: we would have to ask what became of the job.
func (d *dispatch) submit(b slurm.Batch, args []string) (slurm.Sent, error) {
	ctx, c, r := d.ctx, d.client, d.run
	sent := slurm.Sent{Batch: b, JobID: sbatch.JobID{Cluster: d.cluster}, Outcome: slurm.Refused}
	if err := ctx.Err(); err != nil {
		return sent, err
	}

	for try := 1; ; try++ {
		// Every try has its own intention: Recover counts from the last one how long
		// its sbatch may go on.
		intended := sent
		intended.Outcome, intended.Args = slurm.Intended, args
		if err := r.Note(intended); err != nil {
			return sent, fmt.Errorf("writing to %s before submitting: %w", slurm.LedgerFile, err)
		}

		printed, err := c.Submit(context.WithoutCancel(ctx), d.cluster, args)
		id, found, lookErr := c.FindAfter(ctx, d.cluster, b.Name, err)
		switch {
		case err == nil && (!found || id.ID == printed.ID): // Slurm may be too busy to say it again
			return noteOutcome(r, sent, slurm.Submitted, printed, "")
		case lookErr != nil:
			return intended, fmt.Errorf("%w; then %w", err, lookErr)
		case found:
			return noteOutcome(r, sent, slurm.Submitted, id, "")
		case !sbatch.Silent(err) || try == mostTries || ctx.Err() != nil:
			sent, noteErr := noteOutcome(r, sent, slurm.Refused, sent.JobID, err.Error())
			return sent, errors.Join(err, noteErr)
		}
	}
}

// noteOutcome keeps what became of a submission. Where that fails, it stays an intention.
func noteOutcome(r *slurm.Run, sent slurm.Sent, o slurm.Outcome, id sbatch.JobID, said string) (slurm.Sent, error) {
	sent.JobID, sent.Outcome, sent.Said, sent.At = id, o, said, time.Now().UTC()
	if err := r.Note(sent); err != nil {
		sent.Outcome = slurm.Intended
		return sent, fmt.Errorf("writing to %s that %s is job %s: %w",
			slurm.LedgerFile, sent.Name, cmp.Or(id.ID, "not there"), err)
	}
	return sent, nil
}

// arrayOf returns the array of a round with a number, from 0, without what it measures.
func arrayOf(r *slurm.Run, round, number int) slurm.Batch {
	return slurm.Batch{Name: fmt.Sprintf("%s.%d.%d", r.JobName(), round, number), Round: round, Tasks: 1}
}

// alike is how many chunks at the beginning are of the same kind.
func alike(chunks []slurm.Chunk) int {
	n := slices.IndexFunc(chunks, func(c slurm.Chunk) bool { return c.Kind != chunks[0].Kind })
	if n < 0 {
		return len(chunks)
	}
	return n
}

// finishOf returns the job that ends a round.
func finishOf(r *slurm.Run, round int) slurm.Batch {
	return slurm.Batch{Name: fmt.Sprintf("%s.%d.finish", r.JobName(), round), Round: round}
}

// argsOf returns the arguments of sbatch for b, with what it waits for, "" for nothing.
func argsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm, after string) []string {
	list := optionList(optionsOf(r, b, s))
	list.add("dependency", after)
	if b.Finish() {
		return append(list, r.Path(slurm.FinishScript), strconv.Itoa(b.Round))
	}
	return append(list, r.Path(slurm.TaskScript), strconv.Itoa(b.Round), strconv.Itoa(b.Base))
}

// An optionList collects options of sbatch.
type optionList []string

// add adds an option, unless its value is empty.
func (l *optionList) add(name, value string) {
	if value != "" {
		*l = append(*l, "--"+name+"="+value)
	}
}

// addOf adds options as [slurm] says them.
func (l *optionList) addOf(s configs.Slurm, names ...string) {
	for _, name := range names {
		l.add(name, *slurm.Option(&s, name))
	}
}

// optionsOf returns the options of sbatch for b. Those of [slurm] extra come first, because
// sbatch takes the last value of an option.
func optionsOf(r *slurm.Run, b slurm.Batch, s configs.Slurm) []string {
	var list optionList
	list.addOf(s, "account", "exclude", "export")
	if b.Finish() {
		list = append(slices.DeleteFunc(slices.Clone(s.Extra), forTask), list...)
		list.addFinish(r, s)
	} else {
		list = append(slices.Clone(s.Extra), list...)
		list.addTasks(r, b, s.Of(b.Kind))
	}

	list.add("nodes", "1")
	list.add("ntasks", "1")
	list.add("job-name", b.Name)
	list.add("open-mode", "append")
	list.add("chdir", r.Dir)
	return append(list, "--requeue")
}

// addTasks adds the options of an array of tasks.
func (l *optionList) addTasks(r *slurm.Run, b slurm.Batch, s configs.Slurm) {
	l.addOf(s, "partition", "qos", "time", "mem")
	if s.CPUs > 0 {
		l.add("cpus-per-task", strconv.Itoa(s.CPUs))
	}
	l.addOf(s, "gres", "gpus", "constraint", "nodelist")
	if s.Exclusive {
		*l = append(*l, "--exclusive")
	}
	array := fmt.Sprintf("0-%d", b.Tasks-1)
	if s.Throttle > 0 {
		array += "%" + strconv.Itoa(s.Throttle)
	}
	l.add("array", array)
	if s.Signal != "" {
		l.add("signal", "B:"+s.Signal)
	}
	l.add("output", logPattern(r, "%A_%a.log"))
}

// addFinish adds the options of the job that ends a round: one processor of any node of its
// partition, unless [slurm.finish] says more.
func (l *optionList) addFinish(r *slurm.Run, s configs.Slurm) {
	l.add("partition", cmp.Or(s.Finish.Partition, s.Partition))
	l.add("qos", cmp.Or(s.Finish.QOS, s.QOS))
	l.add("time", s.Finish.Time)
	l.add("mem", s.Finish.Mem)
	if s.Finish.Gres != "none" {
		l.add("gres", s.Finish.Gres)
	}
	l.add("output", logPattern(r, "%j.log"))
}

// forTask reports whether an option of sbatch in [slurm] extra is about what tasks need: a GPU, nodes
// of a kind, memory or processors.
func forTask(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	prefixes := []string{
		"--gpu", "--gres", "--tres", "--exclusive", "--constraint", "--prefer", "--mem", "--cpus-per-gpu",
		"--ntasks-per", "--threads-per-core", "--core-spec", "--hint", "--time-min", "-G", "-C",
	}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// logPattern returns the --output of jobs whose logs are called name, as logs/%A_%a.log in the
// run's folder. In the path of the folder % stands for itself. A relative path would not help:
// Slurm expands the folder before it, too.
func logPattern(r *slurm.Run, name string) string {
	return strings.ReplaceAll(r.Path(slurm.LogsDir), "%", "%%") + "/" + name
}

// A dispatch sends a round.
type dispatch struct {
	ctx    context.Context
	client *sbatch.Client
	run    *slurm.Run
	slurm  configs.Slurm

	most    int            // most is the largest number of tasks in an array.
	running int            // running is the number of jobs of earlier rounds that have not ended.
	earlier []sbatch.JobID // earlier are the arrays among them.
	cluster string
	chunks  []slurm.Chunk
	round   Round
	preview *Preview // preview gets the commands, and nothing is sent; nil: they are for Slurm.
}

// arrays sends the arrays of tasks, as many as a limit of submitted jobs allows.
func (d *dispatch) arrays() error {
	for base := 0; base < len(d.chunks); {
		n := min(d.most, alike(d.chunks[base:]), d.room(base))
		if n <= 0 && base == 0 && len(d.earlier) == 0 {
			// A job that only merges would send another one for ever.
			return d.incomplete(fmt.Errorf("max_submit = %d leaves no room for a task beside the jobs that merge: "+
				"raise it to 3 or more", d.slurm.MaxSubmit), false)
		}
		if n <= 0 {
			d.round.Rest, d.round.Limit = len(d.chunks)-base, "max_submit"
			return nil
		}
		err := d.array(base, n)
		limit := limitOf(err)
		if limit == "" && err != nil {
			return err
		}
		if limit != "" {
			if n, err = d.fit(base, n, errors.Unwrap(err)); err != nil {
				return err
			}
			d.round.Rest, d.round.Limit = len(d.chunks)-base-n, limit
			return nil
		}
		base += n
	}
	return nil
}

// array sends an array of n tasks, from a chunk of the round.
func (d *dispatch) array(base, n int) error {
	b := arrayOf(d.run, d.round.Number, len(d.round.Jobs))
	b.Base, b.Kind, b.Tasks = base, d.chunks[base].Kind, n
	return d.send(b, afterOf(d.slurm, arrays(d.round.Jobs), d.earlier, d.cluster))
}

// finish sends the job that merges. Where a limit has no room for it, the last task makes some, and
// is left for a retry.
func (d *dispatch) finish() error {
	if d.slurm.Finish.Off {
		return nil
	}
	b := finishOf(d.run, d.round.Number)
	// It also waits for what is left of earlier rounds.
	after := afterAny(d.cluster, append(arrays(d.round.Jobs), d.earlier...)...)
	err := d.send(b, after)
	if limit := limitOf(err); limit != "" && d.sent() > 1 {
		if err := d.takeBack(); err != nil {
			return d.incomplete(err, false)
		}
		d.round.Rest, d.round.Limit = d.round.Rest+1, limit
		err = d.send(b, after)
	}
	return err
}

// send sends a job of the round.
func (d *dispatch) send(b slurm.Batch, after string) error {
	args := argsOf(d.run, b, d.slurm, after)
	if d.preview != nil {
		d.round.Jobs = append(d.round.Jobs, d.preview.add(b, args))
		return nil
	}
	sent, err := d.submit(b, args)
	if err != nil {
		return d.incomplete(err, sent.Outcome == slurm.Intended)
	}
	d.round.Jobs = append(d.round.Jobs, sent)
	// Of several allowed clusters, the whole round goes to that of the first job.
	d.cluster = sent.Cluster
	return nil
}

func (d *dispatch) incomplete(err error, unresolved bool) error {
	all := (len(d.chunks) + d.most - 1) / d.most
	if !d.slurm.Finish.Off {
		all++
	}
	return &IncompleteError{
		Dir: d.run.Dir, Sent: len(d.round.Jobs), All: max(all, len(d.round.Jobs)+1), Unresolved: unresolved, Err: err,
	}
}

// What merging and reporting take besides, and for each trial. On two cores of an AMD EPYC, 20,000
// trials take 318 MB and a minute.
const (
	finishTime     = 10 * time.Minute
	finishPerTrial = 5 * time.Millisecond
	finishMem      = 256  // MB
	finishMost     = 4096 // MB
	trialsPerMB    = 64
)

// withFinish returns s with what the job that merges a number of trials asks for where
// [slurm.finish] does not say it: little, and never more time than its partition allows.
func withFinish(ctx context.Context, c *sbatch.Client, s configs.Slurm, trials int) (configs.Slurm, error) {
	f := &s.Finish
	if f.Mem == "" {
		f.Mem = fmt.Sprintf("%dM", min(finishMem+trials/trialsPerMB, finishMost))
	}
	if f.Time == "" {
		limit, err := c.Limit(ctx, cmp.Or(f.Partition, s.Partition))
		if err != nil {
			return s, err
		}
		need := (finishTime + time.Duration(trials)*finishPerTrial).Truncate(time.Minute)
		if limit.Max > 0 {
			need = min(need, limit.Max)
		}
		f.Time = sbatch.FormatTime(need)
	}
	return s, nil
}

// sendFinish sends the job that ends the last round, if tasks are active and the submission of
// the round broke off before that job: nothing else would merge what they measure. It returns
// the round with that job, or nil.
func sendFinish(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, active bool) (*Round, error) {
	ledger, err := r.Ledger()
	if err != nil || !active || s.Finish.Off {
		return nil, err
	}

	last, jobs := slurm.Sent{}, ledger.Jobs
	for _, j := range jobs {
		if !j.Finish() && j.ID != "" && j.Round >= last.Round {
			last = j
		}
	}
	merges := func(j slurm.Sent) bool { return j.Finish() && j.Round >= last.Round && j.ID != "" }
	if last.ID == "" || slices.ContainsFunc(jobs, merges) { // the ledger may know none of the active tasks
		return nil, nil
	}
	b := finishOf(r, last.Round)
	there, err := c.Named(ctx, last.Cluster, b.Name)
	if err != nil || slices.ContainsFunc(there, func(j sbatch.Job) bool { return j.Name == b.Name }) {
		return nil, err // the ledger has lost the line about it
	}
	running, err := running(ctx, c, arrays(jobs))
	if err != nil {
		return nil, err
	}
	plan, err := r.Plan()
	if err != nil {
		return nil, err
	}
	checked, err := Check(ctx, c, r, s, plan, unknown)
	if err != nil {
		return nil, err
	}
	d := &dispatch{
		ctx: ctx, client: c, run: r, slurm: checked.Slurm, most: 1, earlier: arraysOf(running), cluster: last.Cluster,
		round: Round{Number: last.Round},
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	return &d.round, nil
}

// afterOf is what the next array of a round waits for: what the user said and, with a throttle, the
// array before, or those of earlier rounds that have not ended.
func afterOf(s configs.Slurm, sent, running []sbatch.JobID, cluster string) string {
	all := []string{s.Dependency}
	if s.Throttle > 0 {
		before := running
		if len(sent) > 0 {
			before = sent[len(sent)-1:]
		}
		all = append(all, afterAny(cluster, before...))
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), ",")
}

// afterAny is the dependency of a job that starts when others of its cluster have ended, in any way.
func afterAny(cluster string, others ...sbatch.JobID) string {
	here := lists.Where(others, func(id sbatch.JobID) bool { return id.Cluster == cluster })
	if len(here) == 0 {
		return ""
	}
	return "afterany:" + strings.Join(lists.Distinct(here, func(id sbatch.JobID) string { return id.ID }), ":")
}

// arrays returns the ids of the arrays of tasks among jobs.
func arrays(jobs []slurm.Sent) []sbatch.JobID {
	return slurm.JobIDs(lists.Where(jobs, func(j slurm.Sent) bool { return !j.Finish() }))
}

// arraysOf returns the ids of the arrays that tasks belong to.
func arraysOf(jobs []sbatch.Job) []sbatch.JobID {
	return jobIDsOf(lists.Where(jobs, func(j sbatch.Job) bool { return j.Task >= 0 }))
}

// running asks for the jobs that have not ended, with every task of an array as one.
func running(ctx context.Context, c *sbatch.Client, ids []sbatch.JobID) ([]sbatch.Job, error) {
	jobs, err := c.Jobs(ctx, ids)
	return slices.DeleteFunc(jobs, func(j sbatch.Job) bool { return j.State.Terminal() }), err
}
