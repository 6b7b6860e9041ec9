package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// throttleFile keeps what Throttle was last told.
const throttleFile = "throttle.json"

// Throttle lets at most n tasks of the run run at once; 0 removes the bound. It applies to arrays that
// have not ended, which it returns, and to those that are sent later. Tasks that run already go on.
// Of several arrays, each waits for the one before.
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
	if err := files.Write(r.Path(throttleFile), data); err != nil {
		return nil, fmt.Errorf("keeping the throttle for later rounds: %w", err)
	}

	jobs, err := activeJobs(ctx, c, r)
	if err != nil {
		return nil, err
	}
	arrays := jobIDsOf(slices.DeleteFunc(jobs, func(j sbatch.Job) bool { return j.Task < 0 }))

	sent, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	for i, id := range arrays {
		err := c.Throttle(ctx, id, n)
		if err == nil && !waitsForOthers(sent, id) {
			err = chain(ctx, c, arrays[:i], id, n)
		}
		if err != nil {
			return arrays[:i], err
		}
	}

	return arrays, nil
}

// chain lets an array wait for the last one before it on its cluster or, without a throttle, for none.
func chain(ctx context.Context, c *sbatch.Client, before []sbatch.JobID, id sbatch.JobID, n int) error {
	if n == 0 {
		return c.After(ctx, id, "")
	}
	for _, b := range slices.Backward(before) {
		if b.Cluster == id.Cluster {
			return c.After(ctx, id, afterAny([]string{b.ID}))
		}
	}
	return nil
}

// waitsForOthers reports whether the user let an array wait for something.
func waitsForOthers(sent []slurm.Sent, id sbatch.JobID) bool {
	own := arrays(sent)
	is := func(j slurm.Sent) bool { return j.JobID == id }
	at := slices.IndexFunc(sent, is)
	if at < 0 {
		return false
	}
	for part := range strings.SplitSeq(valueOf(sent[at].Args, "dependency"), ",") {
		kind, after, _ := strings.Cut(part, ":")
		foreign := func(other string) bool {
			return !slices.Contains(own, sbatch.JobID{ID: other, Cluster: id.Cluster})
		}
		if part != "" && (kind != "afterany" || slices.ContainsFunc(strings.Split(after, ":"), foreign)) {
			return true
		}
	}
	return false
}

// throttleOf returns how many tasks may run at once: what Throttle was last told, or
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
