package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// A Round is one submission: chunks, as arrays of tasks, and the job that ends it.
type Round struct {
	Number int `json:"round"`
	// Jobs are those that were sent.
	Jobs []slurm.Sent `json:"jobs"`
}

// Ready returns Slurm's configuration. Its error says why the cluster would accept the jobs but
// never start them.
func Ready(ctx context.Context, c *sbatch.Client, s configs.Slurm, chunks int) (sbatch.Config, error) {
	config, err := c.Config(ctx)
	if err != nil {
		return config, err
	}
	if config.MaxArraySize < 1 {
		return config, errors.New("the cluster has no job arrays (MaxArraySize is 0): ask its administrators for them")
	}
	if config.MaxJobs > 0 && chunks+1 > config.MaxJobs {
		return config, fmt.Errorf("%d tasks are more than the %d jobs that the cluster keeps at once: "+
			"make each task longer with chunk in [slurm]", chunks, config.MaxJobs)
	}

	// A QOS may allow more time than the partition.
	if s.Time != "" && s.QOS == "" {
		limit, err := c.Limit(ctx, s.Partition)
		if err != nil {
			return config, err
		}
		if err := limit.Check(s.Time); err != nil {
			return config, err
		}
	}

	return config, nil
}

// Next sends chunks of the run's plan as the next round: arrays of tasks, as long as the cluster
// allows, and the job that merges when they have ended. If the sweep has a throttle and there
// are several arrays, each waits for the one before. Once something may have been sent, errors
// are of type *IncompleteError. The caller holds the run's Lock.
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
	running, err := c.Jobs(ctx, arrays(before))
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

	round := Round{Number: number}
	cluster := sbatch.ChosenCluster()
	batches := batchesOf(r, number, len(chunks), config.MaxArraySize)
	for i, b := range batches {
		var after []string
		switch {
		case b.Finish(): // also after what is left of earlier rounds
			after = ids(arrays(round.Jobs), activeIDs(running), cluster)
		case s.Throttle > 0 && i > 0:
			after = []string{round.Jobs[i-1].ID}
		}
		sent, err := send(ctx, c, r, cluster, b, argsOf(r, b, s, after))
		if err != nil {
			unresolved := sent.Outcome == slurm.Intended
			return round, &IncompleteError{Dir: r.Dir, Sent: i, All: len(batches), Unresolved: unresolved, Err: err}
		}
		round.Jobs = append(round.Jobs, sent)
		// Of several allowed clusters, the whole round goes to that of the first job.
		cluster = sent.Cluster
	}
	return round, nil
}

// arrays returns the ids of the arrays of tasks among jobs.
func arrays(jobs []slurm.Sent) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if j.ID != "" && !j.Finish() {
			list = append(list, j.JobID)
		}
	}
	return list
}

// activeIDs returns the ids of the jobs that have not ended.
func activeIDs(jobs []sbatch.Job) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if !j.State.Terminal() {
			list = append(list, j.JobID)
		}
	}
	return list
}

// ids returns the ids of a cluster in first and then, each once.
func ids(first, then []sbatch.JobID, cluster string) []string {
	var list []string
	for _, id := range slices.Concat(first, then) {
		if id.Cluster == cluster && !slices.Contains(list, id.ID) {
			list = append(list, id.ID)
		}
	}
	return list
}
