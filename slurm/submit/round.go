package submit

import (
	"context"
	"errors"
	"slices"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Next sends chunks of the run's plan as the next round: arrays of tasks, as long as the cluster
// allows, and the job that merges when they have ended. If the sweep has a throttle, each array
// waits for the one before. What a limit of submitted jobs leaves over is for Rest. Once something
// may have been sent, errors are of type *IncompleteError. The caller holds the run's Lock.
func Next(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, chunks []string) (Round, error) {
	return sendRound(ctx, c, r, s, r.NextRound(), chunks, nil)
}

// sendRound is Next for a number that was the next one before the decision what to send. If
// grown is not nil, it becomes the plan of the run.
func sendRound(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, number int, chunks []string,
	grown *slurm.Plan,
) (Round, error) {
	if len(chunks) == 0 {
		return Round{}, errors.New("nothing to submit")
	}
	if err := inPlace(r); err != nil {
		return Round{}, err
	}
	config, err := Ready(ctx, c, s, len(chunks))
	if err != nil {
		return Round{}, err
	}
	before, err := r.Jobs()
	if err != nil {
		return Round{}, err
	}
	running, err := c.Jobs(ctx, slurm.JobIDs(before))
	if err != nil {
		return Round{}, err
	}
	running = slices.DeleteFunc(running, func(j sbatch.Job) bool { return j.State.Terminal() })
	own := arrays(before)
	earlier := arraysOf(slices.DeleteFunc(slices.Clone(running),
		func(j sbatch.Job) bool { return !slices.Contains(own, j.JobID) }))
	kinds, err := sortKinds(r, chunks, grown)
	if err != nil {
		return Round{}, err
	}
	if err := r.WriteRound(number, chunks); err != nil {
		return Round{}, err
	}
	if grown != nil {
		if err := r.ReplacePlan(*grown); err != nil {
			return Round{}, err
		}
	}

	d := dispatch{
		ctx: ctx, client: c, run: r, slurm: s, most: config.MaxArraySize, running: len(running),
		earlier: earlier, cluster: clusterOf(before), chunks: len(chunks), kinds: kinds, round: Round{Number: number},
	}
	if err := d.arrays(); err != nil {
		return d.round, err
	}
	return d.round, d.finish()
}

// sortKinds sorts the chunks of a round by their kinds, so that there are few arrays, and returns the kinds.
func sortKinds(r *slurm.Run, chunks []string, grown *slurm.Plan) (kinds []int, err error) {
	if grown == nil {
		plan, err := r.Plan()
		if err != nil {
			return nil, err
		}
		grown = &plan
	}
	kindOf := grown.Kinds()
	slices.SortStableFunc(chunks, func(a, b string) int { return kindOf[a] - kindOf[b] })
	for _, id := range chunks {
		kinds = append(kinds, kindOf[id])
	}
	return kinds, nil
}

// clusterOf is the cluster that a new round goes to: the chosen one, or that of earlier rounds.
func clusterOf(before []slurm.Sent) string {
	if chosen := sbatch.ChosenCluster(); chosen != "" || len(before) == 0 {
		return chosen
	}
	return before[len(before)-1].Cluster
}
