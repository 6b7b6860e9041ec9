package tuner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Historian is a recorder that knows how long trials took on a device.
type Historian interface {
	// History calls each with the good trials on devices of this model, without samples,
	// and with the size of their matrix.
	History(ctx context.Context, dev kernels.Device, each func(trial.Result, trial.Size)) error
}

// A history is what was measured on a device, as far as a forecast needs it.
type history struct {
	// trials are the recorded ones, by kernel and precision (the other fields of the
	// configuration are zero) and then by matrix.
	trials map[kernels.Config]map[string][]trial.Result
	sizes  map[string]trial.Size // by matrix
	// factors say how much longer trials took than the model says, by matrix: the machine,
	// and the day, differ more than anything else.
	factors map[string]float64
	usual   float64 // the factor of matrices that are not among them
}

// readHistory asks a recorder, which may be nil or know nothing.
func readHistory(ctx context.Context, rec Recorder, p configs.Protocol, dev kernels.Device) (history, error) {
	h := history{
		trials: map[kernels.Config]map[string][]trial.Result{},
		sizes:  map[string]trial.Size{}, factors: map[string]float64{}, usual: 1,
	}

	historian, is := rec.(Historian)
	if !is {
		return h, nil
	}

	ratios := map[string][]float64{}
	err := historian.History(ctx, dev, func(r trial.Result, size trial.Size) {
		at := kernels.Config{Kernel: r.Kernel, Precision: r.Precision}
		if h.trials[at] == nil {
			h.trials[at] = map[string][]trial.Result{}
		}
		h.trials[at][r.Matrix] = append(h.trials[at][r.Matrix], r)
		h.sizes[r.Matrix] = size
		if r.Seconds > 0 && r.Stop != trial.StopSlow { // which takes two products, not the usual number
			ratios[r.Matrix] = append(ratios[r.Matrix], r.Seconds/trialTime(r.Median, size, r.Trial, p, dev))
		}
	})
	if err != nil {
		return h, fmt.Errorf("reading how long trials took: %w", err)
	}

	for m, list := range ratios {
		h.factors[m] = stat.Median(slices.Sorted(slices.Values(list)))
	}
	if len(h.factors) > 0 {
		h.usual = stat.Median(slices.Sorted(maps.Values(h.factors)))
	}
	return h, nil
}

// product returns about how long a product takes in seconds, and whether the kernel was
// measured on this matrix; 0 if nothing is known of the kernel.
//
// On the same matrix it is the time of the nearest configuration. Otherwise it is the
// geometric mean over the other matrices, in proportion to their bytes. That is no better
// than a guess: how a kernel suits a structure is what sweeps are for.
func (h history) product(t trial.Trial, size trial.Size) (seconds float64, same bool) {
	matrices := h.trials[kernels.Config{Kernel: t.Kernel, Precision: t.Precision}]
	if list := matrices[t.Matrix]; len(list) > 0 {
		return nearest(t, list).Median, true
	}
	if len(matrices) == 0 {
		return 0, false
	}

	var mean stat.GeometricMean
	for _, m := range slices.Sorted(maps.Keys(matrices)) { // in order, for the same sum each time
		mean.Add(nearest(t, matrices[m]).Median * bytesOf(size, t.Precision) / bytesOf(h.sizes[m], t.Precision))
	}
	return mean.Value(), false
}

// nearest returns the result whose block and grid are the fewest doublings away. Other
// parameters count as one and a half, another cache state as three.
func nearest(t trial.Trial, list []trial.Result) trial.Result {
	best, least := list[0], math.Inf(1)
	for _, o := range list {
		d := doublings(t.Block, o.Block) + doublings(t.Grid, o.Grid)
		if t.Params != o.Params {
			d += 1.5
		}
		if t.Cache != o.Cache {
			d += 3
		}
		if d < least {
			best, least = o, d
		}
	}

	return best
}

func doublings(a, b int) float64 {
	return math.Abs(math.Log2(float64(max(a, 1)) / float64(max(b, 1))))
}

// factor returns how much longer trials on a matrix take than the model says.
func (h history) factor(matrix string) float64 {
	if f, known := h.factors[matrix]; known {
		return f
	}
	return h.usual
}
