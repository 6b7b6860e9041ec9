package worker

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// Serve is the body of a worker process: it answers requests read from in with
// replies written to out until in ends. A worker whose parent has died ends at
// once, also in the middle of a trial.
func Serve(in io.Reader, out io.Writer, open func(configs.Device) (kernels.Backend, error)) error {
	runtime.LockOSThread() // a device's context belongs to its thread
	w := &server{open: open}
	defer w.Close()
	requests := make(chan Request)
	go func() {
		dec := gob.NewDecoder(in)
		for {
			var req Request
			if err := dec.Decode(&req); err != nil {
				// The parent closed the pipe, or is gone. Nobody waits for the
				// running trial any more.
				os.Exit(0)
			}
			requests <- req
		}
	}()
	enc := gob.NewEncoder(out)
	for req := range requests {
		if err := enc.Encode(w.answer(req)); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
	return nil
}

// worker is the state of a worker process.
type server struct {
	open       func(configs.Device) (kernels.Backend, error)
	backend    kernels.Backend
	sensors    Sensors // nil: the device has none, or they can't be read
	problem    *kernels.Problem
	y          []float64 // the result being verified
	matrix     trial.Matrix
	references map[scope]*reference
	overflows  map[kernels.Precision]error
}

// A scope is what the error bound of a reference depends on.
type scope struct {
	precision kernels.Precision
	window    int // 0: a row's own entries
}

func (w *server) Close() {
	if w.backend != nil {
		w.backend.Close()
	}
}

func (w *server) answer(req Request) (rep Reply) {
	var err error
	switch {
	case req.Open != nil:
		err = w.openDevice(*req.Open, &rep)
	case req.Roof:
		var roof kernels.Roof
		if roof, err = w.backend.Roof(); err == nil {
			rep.Roof = &roof
		}
	case req.Load != nil:
		err = w.load(*req.Load, &rep)
	case req.Trial != nil:
		rep = w.trial(*req.Trial)
	}
	if err != nil {
		rep.Err = err.Error()
	}
	return rep
}

func (w *server) openDevice(d configs.Device, rep *Reply) error {
	b, err := w.open(d)
	if err != nil {
		return err
	}
	w.backend = b
	if s, ok := b.(Sensors); ok {
		if _, err := s.Sense(); err != nil {
			rep.NoSensors = err.Error()
		} else {
			w.sensors = s
		}
	}
	dev := b.Device()
	rep.Device = &dev
	rep.Sources = map[string]string{}
	for _, k := range kernels.Catalogue {
		if k.Backend == dev.Backend {
			rep.Sources[k.Name] = b.Source(k.Name)
		}
	}
	return nil
}

func (w *server) load(req LoadRequest, rep *Reply) error {
	w.problem, w.y, w.references, w.overflows = nil, nil, nil, nil // free the one before
	a, m, err := matrix.Load(context.Background(), req.Matrix)
	if err != nil {
		return err
	}
	w.problem = &kernels.Problem{A: a, X: vector(a.Cols, req.Seed)}
	if err := w.backend.Load(w.problem); err != nil {
		return fmt.Errorf("loading %s to the device: %w", m.Name, err)
	}
	w.matrix = m
	w.y = make([]float64, a.Rows)
	w.references = map[scope]*reference{}
	w.overflows = map[kernels.Precision]error{}
	rep.Matrix = &m
	return nil
}

// trial verifies and measures one configuration. Whatever goes wrong is a
// result too.
func (w *server) trial(req TrialRequest) (rep Reply) {
	r := &trial.Result{Trial: req.Trial, Status: trial.OK, Measurement: Version}
	rep.Result = r
	start := time.Now()
	// A collection in the middle of a sample would be measured.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() {
		if p := recover(); p != nil {
			r.Status, r.Message, rep.Spoiled = trial.Fault, fmt.Sprint("panic: ", p), true
		}
		if r.Status != trial.OK { // a half-measured trial has no figures
			r.Samples, r.Median, r.Low, r.High, r.Batch, r.Stop = nil, 0, 0, 0, 0, ""
			r.Telemetry, r.Warnings = nil, nil
		}
		r.At = time.Now().UTC()
		r.Seconds = time.Since(start).Seconds()
	}()
	err := w.measure(req, r, &rep.Effort)
	var invalid *kernels.InvalidError
	switch {
	case err == nil:
	case errors.As(err, &invalid):
		r.Status, r.Message = trial.Invalid, err.Error()
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
	start := time.Now()
	p, err := w.backend.Prepare(r.Config)
	if err != nil {
		return err
	}
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

	if err := w.verify(p, ref, r, e); err != nil || r.Status == trial.Wrong {
		return err
	}
	if err := sample(metered{p, e}, e.sensing(w.sensors), req.Protocol, req.Best, r); err != nil {
		return err
	}
	// Again: a kernel that works once only, because of what a product leaves
	// behind, would have been timed doing something else.
	first := *r
	if err := w.verify(p, ref, r, e); err != nil {
		return err
	}
	if r.Status == trial.Wrong {
		r.Message = "after the first product: " + r.Message
		return nil
	}
	if first.MaxError > r.MaxError {
		r.MaxError, r.WorstRow = first.MaxError, first.WorstRow
	}
	summarise(r, info.Resolution/float64(r.Batch))
	r.Warnings = append(r.Warnings, p.Info().Warnings...)
	return nil
}

// verify computes the product once and compares it with ref. A result outside
// the bound makes r wrong.
func (w *server) verify(p kernels.Product, ref *reference, r *trial.Result, e *Effort) error {
	defer spend(&e.Verify, time.Now())
	if err := p.Multiply(w.y); err != nil {
		return err
	}
	if r.MaxError, r.WorstRow = ref.check(w.y); r.MaxError > 1 {
		r.Status = trial.Wrong
		r.Message = fmt.Sprintf("row %d (from 0) is %g, should be %g ± %.3g",
			r.WorstRow, w.y[r.WorstRow], ref.hi[r.WorstRow], ref.bound[r.WorstRow])
		r.MaxError = min(r.MaxError, math.MaxFloat64)
	}
	return nil
}

// reference returns the reference of a scope, computed when first needed.
func (w *server) reference(s scope) (*reference, error) {
	if err := w.overflows[s.precision]; err != nil {
		return nil, err
	}
	if ref := w.references[s]; ref != nil {
		return ref, nil
	}
	var ref *reference
	if s.window == 0 {
		var err error
		if ref, err = newReference(w.problem, s.precision); err != nil {
			w.overflows[s.precision] = err
			return nil, err
		}
	} else {
		rows, err := w.reference(scope{precision: s.precision})
		if err != nil {
			return nil, err
		}
		// Each block size has windows of its own: only the last is kept.
		maps.DeleteFunc(w.references, func(old scope, _ *reference) bool { return old.window != 0 })
		ref = rows.inWindows(w.problem, s.precision, s.window)
	}
	w.references[s] = ref
	return ref, nil
}
