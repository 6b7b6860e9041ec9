package worker

import (
	"math"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// shortest is the least time, in seconds, that a warm sample is made to last, by taking
// several products as one sample.
const ShortestSample = 50e-6

// lasting is how long a warm sample has to last, in seconds, for the resolution of the
// clock to be at most half of the target. longest is the most that it may last.
func lasting(resolution, target, longest float64) float64 {
	return max(ShortestSample, min(2*resolution/target, longest))
}

// longestSample is how long a warm sample may last, in seconds, for the fewest samples to fit
// into the budget of a trial.
func longestSample(p configs.Protocol) float64 {
	return p.Budget.Seconds() / float64(p.Samples[0])
}

// batch returns how many products make a warm sample of at least least seconds, if
// single ones take so long.
//
// Starting and stopping the clock around a product costs time, too: about 1 µs by the
// events of a GPU, a third of the shortest products. A batch has that cost once, so
// that it is made long enough for it to be below half of the target: then larger ones
// say the same. But no batch is made longer than longest for it.
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
