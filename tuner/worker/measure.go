package worker

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// trial verifies and measures one configuration. Whatever goes wrong is a result, too.
func (w *server) trial(req TrialRequest) (rep Reply) {
	r := &trial.Result{Trial: req.Trial, Status: trial.OK, Measurement: Version}
	rep.Result = r
	start, before := time.Now(), w.readHost(req.Protocol)

	// A garbage collection in the middle of a sample would be measured.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() {
		if p := recover(); p != nil {
			r.Status, r.Message, rep.Spoiled = trial.Fault, fmt.Sprint("panic: ", p), true
		}
		if r.Status != trial.OK { // a half-measured trial has no times
			r.Samples, r.Median, r.Low, r.High, r.Batch, r.Stop = nil, 0, 0, 0, 0, ""
			r.Telemetry, r.Warnings = nil, nil
		}
		if r.Status == trial.Wrong && w.isOwn(r.Kernel) { // who knows what else it has written
			rep.Spoiled = true
		}
		r.At = time.Now().UTC()
		r.Seconds = time.Since(start).Seconds()
		if _, is := w.program(r.Kernel); !is { // whose processor time would be that of others
			r.Host = w.host.use(before, w.readHost(req.Protocol))
		}
		if w.isOwn(r.Kernel) && !rep.Spoiled && goesOn() {
			r.Warnings = append(r.Warnings, "threads of the kernel go on computing after it has returned")
			rep.Spoiled = true
		}
	}()

	err := w.measure(req, r, &rep.Effort)
	var invalid *kernels.InvalidError

	var overrun *kernels.OverrunError
	switch {
	case err == nil:
	case errors.As(err, &invalid):
		r.Status, r.Message = trial.Invalid, err.Error()
	case errors.As(err, &overrun):
		r.Status, r.Message, rep.Spoiled = trial.Wrong, err.Error(), true
	case errors.Is(err, kernels.ErrMemory):
		r.Status, r.Message, rep.Spoiled = trial.OOM, err.Error(), true
	default:
		r.Status, r.Message, rep.Spoiled = trial.Fault, err.Error(), true
	}

	return rep
}

func (w *server) measure(req TrialRequest, r *trial.Result, e *Effort) error {
	if w.problem == nil || r.Trial.Matrix != w.matrix.Hash {
		return errors.New("the trial's matrix is not loaded")
	}

	if o, is := w.program(r.Kernel); is {
		return w.runProgram(o, req, r, e)
	}

	if w.isOwn(r.Kernel) && w.backend.Device().Backend == "cpu" {
		w.alone()
	}
	start := time.Now()
	p, err := w.backend.Prepare(r.Config, kernels.Options{Fresh: req.Fresh, Launch: req.Protocol.Launch})
	if err != nil {
		return err
	}
	defer w.confine(r.Kernel)()
	info := p.Info()
	ref, err := w.reference(scope{r.Precision, info.Window})
	if err != nil {
		return &kernels.InvalidError{Reason: err.Error()}
	}

	spend(&e.Prepare, start)
	r.Prepare = info.Prepare.Seconds()
	r.BytesMin = bytesMin(w.matrix.Features, r.Precision, info)
	r.BytesOwn = info.BytesKernel
	r.Properties = info.Properties

	first, err := w.verify(p, ref, r, e)
	if err != nil || r.Status == trial.Wrong {
		return err
	}
	hopeless, err := glance(metered{p, e}, req.Protocol, req.Best, first, r)
	if err != nil || hopeless {
		return err
	}
	if err := w.probe(p, ref, r, e); err != nil || r.Status == trial.Wrong {
		return err
	}

	// What the samples leave behind shows whether they were products.
	if err := p.Poison(); err != nil {
		return err
	}
	if err := sample(metered{p, e}, e.sensing(w.sensors), req.Protocol, req.Best, r); err != nil {
		return err
	}

	if err := w.verifyTimed(p, ref, r, e); err != nil || r.Status == trial.Wrong {
		return err
	}

	summarize(r, info.Resolution/float64(r.Batch))
	r.Warnings = append(r.Warnings, p.Info().Warnings...)
	return nil
}
