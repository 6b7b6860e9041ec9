package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// A Round is one submission: chunks, as arrays of tasks, and the job that ends it.
type Round struct {
	Number int `json:"round"`
	// Jobs are those that were sent.
	Jobs []slurm.Sent `json:"jobs"`
	// Rest is the number of chunks that were not sent, because of Limit.
	Rest int `json:"rest,omitempty"`
	// Limit is what bounds the jobs that are submitted at once: max_submit, or a limit of Slurm's.
	Limit string `json:"limit,omitempty"`
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
	if config.MaxJobs > 0 && min(chunks+1, cmp.Or(s.MaxSubmit, chunks+1)) > config.MaxJobs {
		return config, fmt.Errorf("%d tasks are more than the %d jobs that the cluster keeps at once (MaxJobCount): "+
			"make each task longer with chunk in [slurm], or send fewer at a time with max_submit",
			chunks, config.MaxJobs)
	}

	// A QOS may allow more time than the partition.
	for kind := range s.Kinds() {
		one := s.Of(kind)
		if one.Time == "" || one.QOS != "" {
			continue
		}
		limit, err := c.Limit(ctx, one.Partition)
		if err == nil {
			err = limit.Check(one.Time)
		}
		if err != nil {
			return config, err
		}
	}

	return config, nil
}
