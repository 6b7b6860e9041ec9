package cluster

import (
	"context"
	"fmt"
	"os"

	"spmvtune/analysis"
	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// measure measures the chunk, on one backend after the other. Being told to stop is no error.
func (t *task) measure(ctx context.Context) error {
	if err := t.run.CheckPrograms(); err != nil {
		return err
	}
	sweep, err := t.run.TaskSweep()
	if err != nil {
		return err
	}
	sweep.Slurm = sweep.Slurm.Of(t.work.Chunk.Kind)
	t.stop.warnBy(sweep.Slurm.Signal)
	backends, err := t.backends(ctx, sweep)
	if ctx.Err() != nil {
		return nil // finding the devices was interrupted
	}
	if err != nil {
		return err
	}

	// Every run of the tuner has a ledger, before the first begins: what has not begun is not
	// complete.
	for range backends {
		t.ledgers = append(t.ledgers, &ledger{})
	}
	for i, backend := range backends {
		if ctx.Err() != nil {
			return nil
		}
		if err := t.runPart(ctx, sweep.Only(backend), t.ledgers[i]); err != nil {
			return err
		}
	}

	return nil
}

// backends finds the devices that the sweep needs, makes sure that the run may use them, and
// returns the backends to measure on.
func (t *task) backends(ctx context.Context, sweep *configs.Sweep) ([]string, error) {
	var found []kernels.Device
	for _, backend := range sweep.Backends() {
		d, err := findDevice(ctx, backend, sweep)
		if err == nil {
			found = append(found, d)
			if d.Properties["pinned"] == "no" {
				t.log.printf("note: other processes of this program use the processors that slurm gave to this task, " +
					"and slurm confines none of them: workers are not pinned, and times are unreliable; set " +
					"exclusive = true in [slurm]")
			}
			continue
		}
		// As in run, GPU kernels are skipped if nobody asked for a GPU.
		if asked, _ := slurm.AskedGPUs(sweep.Slurm); backend != "cuda" || asked || len(found) == 0 {
			return nil, err
		}
		t.log.printf("note: skipping GPU kernels: %v", err)
	}

	return t.run.PinDevices(t.work, sweep.Slurm, found)
}

// findDevice describes the device of a backend.
func findDevice(ctx context.Context, backend string, sweep *configs.Sweep) (kernels.Device, error) {
	if backend == "cuda" {
		return findGPUs(ctx, sweep)
	}
	b, err := hardware.OpenBackend(configs.Device{Backend: backend})
	if err != nil {
		return kernels.Device{}, err
	}
	return b.Device(), b.Close()
}

// findGPUs describes the first GPU of a task, and gives the sweep all that the task uses.
func findGPUs(ctx context.Context, sweep *configs.Sweep) (kernels.Device, error) {
	const again = " in [slurm], and submit the sweep again"
	n := sweep.Slurm.GPUsPerTask
	found, err := hardware.UseGPUs(ctx, &sweep.Device, n)
	switch {
	case err != nil && found.Count > 0:
		err = command.WithHint(fmt.Errorf("gpus_per_task is %d, and %w", n, err),
			"ask for enough by gres, gpus or exclusive"+again)
	case err != nil:
		names := term.Some(hardware.KernelNames(sweep.Only("cuda")), command.FewNames)
		err = command.WithHint(fmt.Errorf("this sweep needs a GPU (%s) and none answers: %w", names, err),
			"ask for one by gres or gpus"+again)
	}
	return found.Device, err
}

// runPart measures the pieces of the chunk on one backend.
func (t *task) runPart(ctx context.Context, part *configs.Sweep, into *ledger) error {
	launch, err := hardware.LaunchWorker(part.Device.Backend)
	if err != nil {
		return err
	}
	log := &progressLog{log: t.log}
	byRule, err := analysis.NewChooser(ctx, part)
	if err != nil {
		return err
	}

	opt := tuner.Options{
		Launch: launch, Version: command.ThisBuild().String(), Node: t.work.Node, Job: t.work.Job,
		Pieces: t.work.Chunk.Pieces, Observe: log.Observe,
		Accept: func(m trial.Matrix) error { return t.run.PinMatrix(t.work, m) },
	}

	byRule.Use(&opt)
	into.Summary, err = tuner.Run(ctx, part, t.journal, opt)
	return hardware.ExplainGPU(err)
}

// facts returns what the journal says of a run besides where it measured.
func (t *task) facts(run tuner.RunInfo) map[string]string {
	facts := map[string]string{"attempt": fmt.Sprint(t.work.Attempt)}
	for _, name := range []string{"clock_khz", "memory_clock_khz"} {
		if v := run.Device.Properties[name]; v != "" {
			facts[name] = v
		}
	}
	if visible := os.Getenv("CUDA_VISIBLE_DEVICES"); visible != "" && run.Device.Backend == "cuda" {
		facts["visible"] = visible
	}
	return facts
}

// A ledger is what one run of the tuner, on one backend, says at its end. It is empty if the run
// has not begun.
type ledger struct{ tuner.Summary }

// has lists the trials of a piece on this backend that are in a journal. lacks says why these are not
// all; "" if they are. Each GPU of the run may have measured a share of the piece.
func (l *ledger) has(p trial.Piece) (ids []trial.IDs, lacks string) {
	lacks = "not begun"
	for _, q := range l.Pieces {
		if !p.Overlaps(q) {
			continue
		}
		if !q.Complete {
			return nil, q.Reason
		}
		ids, lacks = append(ids, q.IDs), ""
	}

	return ids, lacks
}

// account says which pieces are complete on all backends that have a ledger. lacks says why the
// first incomplete one is not. Without ledgers, nothing has begun.
func account(pieces []trial.Piece, ledgers []*ledger) (list []trial.Piece, complete int, lacks string) {
	if len(ledgers) == 0 {
		ledgers = []*ledger{{}}
	}
	for _, p := range pieces {
		reason := ""
		var ids []trial.IDs
		for _, l := range ledgers {
			if reason == "" {
				var some []trial.IDs
				some, reason = l.has(p)
				ids = append(ids, some...)
			}
		}

		end := trial.Piece{Matrix: p.Matrix, Part: p.Part, Complete: reason == "", Reason: reason}
		if end.Complete {
			end.IDs = trial.Unite(ids...)
		}
		list = append(list, end)
		switch {
		case reason == "":
			complete++
		case lacks == "":
			lacks = p.Matrix + ": " + reason
		}
	}

	return list, complete, lacks
}

// sumOf adds up what all runs of a task did.
func sumOf(ledgers []*ledger) (sum tuner.Summary) {
	for _, l := range ledgers {
		sum.Add(l.Summary)
	}
	return sum
}
