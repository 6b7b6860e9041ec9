// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
)

// A decision says which chunks are sent again, and how.
type decision struct {
	Retried
	slurm configs.Slurm
	send  []slurm.Chunk

	kept  slurm.Settings // kept is what retries are told from now on.
	told  bool           // told says that kept has changed.
	plan  slurm.Plan
	asked map[string]slurm.Sent // asked are the jobs by id.
	avoid []status.Gathering
	mem   ladder
	time  ladder
}

// newDecision decides by what is known about the chunks.
func newDecision(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, opt RetryOptions,
) (d decision, err error) {
	ledger, err := r.Ledger()
	if err != nil {
		return d, err
	}
	seen, err := status.Certain(ctx, c, r)
	if err != nil {
		return d, err
	}
	d = decision{plan: seen.Plan, asked: map[string]slurm.Sent{}}
	if ledger.Unsettled {
		d.Notes = append(d.Notes, fmt.Sprintf("a damaged line of %s may have said what --set, --exclude or throttle asked "+
			"for last: what they said before holds, so give it again", slurm.LedgerFile))
	}
	if s, err = d.settle(r, ledger, s, opt); err != nil {
		return d, err
	}
	d.slurm = s
	for _, j := range ledger.Jobs {
		if j.ID != "" {
			d.asked[j.ID] = j
		}
	}
	_, insists := opt.Set["mem"]
	d.mem = ladder{now: s.Mem, steps: s.Mems, size: sbatch.Megabytes, insists: insists}
	d.time = ladder{now: s.Time, steps: s.Times, size: sbatch.Seconds}

	rest, err := r.Unsent()
	if err != nil {
		return d, err
	}
	for i, c := range seen.Plan.Current() {
		if seen.Chunks[i].Unsent && opt.Rest {
			seen.Chunks[i].State = status.Never // this is the job that sends it
		}
		if s := seen.Chunks[i]; !opt.Rest || rest[c.ID] || s.State == status.Done {
			d.decide(c, s)
		}
	}

	for name, l := range map[string]ladder{"mem": d.mem, "time": d.time} {
		if l.now != "" && l.raised {
			d.More = append(d.More, fmt.Sprintf("%s = %q", name, l.now))
		}
	}
	slices.Sort(d.More)
	d.slurm.Mem, d.slurm.Time = d.mem.now, d.time.now
	if _, told := opt.Set["exclude"]; !told {
		d.avoid = seen.Gathered
	}
	return d, nil
}

// decide decides about a chunk.
func (d *decision) decide(c slurm.Chunk, s status.Chunk) {
	array, _, _ := strings.Cut(s.Job, "_")
	asked := d.asked[array]
	mem, limit := asked.Option("mem"), asked.Option("time")
	send := []slurm.Chunk{c}
	switch {
	case s.State == status.Done:
		d.Done++
		return
	case s.State != status.Ended && s.State != status.Never:
		d.Active = append(d.Active, s)
		return
	case s.OutOfMemory && !d.mem.raise(mem):
		d.OutOfMemory = append(d.OutOfMemory, s)
		return
	case s.OutOfTime && !d.time.raise(limit) && c.Split() != nil:
		send = c.Split()
		d.Split = append(d.Split, SplitChunk{c.ID, lists.Of(send, func(h slurm.Chunk) string { return h.ID })})
	default:
		d.Again = append(d.Again, c.ID)
	}

	d.mem.keep(mem)
	d.time.keep(limit)
	d.send = append(d.send, send...)
}

// check tests the jobs, and leaves out the nodes on which tasks failed alike, if others remain.
func (d *decision) check(ctx context.Context, c *sbatch.Client, r *slurm.Run) error {
	cache := func(kind int) int64 {
		pinned, _ := r.PinnedDevices(kind) // tasks say what is wrong with the file
		return pinned.Cache
	}
	var without []string
	for _, g := range d.avoid {
		if !slices.Contains(strings.Split(d.slurm.Exclude, ","), g.Node) {
			without = append(without, g.Node)
			d.Avoided = append(d.Avoided, g)
		}
	}
	if len(without) > 0 {
		fewer := d.slurm
		fewer.Exclude = strings.Join(append(nodesOf(d.slurm.Exclude), without...), ",")
		checked, err := Check(ctx, c, r, fewer, d.plan, cache)
		if err == nil {
			d.slurm, d.Notes = checked.Slurm, append(d.Notes, checked.Notes...)
			d.exclude(without)
			return nil
		}
		refusal := sbatch.Refusal(err)
		if refusal == "" {
			return err
		}
		d.Avoided = nil
		d.Notes = append(d.Notes, fmt.Sprintf("tasks failed alike on %s, but no task could start without (%s)",
			strings.Join(without, ", "), refusal))
	}

	checked, err := Check(ctx, c, r, d.slurm, d.plan, cache)
	d.slurm, d.Notes = checked.Slurm, append(d.Notes, checked.Notes...)
	return err
}

// nodesOf returns the names in a list of nodes.
func nodesOf(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// A ladder is what tasks ask for of something: now, and in the steps of the sweep.
type ladder struct {
	now   string
	steps []string
	size  func(string) float64 // size compares values; it is 0 for "".
	// insists says that the user gave the value with this retry.
	insists bool
	// raised says that a step was taken.
	raised bool
}

// raise goes on to the first value above one that was too little, and reports whether there is one.
func (l *ladder) raise(tooLittle string) bool {
	if l.insists || l.size(l.now) > l.size(tooLittle) {
		return true
	}
	for _, step := range l.steps {
		if l.size(step) > l.size(tooLittle) {
			l.now, l.raised = step, true
			return true
		}
	}
	return false
}

// keep does not fall below a step that was asked for before.
func (l *ladder) keep(asked string) {
	if slices.Contains(l.steps, asked) && l.size(asked) > l.size(l.now) {
		l.now, l.raised = asked, true
	}
}

// inPlace refuses a copy of a run's folder, since the jobs are those of the run that was copied. To send jobs it also
// refuses a folder that was moved: the scripts, the logs and the running tasks have the old path. The same folder
// under another path is allowed.
func inPlace(r *slurm.Run, send bool) error {
	then, err := os.Stat(r.Folder)
	now, nowErr := os.Stat(r.Dir)
	switch moved := errors.Is(err, fs.ErrNotExist); {
	case moved && send:
		return fmt.Errorf("the run was submitted in %s and is now in %s, where its jobs would not find it: "+
			"move it back there, or submit the sweep again", r.Folder, r.Dir)
	case moved, err == nil && nowErr == nil && os.SameFile(then, now):
		return nil
	}
	return fmt.Errorf("%s is a copy of the run in %s: give that one", r.Dir, r.Folder)
}

// Recover finds out what became of submissions that broke off before sbatch's answer was
// written down, for example by a crash, and returns them. It asks Slurm for their names, and
// then its accounting, which alone knows a job that ended long ago. A job that neither knows is
// Lost; its chunks are done or not, like those of any job. What another user sent stays open where
// users don't see each other's jobs. The caller holds the run's Lock.
func Recover(ctx context.Context, c *sbatch.Client, r *slurm.Run) ([]slurm.Sent, error) {
	ledger, err := r.Ledger()
	if err != nil {
		return nil, err
	}

	var recovered []slurm.Sent
	for _, j := range ledger.Jobs {
		if j.Outcome != slurm.Intended || j.User != slurm.Me() && status.Private(ctx, c) {
			continue // of what somebody else sent, silence says nothing
		}
		// The sbatch of a killed process may go on without it until it gets an answer. Whatever
		// another node's clock says about its start, that takes at most a time-out from now.
		until := time.Now().Add(c.CommandTimeout())
		if end := j.At.Add(c.CommandTimeout()); end.Before(until) {
			until = end
		}

		id, found, err := c.Find(ctx, j.Cluster, j.Name, until)
		if err != nil {
			return recovered, fmt.Errorf("finding out whether %s was submitted: %w", j.Name, err)
		}
		if !found {
			past, _ := c.AccountingNamed(ctx, j.Cluster, j.Name, j.At.Local()) // there need not be any accounting
			for _, old := range past {
				id, found = old.JobID, true
			}
		}

		j.Outcome, j.Args = slurm.Lost, nil
		if found {
			j.Outcome, j.JobID = slurm.Submitted, id
		}
		if err := r.Note(j); err != nil {
			return recovered, fmt.Errorf("writing to %s that %s is %s: %w", slurm.LedgerFile, j.Name, j.Outcome, err)
		}
		recovered = append(recovered, j)
	}

	return recovered, nil
}
