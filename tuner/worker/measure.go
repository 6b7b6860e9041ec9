// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
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
			r.Samples, r.Median, r.WithinLow, r.WithinHigh, r.Batch, r.Stop = nil, 0, 0, 0, 0, ""
			r.Telemetry, r.Warnings = nil, nil
		}
		if r.Status == trial.Wrong && w.isCustom(r.Kernel) { // who knows what else it has written
			rep.Spoiled = true
		}
		r.At = time.Now().UTC()
		r.Seconds = (time.Since(start) - rep.Breakdown.Start).Seconds()
		if _, is := w.program(r.Kernel); !is { // whose processor time would be that of others
			r.Host = w.host.use(before, w.readHost(req.Protocol))
		}
		if w.isCustom(r.Kernel) && !rep.Spoiled && goesOn() {
			r.Warnings = append(r.Warnings, "threads of the kernel go on computing after it has returned")
			rep.Spoiled = true
		}
	}()

	err := w.measure(req, r, &rep.Breakdown)
	switch {
	case err == nil:
	case errors.As(err, new(*kernels.InvalidError)):
		r.Status, r.Message = trial.Invalid, err.Error()
	case errors.As(err, new(*kernels.OverrunError)):
		r.Status, r.Message, rep.Spoiled = trial.Wrong, err.Error(), true
	case errors.Is(err, kernels.ErrMemory):
		r.Status, r.Message, rep.Spoiled = trial.OOM, err.Error(), true
	default:
		r.Status, r.Message, rep.Spoiled = trial.Fault, err.Error(), true
	}

	return rep
}

func (w *server) measure(req TrialRequest, r *trial.Result, e *TimeBreakdown) error {
	if w.problem == nil || r.Trial.Matrix != w.matrix.Hash {
		return errors.New("the trial's matrix is not loaded")
	}

	if o, is := w.program(r.Kernel); is {
		return w.runProgram(o, req, r, e)
	}

	if w.isCustom(r.Kernel) && w.backend.Device().Backend == "cpu" {
		w.alone()
	}
	start := time.Now()
	if ahead, is := w.backend.(kernels.Packer); is {
		ahead.Pack(req.Next)
	}
	defer func() { e.Busy = cmp.Or(e.Busy, e.Kernels+e.Launch) }()
	p, err := w.backend.Prepare(r.Config, kernels.Options{Fresh: req.Fresh, Launch: req.Protocol.Launch})
	if err != nil {
		return err
	}
	defer w.confine(r.Kernel)()
	defer func() { e.Busy = p.Info().Busy }()
	info := p.Info()
	ref, err := w.reference(scope{r.Precision, info.Window})
	if err != nil {
		return &kernels.InvalidError{Reason: err.Error()}
	}

	e.Start = info.Loading
	Spend(&e.Prepare, start.Add(e.Start))
	r.Prepare = info.Prepare.Seconds()
	r.BytesMin = bytesMin(w.matrix.Features, r.Precision, info)
	r.BytesOwn = info.BytesKernel
	r.Properties = info.Properties

	w.checks.begin(r, req.Full || w.isCustom(r.Kernel))
	sampled := info.Loaded && FirstSampled(r.Cache, req.Protocol, req.Best)
	first, err := w.first(p, sampled, e)
	if err != nil {
		return err
	}
	// Single samples come before the device reads the reference, which would fill its caches.
	hopeless, err := rejectEarly(metered{p, e}, req.Protocol, req.Best, first, sampled, r)
	if err != nil {
		return err
	}
	if err := w.verify(p, ref, r, "", e); err != nil || r.Status == trial.Wrong || hopeless {
		return err
	}
	if err := w.probe(p, ref, r, e); err != nil || r.Status == trial.Wrong {
		return err
	}

	// What the samples leave behind shows whether they were products. A kernel that works once only, because of what a
	// product leaves behind, would have been timed doing something else. One that works in its first launches only leaves
	// the y of one of these, but can't complete the y of one product more.
	timed := func() error { return sample(metered{p, e}, e.sensing(w.sensors), req.Protocol, req.Best, r) }
	last := func() error { _, err := w.first(p, false, e); return err }
	for _, step := range []func() error{timed, last} {
		if err := p.Poison(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
		if err := w.verify(p, ref, r, "after the samples: ", e); err != nil || r.Status == trial.Wrong {
			return err
		}
	}

	summarize(r, info.Resolution/float64(r.Batch))
	r.Warnings = append(r.Warnings, p.Info().Warnings...)
	return nil
}

// ShortestSample is the least time, in seconds, that a warm sample lasts: several products
// make one sample if need be.
const ShortestSample = 50e-6

// lasting returns how long a warm sample has to last, in seconds, for the resolution of the
// clock to be at most half of the target. It is at most longest.
func lasting(resolution, target, longest float64) float64 {
	return max(ShortestSample, min(2*resolution/target, longest))
}

// batch returns how many products make a warm sample of at least least seconds, where
// single holds the times of single products.
//
// Starting and stopping the clock around a product costs time, too: about 1 µs by the
// events of a GPU, a third of the shortest products. A batch has that cost once. It is
// made long enough for the cost to be below half of the target, beyond which larger
// batches give the same time, but not longer than longest.
func batch(p kernels.Product, single []float64, least, target, longest float64) (int, error) {
	once := slices.Min(single)
	if once >= least {
		return 1, nil
	}

	each := max(once, 1e-9) // seconds of a product in a batch
	n := int(math.Ceil(least / each))
	for range 3 {
		trial := make([]float64, 1)
		if err := p.Sample(trial, n, false); err != nil {
			return 0, err
		}
		each = max(min(each, trial[0]), 1e-9)
		lasts := max(least, min(2*(once-each)/target, longest))
		if float64(n)*each >= lasts {
			break
		}
		// What a longer batch shows asks for a little more. Each look makes a GPU a graph of n products.
		n = int(math.Ceil(min(lasts*6/5, max(least, longest)) / each))
	}

	return n, nil
}

// sample takes samples of p until the interval of their median is narrow enough, or as
// narrow as the clock can tell, or the most samples are taken, or the budget is used up.
// The fewest samples are taken in any case, and no more if they show that p is far slower
// than best, in seconds (0: there is no best yet). Samples during which the device
// throttled are taken again, within a bound.
func sample(p kernels.Product, sensors Sensors, proto configs.Protocol, best float64, r *trial.Result) error {
	start := time.Now()
	cold := r.Cache == trial.Cold

	// The warm-up also tells how long a product takes.
	warm := make([]float64, max(proto.Warmup, 1))
	err := p.Sample(warm, 1, cold)
	if err != nil {
		return err
	}

	resolution := p.Info().Resolution
	if r.Batch = 1; !cold {
		// The fewest samples fit into the budget of a trial.
		longest := proto.Budget.Seconds() / float64(proto.Samples[0])
		if r.Batch, err = batch(p, warm, lasting(resolution, proto.Target, longest), proto.Target,
			longest); err != nil {
			return err
		}
	}

	tick := resolution / float64(r.Batch)
	fewest, most := proto.Samples[0], proto.Samples[1]
	r.Samples = make([]float64, 0, most)
	meter := newMeter(sensors, cold)
	defer meter.finish(r)

	for next := fewest; ; {
		n := len(r.Samples)
		r.Samples = r.Samples[:n+next]
		if err := p.Sample(r.Samples[n:], r.Batch, cold); err != nil {
			return err
		}
		elapsed := time.Since(start)
		if meter.took(r.Samples[n:], r.Batch, elapsed >= proto.Budget) {
			r.Samples = r.Samples[:n]
			continue
		}
		n += next

		switch i := newInterval(r.Samples, tick); {
		case i.within(proto.Target):
			r.Stop = trial.StopTarget
		case n >= most:
			r.Stop = trial.StopSamples
		case n == fewest && proto.Slow > 0 && best > 0 && i.mid > proto.Slow*best:
			r.Stop = trial.StopSlow
		case i.narrowest:
			r.Stop = trial.StopClock
		case elapsed >= proto.Budget:
			r.Stop = trial.StopBudget
		default:
			// Grow by a quarter, but not beyond what the budget leaves room for.
			left := float64(proto.Budget-elapsed) / float64(elapsed) * float64(n)
			next = max(1, min(n/4, most-n, int(left)))
			continue
		}
		return nil
	}
}

// To reject a trial early takes rejectShare of its budget at most, and mostRejectProducts products.
const (
	mostRejectProducts = 100
	rejectShare        = 0.1
)

// A single product's time has its launch in it, which takes a GPU 4 to 6 µs; of the best's time, of
// many products in one launch, it is a small part.
const launching = 10e-6 // seconds

// A product that takes longLook and is FarSlower than the best needs no second one, if a clock
// of the device tells: to load a kernel, which is in the first product, takes milliseconds.
const (
	longLook  = 50e-3 // seconds
	FarSlower = 50
)

// AtOnce reports whether the first product of a GPU shows that a trial is hopeless, by its time
// and that of the best, in seconds.
func AtOnce(product, best float64) bool { return product > max(longLook, FarSlower*best) }

// flushing is about how long it takes a GPU to flush its caches, in seconds.
const flushing = 100e-6

// FirstSampled reports whether the first product of a GPU's trial is taken as a sample, if its code is loaded, so that no
// second one shows whether the trial is hopeless. Only caches that were flushed are as a cold sample finds them; the
// poison leaves others than a warm one has. Of short products a flush more takes longer than the second one.
func FirstSampled(cache trial.Cache, proto configs.Protocol, best float64) bool {
	return cache == trial.Cold && proto.Slow*best > flushing
}

// rejectEarly times single products and reports whether r is hopeless: whether each of them is
// slower than best, in seconds, by more than the factor proto.Slow and a launch, and so is the
// product before, which took first. One that is not ends that, so that a product which the
// system interrupted rejects no trial. Where there is no best yet (0), no trial is hopeless.
//
// A hopeless trial is over once its y is compared with the reference; there are no probes. It has taken the time
// of two of its products, or a tenth of its budget if that is more; or of one, if the first was sampled, or the device
// timed it, and that is enough. Its interval is known if there are enough products for one; otherwise Low and High
// stay 0.
func rejectEarly(p kernels.Product, proto configs.Protocol, best, first float64, sampled bool, r *trial.Result) (
	hopeless bool, err error,
) {
	limit := math.Inf(1)
	if proto.Slow > 0 && best > 0 {
		limit = proto.Slow*best + launching
	}
	if first <= limit {
		return false, nil
	}

	if one := p.Info().Multiplied; one > limit && AtOnce(one, best) {
		reject(r, p, []float64{one})
		return true, nil
	}

	start, spent := time.Now(), 0.0
	var times []float64
	if sampled {
		times, spent = []float64{first}, first
	}
	for len(times) == 0 || len(times) < mostRejectProducts &&
		spent+time.Since(start).Seconds() < rejectShare*proto.Budget.Seconds() {
		one := make([]float64, 1)
		if err := p.Sample(one, 1, r.Cache == trial.Cold); err != nil {
			return false, err
		}
		if one[0] <= limit {
			return false, nil
		}
		times = append(times, one[0])
	}

	reject(r, p, times)
	return true, nil
}

// reject ends r with the times of single products.
func reject(r *trial.Result, p kernels.Product, times []float64) {
	r.Samples, r.Batch, r.Stop = times, 1, trial.StopSlow
	i := newInterval(times, p.Info().Resolution)
	if r.Median = i.mid; i.covered >= confidence {
		r.WithinLow, r.WithinHigh = i.low, i.high
	}
}
