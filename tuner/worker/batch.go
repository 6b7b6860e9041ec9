package worker

import (
	"math"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// ShortestSample is the least time, in seconds, that a warm sample lasts: several products
// make one sample if need be.
const ShortestSample = 50e-6

// lasting returns how long a warm sample has to last, in seconds, for the resolution of the
// clock to be at most half of the target. It is at most longest.
func lasting(resolution, target, longest float64) float64 {
	return max(ShortestSample, min(2*resolution/target, longest))
}

// longestSample returns how long a warm sample may last, in seconds, for the fewest samples
// to fit into the budget of a trial.
func longestSample(p configs.Protocol) float64 {
	return p.Budget.Seconds() / float64(p.Samples[0])
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
		enough := int(math.Ceil(max(least, min(2*(once-each)/target, longest)) / each))
		if n >= enough {
			break
		}
		n = enough
	}

	return n, nil
}
