package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// cutting is a plan, and what was asked from Slurm for it.
type cutting struct {
	plan  slurm.Plan
	sweep *configs.Sweep // with its matrices settled
	most  int            // tasks in an array
	asked bool           // Slurm has answered
	notes []string
}

// slurmArray is Slurm's own MaxArraySize, where a cluster has no other.
const slurmArray = 1001

// cutSweep settles the matrices of a sweep and cuts it into chunks that fit into the
// time limit of its tasks. With f.dry set nothing is downloaded, and a Slurm that is
// not there or does not answer is only a note.
func cutSweep(ctx context.Context, alarm io.Writer, client *sbatch.Client, sweep *configs.Sweep, f submitFlags) (cutting, error) {
	c := cutting{most: slurmArray}
	limit, err := c.ask(ctx, client, sweep.Slurm)
	if err != nil {
		if !f.dry || ctx.Err() != nil {
			return c, err
		}
		note := fmt.Sprintf("%v; arrays of %d tasks, Slurm's default, are assumed", err, slurmArray)
		if c.asked {
			note = "submit would refuse this: " + err.Error()
		}
		c.notes = append(c.notes, note)
	}
	var said []string
	if f.dry {
		c.sweep, said, err = show.ForeseeSweep(sweep, f.offline)
	} else {
		c.sweep, said, err = show.ResolveSweep(ctx, alarm, sweep, f.offline)
	}
	if err != nil {
		return c, err
	}
	c.notes = append(c.notes, said...)
	c.plan, err = slurm.Cut(c.sweep, slurm.CutOptions{Target: sweep.Slurm.Chunk, Limit: limit, Devices: expected(ctx, sweep.Slurm)})
	if err != nil {
		return c, err
	}
	if f.dry && c.asked {
		if _, err := submit.Ready(ctx, client, sweep.Slurm, len(c.plan.Chunks)); err != nil {
			c.notes = append(c.notes, "submit would refuse this: "+err.Error())
		}
	}
	if asked, _ := slurm.AskedGPUs(sweep.Slurm); !asked && slices.Contains(sweep.Backends(), "cuda") {
		c.notes = append(c.notes, "the sweep has kernels for a GPU, and [slurm] asks for none (gres or gpus): tasks measure what runs without")
	}
	return c, nil
}

// ask asks Slurm how long arrays may be, and how long tasks; 0: as long as they like.
func (c *cutting) ask(ctx context.Context, client *sbatch.Client, s configs.Slurm) (time.Duration, error) {
	own, _ := sbatch.ParseTime(s.Time)
	config, err := client.Config(ctx)
	if err != nil {
		return own, err
	}
	c.most, c.asked = config.MaxArraySize, true
	if config.Unconfined && !s.Exclusive {
		c.notes = append(c.notes, "this cluster does not confine jobs to their processors (TaskPlugin): those of others on a node disturb what is measured there; exclusive = true in [slurm] keeps them away")
	}
	if s.Time != "" {
		return own, nil
	}
	limit, err := client.Limit(ctx, s.Partition)
	return limit.Default, err
}

// expected are the devices that tasks are supposed to find: the plan needs only
// about how many multiprocessors or cores, and how large a cache, they have.
func expected(ctx context.Context, s configs.Slurm) map[string]kernels.Device {
	const lastLevelCache = 32 << 20 // of a common server's processor
	gpu, err := hardware.AssumeGPU(ctx, nil)
	devices := map[string]kernels.Device{"cpu": {Backend: "cpu", Units: max(s.CPUs, 1), Cache: lastLevelCache}}
	if err == nil {
		devices["cuda"] = gpu.Device
	}
	return devices
}

// testSubmit asks Slurm whether the jobs of a sweep could ever start.
func testSubmit(ctx context.Context, w io.Writer, client *sbatch.Client, sweep *configs.Sweep, f submitFlags) error {
	run, err := slurm.New(f.root, sweep, command.Version())
	if err != nil {
		return err
	}
	said, err := submit.TestOnly(ctx, client, run, sweep.Slurm)
	var refused *sbatch.RefusedError
	if errors.As(err, &refused) {
		err = command.WithHint(err, "such a job would never start: change [slurm] in the sweep")
	}
	if err != nil {
		return err
	}
	if f.json_ {
		return term.WriteJSON(w, map[string]any{"task": said[0], "finish": said[1]})
	}
	fmt.Fprintf(w, "a task: %s\nthe job that merges: %s\nsuch jobs can start; nothing was submitted\n", said[0], said[1])
	return nil
}
