package submit

import (
	"context"
	"fmt"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

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
	chunks  int   // chunks is the number of chunks of the round.
	kinds   []int // kinds are their kinds.
	round   Round
}

// arrays sends the arrays of tasks, as many as a limit of submitted jobs allows.
func (d *dispatch) arrays() error {
	for base := 0; base < d.chunks; {
		n := min(d.most, alike(d.kinds[base:]), d.room(base))
		if n <= 0 && base == 0 && len(d.earlier) == 0 {
			// A job that only merges would send another one for ever.
			return d.incomplete(fmt.Errorf("max_submit = %d leaves no room for a task beside the jobs that merge: "+
				"raise it to 3 or more", d.slurm.MaxSubmit), false)
		}
		if n <= 0 {
			d.round.Rest, d.round.Limit = d.chunks-base, "max_submit"
			return nil
		}
		err := d.array(base, n)
		limit := limitOf(err)
		if limit == "" && err != nil {
			return err
		}
		if limit != "" {
			if n, err = d.fit(base, n, err); err != nil {
				return err
			}
			d.round.Rest, d.round.Limit = d.chunks-base-n, limit
			return nil
		}
		base += n
	}
	return nil
}

// array sends an array of n tasks, from a chunk of the round.
func (d *dispatch) array(base, n int) error {
	b := slurm.Batch{
		Name: fmt.Sprintf("%s.%d.%d", d.run.JobName(), d.round.Number, len(d.round.Jobs)), Round: d.round.Number,
		Base: base, Kind: d.kinds[base], Tasks: n,
	}
	return d.send(b, afterOf(d.slurm, arrays(d.round.Jobs), d.earlier, d.cluster))
}

// finish sends the job that merges. Where a limit has no room for it, the last task makes some, and
// is left for Rest.
func (d *dispatch) finish() error {
	if d.slurm.Finish.Off {
		return nil
	}
	b := finishOf(d.run, d.round.Number)
	// It also waits for what is left of earlier rounds.
	after := afterAny(ids(arrays(d.round.Jobs), d.earlier, d.cluster))
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
	sent, err := send(d.ctx, d.client, d.run, d.cluster, b, argsOf(d.run, b, d.slurm, after))
	if err != nil {
		return d.incomplete(err, sent.Outcome == slurm.Intended)
	}
	d.round.Jobs = append(d.round.Jobs, sent)
	// Of several allowed clusters, the whole round goes to that of the first job.
	d.cluster = sent.Cluster
	return nil
}

func (d *dispatch) incomplete(err error, unresolved bool) error {
	all := (d.chunks + d.most - 1) / d.most
	if !d.slurm.Finish.Off {
		all++
	}
	return &IncompleteError{
		Dir: d.run.Dir, Sent: len(d.round.Jobs), All: max(all, len(d.round.Jobs)+1), Unresolved: unresolved, Err: err,
	}
}
