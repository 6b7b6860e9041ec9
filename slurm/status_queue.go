package slurm

import (
	"context"
	"slices"
)

// A View is what Slurm says about the jobs of runs at one moment.
type View struct {
	Silent string // why the controller does not answer; "" if it does

	jobs map[taskID]Job // by task
	past map[taskID]Job // those that only accounting knows
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

// Look is Ask where nothing depends on the answer: the View says why there is none.
func (o *Observer) Look(ctx context.Context, runs ...*Tracker) View {
	v, err := o.Ask(ctx, runs...)
	if err != nil {
		v.Silent = err.Error()
	}
	return v
}

// Ask asks about the jobs of the runs. It is an error if the controller does not
// answer; accounting need not.
func (o *Observer) Ask(ctx context.Context, runs ...*Tracker) (View, error) {
	v := View{jobs: map[taskID]Job{}, past: map[taskID]Job{}}
	var ids []JobID
	for _, t := range runs {
		if !t.settled() {
			ids = append(ids, submitted(t.jobs)...)
		}
	}
	jobs, err := o.Client.Jobs(ctx, ids)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		v.jobs[j.taskID()] = j
	}
	var forgotten []JobID
	for _, t := range runs {
		forgotten = append(forgotten, t.forgotten(v)...)
	}
	o.remember(ctx, forgotten)
	for _, id := range forgotten {
		for _, j := range o.past[id] {
			v.past[j.taskID()] = j
		}
	}
	return v, nil
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
// answer, "" if it does.
func (o *Observer) Explain(ctx context.Context, run *Run, missing []Missing) (chunks []ChunkStatus, silent string, err error) {
	t := NewTracker(run)
	if err := t.readPlan(); err != nil {
		return nil, "", err
	}
	t.missing = missing
	view := o.Look(ctx, t)
	chunks = slices.DeleteFunc(t.chunks(view), func(c ChunkStatus) bool { return c.State == ChunkDone })
	return chunks, view.Silent, nil
}
