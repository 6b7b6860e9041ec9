package worker

import (
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A glance takes at most mostGlances products, and no further one once they have used
// glanceShare of a trial's budget.
const (
	mostGlances = 3
	glanceShare = 0.1
)

// glance times a product and reports whether r is hopeless: slower than best, in seconds,
// by more than the factor proto.Slow. Then the trial is over. Its time is known from one
// product, from a few where these are short, and an interval is not: Low and High stay 0.
// Where there is no best yet (0), no trial is hopeless.
//
// So a trial takes at most the time of two of its products, one to verify and one to time,
// beside its budget. A hopeless one was compared with the reference, but not with probes.
func glance(p kernels.Product, proto configs.Protocol, best float64, r *trial.Result) (hopeless bool, err error) {
	if !(proto.Slow > 0 && best > 0) {
		return false, nil
	}

	start := time.Now()
	var times []float64
	for len(times) == 0 || len(times) < mostGlances && time.Since(start).Seconds() < glanceShare*proto.Budget.Seconds() {
		one := make([]float64, 1)
		if err := p.Sample(one, 1, r.Cache == trial.Cold); err != nil {
			return false, err
		}
		if one[0] <= proto.Slow*best {
			return false, nil
		}
		times = append(times, one[0])
	}

	r.Samples, r.Batch, r.Stop = times, 1, trial.StopSlow
	r.Median, _, _, _ = median(slices.Sorted(slices.Values(times)))
	return true, nil
}
