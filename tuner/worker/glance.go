package worker

import (
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A glance goes on for glanceShare of a trial's budget, but for mostGlances products at most.
const (
	mostGlances = 100
	glanceShare = 0.1
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

// glance times single products and reports whether r is hopeless: whether each of them is
// slower than best, in seconds, by more than the factor proto.Slow and a launch, and so is the
// product that was verified, which took first. One that is not ends the glance, so that a product which the
// system interrupted condemns no trial. Where there is no best yet (0), no trial is hopeless.
//
// A hopeless trial is over. It has taken the time of two of its products, one to verify and
// one to time, or a tenth of its budget if that is more; or of one, if the device timed the
// product to verify, and that is enough. It was compared with the reference but not with
// probes. Its interval is known if there are enough products for one; otherwise Low and High
// stay 0.
func glance(p kernels.Product, proto configs.Protocol, best, first float64, r *trial.Result) (hopeless bool, err error) {
	if proto.Slow <= 0 || best <= 0 {
		return false, nil
	}
	limit := proto.Slow*best + launching
	if first <= limit {
		return false, nil
	}

	if one := p.Info().Multiplied; one > limit && AtOnce(one, best) {
		condemn(r, p, []float64{one})
		return true, nil
	}

	start := time.Now()
	var times []float64
	for len(times) < mostGlances {
		one := make([]float64, 1)
		if err := p.Sample(one, 1, r.Cache == trial.Cold); err != nil {
			return false, err
		}
		if one[0] <= limit {
			return false, nil
		}
		times = append(times, one[0])
		if time.Since(start).Seconds() >= glanceShare*proto.Budget.Seconds() {
			break
		}
	}

	condemn(r, p, times)
	return true, nil
}

// condemn ends r with the times of single products.
func condemn(r *trial.Result, p kernels.Product, times []float64) {
	r.Samples, r.Batch, r.Stop = times, 1, trial.StopSlow
	i := newInterval(slices.Sorted(slices.Values(times)), p.Info().Resolution)
	if r.Median = i.mid; i.covered >= confidence {
		r.Low, r.High = i.low, i.high
	}
}
