package submit

import (
	"context"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// Rest sends what a limit of submitted jobs left over, as far as there is room now. It sends nothing
// if no chunk is done: what ended the first tasks would end the others.
func Rest(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm) (Retried, error) {
	jobs, err := r.Jobs()
	if err != nil {
		return Retried{}, err
	}
	owed, err := unsent(r, jobs)
	if err != nil || len(owed) == 0 {
		return Retried{}, err
	}
	return Retry(ctx, c, r, s, Options{rest: true})
}

// unsent returns the chunks of rounds that a limit of submitted jobs, or the end of the submission,
// left over: the last round that names them has no job for them.
func unsent(r *slurm.Run, jobs []slurm.Sent) (map[string]bool, error) {
	owed := map[string]bool{}
	for number := 1; number < r.NextRound(); number++ {
		chunks, err := r.Round(number)
		if err != nil {
			return nil, err
		}
		for _, id := range chunks {
			owed[id] = true
		}
		for _, j := range jobs {
			if j.Round != number || j.Outcome != slurm.Submitted && j.Outcome != slurm.Intended {
				continue
			}
			for _, id := range chunks[min(j.Base, len(chunks)):min(j.Base+j.Tasks, len(chunks))] {
				delete(owed, id)
			}
		}
	}
	return owed, nil
}
