package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"spmvtune/internal/atomicfile"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// throttleFile keeps what Throttle was last told.
const throttleFile = "throttle.json"

// Throttle lets at most n tasks of each array of the run run at once; 0 removes the bound. It
// applies to arrays that have not ended, which it returns, and to those that are sent later.
func Throttle(ctx context.Context, c *sbatch.Client, r *slurm.Run, n int) ([]sbatch.JobID, error) {
	unlock, err := r.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()

	data, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(r.Path(throttleFile), data); err != nil {
		return nil, fmt.Errorf("keeping the throttle for later rounds: %w", err)
	}

	jobs, err := activeJobs(ctx, c, r)
	if err != nil {
		return nil, err
	}
	arrays := jobIDsOf(slices.DeleteFunc(jobs, func(j sbatch.Job) bool { return j.Task < 0 }))

	for i, id := range arrays {
		if err := c.Throttle(ctx, id, n); err != nil {
			return arrays[:i], err
		}
	}

	return arrays, nil
}

// throttleOf returns how many tasks of an array may run at once: what Throttle was last told, or
// else what the sweep says.
func throttleOf(r *slurm.Run, sweep int) (n int, err error) {
	data, err := r.Read(throttleFile)
	if errors.Is(err, fs.ErrNotExist) {
		return sweep, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the throttle: %w", err)
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return 0, fmt.Errorf("reading %s: %w: delete it, or run throttle again", r.Path(throttleFile), err)
	}

	return n, nil
}
