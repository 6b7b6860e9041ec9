package submit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

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
	jobs, err := r.Jobs()
	if err != nil || !active || s.Finish.Off {
		return nil, err
	}

	last := slurm.Sent{}
	for _, j := range jobs {
		if !j.Finish() && j.ID != "" && j.Round >= last.Round {
			last = j
		}
	}

	for _, j := range jobs {
		if j.Finish() && j.Round >= last.Round && j.ID != "" {
			return nil, nil
		}
	}

	b := finishOf(r, last.Round)
	if last.ID == "" {
		return nil, nil // jobs.jsonl knows none of the active tasks
	}
	there, err := c.Named(ctx, last.Cluster, b.Name)
	if err != nil || slices.ContainsFunc(there, func(j sbatch.Job) bool { return j.Name == b.Name }) {
		return nil, err // jobs.jsonl has lost the line about it
	}
	running, err := c.Jobs(ctx, arrays(jobs))
	if err != nil {
		return nil, err
	}
	running = slices.DeleteFunc(running, func(j sbatch.Job) bool { return j.State.Terminal() })
	plan, err := r.Plan()
	if err != nil {
		return nil, err
	}
	checked, err := Check(ctx, c, r, s, plan, unknown)
	if err != nil {
		return nil, err
	}
	after := afterAny(ids(nil, arraysOf(running), last.Cluster))
	sent, err := send(ctx, c, r, last.Cluster, b, argsOf(r, b, checked.Slurm, after))
	if err != nil {
		return nil, &IncompleteError{Dir: r.Dir, All: 1, Unresolved: sent.Outcome == slurm.Intended, Err: err}
	}

	return &Round{Number: last.Round, Jobs: []slurm.Sent{sent}}, nil
}
