package status

import (
	"context"
	"errors"
	"maps"
	"slices"

	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/sbatch"
)

// Hidden returns what other users sent for a run and Slurm does not show this user, while it may run or wait. Where
// the run has lost the lines about what was sent, only the user is known.
func Hidden(ctx context.Context, c *sbatch.Client, run *slurm.Run) (hidden []slurm.Sent, err error) {
	t := NewTracker(run)
	o := Observer{Client: c}
	v := o.Observe(ctx, t)
	if err := errors.Join(t.err, v.err); err != nil || !v.private {
		return nil, err
	}

	seen := map[string]bool{}
	for id := range v.jobs {
		seen[id.name] = true
	}
	for _, j := range t.jobs {
		sent := j.Outcome == slurm.Submitted || j.Outcome == slurm.Intended
		if sent && !seen[j.Name] && v.hides(j.User) && t.awaits(j) {
			hidden = append(hidden, j)
		}
	}

	if user := run.Owner(); run.Forgetful() && v.hides(user) {
		hidden = append(hidden, slurm.Sent{User: user})
	}
	lost := map[int]bool{}
	for _, m := range t.missing {
		for _, number := range t.uncovered[m.Chunk] {
			lost[number] = v.hides(run.RoundUser(number))
		}
	}
	for _, number := range slices.Sorted(maps.Keys(lost)) {
		if lost[number] {
			hidden = append(hidden, slurm.Sent{Batch: slurm.Batch{Round: number}, User: run.RoundUser(number)})
		}
	}
	return hidden, nil
}

// awaits reports whether the run lacks something that a job was sent for.
func (t *Tracker) awaits(j slurm.Sent) bool {
	if j.Finish() {
		return t.merged == nil || t.merged.Round < j.Round
	}
	chunks := t.rounds[j.Round]
	chunks = chunks[min(j.Base, len(chunks)):min(j.Base+j.Tasks, len(chunks))]
	return slices.ContainsFunc(t.missing, func(m merge.Missing) bool { return slices.Contains(chunks, m.Chunk) })
}
