package cluster

import (
	"context"
	"fmt"
	"os"
	"slices"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/job"
	"spmvtune/internal/mistake"
	"spmvtune/internal/term"
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
	ledgers := make([][]*ledger, len(backends))
	for i, backend := range backends {
		for range workersOn(backend, sweep.Slurm) {
			ledgers[i] = append(ledgers[i], &ledger{})
		}
	}

	t.ledgers = slices.Concat(ledgers...)

	for i, backend := range backends {
		if ctx.Err() != nil {
			return nil
		}
		part := sweep.Only(backend)
		if len(ledgers[i]) > 1 {
			err = t.sideBySide(ctx, part, ledgers[i], slices.Concat(ledgers[:i]...))
		} else {
			err = t.runPart(ctx, part, t.main, "", ledgers[i][0])
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// workersOn is the number of workers that measure on a backend at once.
func workersOn(backend string, s configs.Slurm) int {
	if backend == "cuda" {
		return max(s.GPUsPerTask, 1)
	}
	return 1 // several would share the processor
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

// findDevice describes the device of a backend. Several GPUs must all answer and be of one model.
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

// findGPUs describes the model of the GPUs of a task.
func findGPUs(ctx context.Context, sweep *configs.Sweep) (first kernels.Device, err error) {
	const again = " in [slurm], and submit the sweep again"
	n := workersOn("cuda", sweep.Slurm)
	for i := range n {
		d, err := hardware.FindCUDA(ctx, sweep.Device.Index+i)
		switch {
		case err != nil && i == 0:
			names := term.Some(hardware.KernelNames(sweep.Only("cuda")), command.FewNames)
			err = fmt.Errorf("this sweep needs a GPU (%s) and none answers: %w", names, err)
			return d, command.WithHint(err, "ask for one by gres or gpus"+again)
		case err != nil:
			err = fmt.Errorf("gpus_per_task is %d and only %d answer: %w", n, i, err)
			return d, command.WithHint(err, "ask for enough by gres, gpus or exclusive"+again)
		case i == 0:
			first = d
		case d.Name != first.Name:
			err = fmt.Errorf("the GPUs of a task differ: one is %s and another %s", first.Name, d.Name)
			return d, command.WithHint(err, "set gpus_per_task = 1"+again)
		}
	}

	return first, nil
}

// sideBySide measures a part of the sweep by several workers. Each has its own device, journal and
// share of every piece. When one can't go on, the others end after their running trial. before are
// the ledgers of what was measured first.
func (t *task) sideBySide(ctx context.Context, part *configs.Sweep, ledgers, before []*ledger) error {
	for i := range ledgers {
		l, err := t.newLane(ctx, i+1, shares(t.main.pieces, i, len(ledgers)))
		if err != nil {
			return err
		}
		l.ledgers = append(slices.Clone(before), ledgers[i])
		t.workers = append(t.workers, l)
	}

	group, ctx := mistake.NewGroup(ctx)
	for i, l := range t.workers {
		own := *part
		own.Device.Index += i
		group.Go(func() error {
			return t.runPart(ctx, &own, l, fmt.Sprintf("gpu %d: ", own.Device.Index), ledgers[i])
		})
	}

	return group.Wait()
}

// runPart measures the pieces of a lane on one device.
func (t *task) runPart(ctx context.Context, part *configs.Sweep, l lane, name string, into *ledger) error {
	launch, err := hardware.LaunchWorker(part.Device.Backend)
	if err != nil {
		return err
	}
	log := &laneLog{log: t.log, name: name}
	byRule, err := job.NewChooser(ctx, part)
	if err != nil {
		return err
	}

	opt := tuner.Options{
		Launch: launch, Version: command.Version(), Node: t.work.Node, Job: t.work.Job,
		Parts: partsOf(l.pieces), Observe: log.Observe,
		Accept: func(m trial.Matrix) error { return t.run.PinMatrix(t.work, m) },
	}

	byRule.Use(&opt)
	into.Summary, err = tuner.Run(ctx, part, l.journal, opt)
	return hardware.ExplainGPU(err)
}

// facts returns what the journal of a worker says besides where it measured.
func (t *task) facts(worker int) func(tuner.RunInfo) map[string]string {
	return func(run tuner.RunInfo) map[string]string {
		facts := map[string]string{"attempt": fmt.Sprint(t.work.Attempt)}
		if worker > 0 {
			facts["worker"] = fmt.Sprint(worker)
		}
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
}
