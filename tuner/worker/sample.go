package worker

import (
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

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
		longest := longestSample(proto)
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

		switch i := newInterval(slices.Sorted(slices.Values(r.Samples)), tick); {
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
