package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/slurm/adopt"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// A cutting is a plan, with what Slurm said about it.
type cutting struct {
	plan  slurm.Plan
	sweep *configs.Sweep // sweep is the sweep with its matrices resolved.
	most  int            // most is the largest number of tasks in an array.
	asked bool           // asked says that Slurm has answered.
	// refused says that submit would refuse this.
	refused bool
	notes   []string
	// adopted is what an earlier run has measured; nil: nothing.
	adopted *adopt.Match
	// left is the plan without the chunks that are measured.
	left slurm.Plan
}

// slurmArray is Slurm's default MaxArraySize.
const slurmArray = 1001

// cut resolves the matrices of the sweep and cuts it into chunks that fit into the time limit of
// its tasks. A dry run downloads nothing, and a Slurm that is missing or silent is only a note.
func (c *submitCommand) cut(ctx context.Context) (cutting, error) {
	cut := cutting{most: slurmArray}
	for _, name := range slices.Sorted(maps.Keys(c.sweep.Slurm.Environment)) {
		cut.notes = append(cut.notes, fmt.Sprintf("%s=%s counts, because [slurm] says nothing else", name,
			c.sweep.Slurm.Environment[name]))
	}
	limit, err := cut.ask(ctx, c.client, c.sweep.Slurm)
	if err != nil {
		if !c.dryRun || ctx.Err() != nil {
			return cut, err
		}
		note := fmt.Sprintf("%v; arrays of %d tasks, Slurm's default, are assumed", err, slurmArray)
		if cut.refused = cut.asked; cut.refused {
			note = "submit would refuse this: " + err.Error()
		}
		cut.notes = append(cut.notes, note)
	}
	if err := c.resolve(ctx, &cut); err != nil {
		return cut, err
	}

	options := slurm.CutOptions{Target: c.sweep.Slurm.Chunk, Limit: limit, Devices: expected(ctx, c.sweep.Slurm)}
	if err := c.adopt(ctx, &cut); err != nil {
		return cut, err
	}
	if cut.adopted != nil {
		options.Left = cut.adopted.Left
	}
	if cut.plan, err = slurm.Cut(cut.sweep, options); err != nil {
		return cut, err
	}
	for _, chunk := range cut.plan.Chunks {
		if cut.adopted == nil || !cut.adopted.Complete(chunk) {
			cut.left.Chunks = append(cut.left.Chunks, chunk)
		}
	}
	if c.dryRun && cut.asked && !cut.refused {
		if _, err := submit.Ready(ctx, c.client, c.sweep.Slurm, len(cut.left.Chunks)); err != nil {
			cut.notes, cut.refused = append(cut.notes, "submit would refuse this: "+err.Error()), true
		}
	}

	asked, _ := slurm.AskedGPUs(c.sweep.Slurm.Of(0))
	if !asked && !c.prepareOnly && slices.Contains(c.sweep.Backends(), "cuda") {
		cut.notes = append(cut.notes, "the sweep has GPU kernels, but [slurm] asks for no GPU (gres or gpus): "+
			"tasks measure only what runs without one")
	}

	return cut, nil
}

// resolve finds out what the matrices of the sweep are here.
func (c *submitCommand) resolve(ctx context.Context, cut *cutting) (err error) {
	var notes []string
	if c.dryRun || c.testOnly {
		cut.sweep, notes, err = show.ForeseeSweep(c.sweep, c.offline)
	} else {
		cut.sweep, notes, err = show.ResolveSweep(ctx, c.alarm, c.sweep, c.offline)
	}
	cut.notes = append(cut.notes, notes...)
	return err
}

// ask asks Slurm how long arrays may be, and how long tasks may take; 0 if there is no limit. Without a
// client, only the sweep says so.
func (c *cutting) ask(ctx context.Context, client *sbatch.Client, s configs.Slurm) (time.Duration, error) {
	own, _ := sbatch.ParseTime(s.Time)
	if client == nil {
		return own, nil
	}
	config, err := client.Config(ctx)
	if err != nil {
		return own, err
	}
	c.most, c.asked = config.MaxArraySize, true
	if config.Unconfined && !s.Exclusive {
		c.notes = append(c.notes, "this cluster does not confine jobs to their processors (TaskPlugin): "+
			"other jobs on a node disturb measurements; exclusive = true in [slurm] keeps them away")
	}

	if s.Time != "" {
		return own, nil
	}
	var shortest time.Duration
	for kind := range s.Kinds() {
		limit, err := client.Limit(ctx, s.Of(kind).Partition)
		if err != nil {
			return 0, err
		}
		if shortest == 0 || limit.Default > 0 && limit.Default < shortest {
			shortest = limit.Default
		}
	}
	return shortest, nil
}

// expected returns the devices that tasks probably find. The plan only needs the rough number of
// multiprocessors or cores, and the size of the cache.
func expected(ctx context.Context, s configs.Slurm) map[string]kernels.Device {
	const lastLevelCache = 32 << 20 // of a common server's processor
	devices := map[string]kernels.Device{"cpu": {Backend: "cpu", Units: max(s.CPUs, 1), Cache: lastLevelCache}}
	if gpu, err := hardware.AssumeGPU(ctx, nil); err == nil {
		devices["cuda"] = gpu.Device
	}
	return devices
}
