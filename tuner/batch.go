package tuner

import (
	"math"
	"slices"

	"spmvtune/kernels"
)

// shortest is the least time, in seconds, that a warm sample is made to last, by taking
// several products as one sample.
const shortest = 50e-6

// lasting is how long a warm sample has to last, in seconds, for the resolution of the
// clock to be at most half of the target.
func lasting(resolution, target float64) float64 {
	return max(shortest, 2*resolution/target)
}

// batch returns how many products make a warm sample of at least least seconds, if
// single ones take so long.
//
// Starting and stopping the clock around a product costs time, too: about 1 µs by the
// events of a GPU, a third of the shortest products. A batch has that cost once, so
// that it is made long enough for it to be below half of the target: then larger ones
// say the same.
func batch(p kernels.Product, single []float64, least, target float64) (int, error) {
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
		enough := int(math.Ceil(max(least, 2*(once-each)/target) / each))
		if n >= enough {
			break
		}
		n = enough
	}
	return n, nil
}
