package tuner

import (
	"math"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// shortest is the time that a warm sample is made to last, by taking several
// products as one sample: a hundred times the resolution of the clocks in use
// (tens of nanoseconds on a CPU, half a microsecond for CUDA events).
const shortest = 50e-6

// sample takes samples of p until the interval of their median is narrow
// enough, the most samples are taken, or the budget is used up. The fewest
// samples are taken in any case. Those during which the device throttled are taken
// again, within a bound.
func sample(p kernels.Product, sensors Sensors, cold bool, proto configs.Protocol, r *Result) error {
	start := time.Now()
	// The warm-up also tells how long a product takes.
	warm := make([]float64, max(proto.Warmup, 1))
	if err := p.Sample(warm, 1, cold); err != nil {
		return err
	}
	r.Batch = 1
	if once := warm[len(warm)-1]; !cold && once < shortest {
		r.Batch = int(math.Ceil(shortest / max(once, 1e-9)))
	}
	fewest, most := proto.Samples[0], proto.Samples[1]
	r.Samples = make([]float64, 0, most)
	meter := newMeter(sensors)
	defer meter.finish(r, cold)
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
		switch {
		case within(r.Samples, proto.Target):
			r.Stop = StopTarget
		case n >= most:
			r.Stop = StopSamples
		case elapsed >= proto.Budget:
			r.Stop = StopBudget
		default:
			// Grow by a quarter, but not beyond what the budget leaves room for.
			left := float64(proto.Budget-elapsed) / float64(elapsed) * float64(n)
			next = max(1, min(n/4, most-n, int(left)))
			continue
		}
		return nil
	}
}
