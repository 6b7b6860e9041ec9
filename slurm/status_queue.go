package slurm

import (
	"context"
	"errors"
	"slices"
)

// A View is what Slurm says about the jobs of runs at one moment.
type View struct {
	Silent string // why the controller does not answer; "" if it does

	jobs map[taskID]Job // by task
	past map[taskID]Job // those that only accounting knows
	err  error          // that Silent tells of
}

// A taskID names a task of an array in Slurm. Its job's name is part of it, since
// the numbers of jobs start again one day.
type taskID struct {
	JobID
	name string
	task int // -1 for a job without tasks
}

func (j Job) taskID() taskID { return taskID{j.JobID, j.Name, j.Task} }

// An Observer asks Slurm about the jobs of runs, again and again: one squeue for
// all of them, and sacct once for a job that squeue has forgotten.
type Observer struct {
	Client *Client
	past   map[JobID][]Job // what sacct said
}

// Observe brings trackers up to date: first what Slurm says of their jobs, then what
// their journals hold, so that a task that ends in between is done, and not one that
// has ended without its work. A tracker whose run can't be read has an Err; the
// others are none the worse.
func (o *Observer) Observe(ctx context.Context, runs ...*Tracker) View {
	var ids []JobID
	for _, t := range runs {
		if t.err = t.readJobs(); t.err == nil && !t.settled() {
			ids = append(ids, submitted(t.jobs)...)
		}
	}
	v := o.ask(ctx, ids)
	for _, t := range runs {
		if t.err == nil {
			t.err = t.read(ctx)
		}
	}
	o.askForgotten(ctx, &v, runs...)
	return v
}

// ask asks squeue about jobs.
func (o *Observer) ask(ctx context.Context, ids []JobID) View {
	v := View{jobs: map[taskID]Job{}, past: map[taskID]Job{}}
	jobs, err := o.Client.Jobs(ctx, ids)
	if err != nil {
		v.err, v.Silent = err, err.Error()
	}
	for _, j := range jobs {
		v.jobs[j.taskID()] = j
	}
	return v
}

// askForgotten asks accounting, which need not be there, how tasks ended that left
// work undone, and that squeue has forgotten.
func (o *Observer) askForgotten(ctx context.Context, v *View, runs ...*Tracker) {
	if v.err != nil {
		return
	}
	var ids []JobID
	for _, t := range runs {
		if t.err == nil {
			ids = append(ids, t.forgotten(*v)...)
		}
	}
	o.remember(ctx, ids)
	for _, id := range ids {
		for _, j := range o.past[id] {
			v.past[j.taskID()] = j
		}
	}
}

// remember asks sacct for jobs that it has not answered for yet: what squeue has
// forgotten has ended, and stays as it is.
func (o *Observer) remember(ctx context.Context, ids []JobID) {
	if o.past == nil {
		o.past = map[JobID][]Job{}
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id JobID) bool { _, known := o.past[id]; return known })
	if len(ids) == 0 {
		return
	}
	answer := o.Client.Accounting(ctx, ids)
	if answer.Missing != "" {
		return
	}
	for _, id := range ids {
		o.past[id] = nil
	}
	for _, j := range answer.Jobs {
		o.past[j.JobID] = append(o.past[j.JobID], j)
	}
}

// submitted are the ids of all jobs that were submitted.
func submitted(jobs []Sent) []JobID {
	var ids []JobID
	for _, j := range jobs {
		if j.ID != "" {
			ids = append(ids, j.JobID)
		}
	}
	return ids
}

// Explain says why chunks are missing, in plain words: what Slurm has to say
// about their tasks, and what these said themselves. silent is why Slurm does not
// answer, "" if it does. A chunk that was split since is left out.
func (o *Observer) Explain(ctx context.Context, run *Run, missing []Missing) (chunks []ChunkStatus, silent string, err error) {
	t := NewTracker(run)
	if err := errors.Join(t.readJobs(), t.readPlan()); err != nil {
		return nil, "", err
	}
	t.missing = missing
	view := o.ask(ctx, submitted(t.jobs))
	o.askForgotten(ctx, &view, t)
	chunks = slices.DeleteFunc(t.chunks(view), func(c ChunkStatus) bool { return c.State == ChunkDone })
	return chunks, view.Silent, nil
}
