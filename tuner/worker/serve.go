// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
)

// Ahead does what opening a device takes and needs none, for a process that opens it later.
var Ahead = func() {}

// Serve is the body of a worker process: it answers requests read from in with replies
// written to out, until in ends. A worker whose parent has died ends at once, even in the
// middle of a trial.
func Serve(in io.Reader, out io.Writer, open func(configs.Device) (kernels.Backend, error)) error {
	runtime.LockOSThread() // a device's context belongs to its thread
	w := &server{open: open, alone: sync.OnceFunc(refuseProcesses)}
	defer w.close()

	requests, parent := make(chan Request), os.Getppid()
	go func() {
		dec := gob.NewDecoder(in)
		for {
			var req Request
			if err := dec.Decode(&req); err != nil {
				// The parent closed the pipe, or is gone: nobody waits for the running
				// trial any more.
				if os.Getppid() != parent {
					os.RemoveAll(w.scratch())
					os.RemoveAll(customFolder(os.Getpid()))
				}
				os.Exit(0)
			}
			requests <- req
		}
	}()

	enc := gob.NewEncoder(out)
	for {
		idle := time.Now()
		req := w.next(requests, idle)
		waited := time.Since(idle)
		rep := w.answer(req)
		switch took := time.Since(idle) - waited; {
		case req.Load != nil:
			rep.Breakdown.Load = took
		case req.Roof, req.Build != nil:
			rep.Breakdown.Start = took
		case req.Trial != nil:
			rep.Breakdown.Trials, rep.Breakdown.Own = 1, took-rep.Breakdown.trial()-rep.Breakdown.Start
		}
		if req.Open == nil { // for which the parent waits, too
			rep.Breakdown.Wait = waited
		}
		if err := enc.Encode(rep); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
}

// awake is how long a worker waits for a request without sleeping. Most come sooner, and to be woken takes a thread
// as long as the parent takes.
const awake = time.Millisecond

// next waits for a request from a moment on. What prepares trials for a GPU does so awake, where there are cores to do it.
func (w *server) next(requests <-chan Request, from time.Time) Request {
	_, gpu := w.backend.(kernels.Packer)
	for gpu && runtime.GOMAXPROCS(0) > 1 && time.Since(from) < awake {
		select {
		case req := <-requests:
			return req
		default:
		}
	}
	return <-requests
}

// A server is the state of a worker process.
type server struct {
	open       func(configs.Device) (kernels.Backend, error)
	alone      func() // keeps this thread from starting processes
	backend    kernels.Backend
	custom     []kernels.Custom
	sensors    Sensors   // nil: there are none, or they can't be read
	y          []float64 // result that is being verified
	ready                // what is loaded
	coming     []ready   // what is read for Loads to come, in their order
	references map[scope]*reference
	checks     checks
	host       hostMeter
	ones       map[kernels.Precision]*reference // of the product of an x of ones, which programs take
	folder     atomic.Pointer[string]           // of programs, see OpenRequest.Scratch
	written    [2]string                        // the files in it, see programFiles
}

func (w *server) close() {
	w.release()
	for _, o := range w.coming {
		o.release()
	}
	if w.backend != nil {
		w.backend.Close()
	}
}

func (w *server) answer(req Request) (rep Reply) {
	var err error
	switch {
	case req.Open != nil:
		err = w.openDevice(*req.Open, &rep)
	case req.Build != nil:
		if host, ok := w.backend.(kernels.Host); ok {
			rep.Unbuilt = host.Build(req.Build)
		}
	case req.Roof:
		var roof kernels.Roof
		if roof, err = w.backend.Roof(); err == nil {
			rep.Roof = &roof
		}
	case req.Load != nil:
		err = w.load(*req.Load, &rep)
	case req.Ready != nil:
		Ahead()
		if o, err := hold(*req.Ready); err == nil { // what is wrong, the Load says
			w.coming = append(w.coming, o)
		}
	case req.Trial != nil:
		os.Stderr.WriteString(newTrial)
		rep = w.trial(*req.Trial)
	}
	if err != nil {
		rep.Err = err.Error()
	}
	return rep
}

func (w *server) openDevice(req OpenRequest, rep *Reply) error {
	b, err := w.open(req.Device)
	if err != nil {
		return err
	}

	w.backend, w.custom = b, req.Custom
	w.folder.Store(&req.Scratch)
	if host, ok := b.(kernels.Host); ok {
		host.Adopt(req.Custom, req.Compiled)
	}
	if _, ok := b.(kernels.Packer); ok { // its thread has a core of its own
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)-1))
	}
	if s, ok := b.(Sensors); ok {
		if _, err := s.Sense(); err != nil {
			rep.NoSensors = err.Error()
		} else {
			w.sensors = s
		}
	}

	dev := b.Device()
	rep.Device = &dev
	if uuid := dev.Properties["uuid"]; req.Device.Index > 0 && uuid != "" {
		os.Setenv("CUDA_VISIBLE_DEVICES", uuid) // for programs, which use the first GPU they see
	}

	rep.Sources = map[string]string{}
	for _, k := range kernels.Catalogue {
		if k.Backend == dev.Backend {
			rep.Sources[k.Name] = b.Source(k.Name)
		}
	}
	for _, o := range req.Custom {
		if o.Backend == dev.Backend {
			rep.Sources[o.Name] = b.Source(o.Name)
		}
		if o.Command != nil && o.Backend == dev.Backend {
			rep.Sources[o.Name] = custom.ProgramSource(o)
		}
	}

	return nil
}

// ready is a matrix and its x in the host's memory.
type ready struct {
	request LoadRequest
	matrix  trial.Matrix
	problem *kernels.Problem
	held    io.Closer // of what the cache has of the matrix, or nil
}

// hold reads or makes a matrix.
func hold(req LoadRequest) (ready, error) {
	a, m, held, err := matrix.Hold(context.Background(), req.Matrix)
	if err != nil {
		return ready{}, err
	}
	return ready{req, m, &kernels.Problem{A: a, X: vector(a.Cols, req.Seed)}, held}, nil
}

// release lets the cache remove the matrix.
func (o *ready) release() {
	if o.held != nil {
		o.held.Close()
	}
	*o = ready{}
}

func (w *server) load(req LoadRequest, rep *Reply) error {
	w.y, w.references, w.checks.seen = nil, nil, nil // free the last one
	w.release()
	if req.Looking {
		m, err := matrix.Describe(context.Background(), req.Matrix, false)
		rep.Matrix = &m
		return err
	}
	i := slices.IndexFunc(w.coming, func(o ready) bool { return reflect.DeepEqual(o.request, req) })
	for range i + 1 { // those before it come no more
		w.release()
		w.ready = w.coming[0]
		w.coming = slices.Delete(w.coming, 0, 1)
	}
	if i < 0 {
		var err error
		if w.ready, err = hold(req); err != nil {
			return err
		}
	}
	if err := w.backend.Load(w.problem); err != nil {
		return fmt.Errorf("loading %s to the device: %w", w.matrix.Name, err)
	}

	w.y = make([]float64, w.problem.A.Rows)
	w.references, w.ones = map[scope]*reference{}, map[kernels.Precision]*reference{}
	rep.Matrix = &w.matrix
	return w.writeForPrograms()
}
