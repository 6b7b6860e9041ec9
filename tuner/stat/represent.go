package stat

import (
	"math"
	"slices"

	"spmvtune/kernels"
)

// A Grid holds the median times of configurations that differ in block and grid only.
type Grid map[kernels.Config]float64

// Robust returns how fast a configuration is with its surroundings: the mean of its time
// and those of the next smaller and larger block at its grid, and the next smaller and
// larger grid at its block, as far as they were measured.
//
// A lucky trial among slow ones loses by that, as does a block size on a cliff. On
// grids measured three times on an H100, to take the grid in as well as the block
// named the same configuration more often.
func (g Grid) Robust(at kernels.Config) float64 {
	sum, n := g[at], 1.0
	for _, along := range []func(kernels.Config) (int, bool){
		func(c kernels.Config) (int, bool) { return c.Block - at.Block, c.Grid == at.Grid },
		func(c kernels.Config) (int, bool) { return c.Grid - at.Grid, c.Block == at.Block },
	} {
		below, above := math.MinInt, math.MaxInt
		var low, high float64
		for c, median := range g {
			switch d, on := along(c); {
			case !on:
			case d < 0 && d > below:
				below, low = d, median
			case d > 0 && d < above:
				above, high = d, median
			}
		}
		if below != math.MinInt {
			sum, n = sum+low, n+1
		}
		if above != math.MaxInt {
			sum, n = sum+high, n+1
		}
	}

	return sum / n
}

// commonBlock is the block size that suits most kernels on most devices. Among
// configurations that are as good, the one next to it surprises least.
const commonBlock = 256

// Represent returns the index of the configuration that stands for a tie set: of those
// whose robust time is within half of the effect that counts of the lowest, the one with
// the block size nearest to 256, the smaller grid, and then the first in the alphabet. All
// these are as good, as far as was measured; that it is the same one each time is worth
// more than what is left of their difference.
func Represent(configs []kernels.Config, robust []float64, effect float64) int {
	least := slices.Min(robust)
	named := -1
	for i, r := range robust {
		if r <= (1+effect/2)*least && (named < 0 || prefer(configs[i], configs[named]) < 0) {
			named = i
		}
	}
	return named
}

// distance returns how far a block size is from the common one, in powers of two. A kernel
// without the choice is at distance 0.
func distance(block int) float64 {
	if block == 0 {
		return 0
	}
	return math.Abs(math.Log2(float64(block) / commonBlock))
}
