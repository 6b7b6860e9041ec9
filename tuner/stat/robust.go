package stat

import (
	"math"
	"slices"
)

// A Cell is a block size and a grid size; 0 where a kernel has no such choice.
type Cell struct{ Block, Grid int }

// A Grid holds the median times of one kernel with one set of parameters.
type Grid map[Cell]float64

// Robust returns how fast a cell is with its surroundings: the mean of its time and
// those of the next smaller and larger block at its grid, and the next smaller and
// larger grid at its block, as far as they were measured.
//
// A lucky trial among slow ones loses by that, as does a block size on a cliff. On
// grids measured three times on an H100, to take the grid in as well as the block
// named the same configuration more often.
func (g Grid) Robust(at Cell) float64 {
	sum, n := g[at], 1.0
	for _, along := range []func(Cell) (int, bool){
		func(c Cell) (int, bool) { return c.Block - at.Block, c.Grid == at.Grid },
		func(c Cell) (int, bool) { return c.Grid - at.Grid, c.Block == at.Block },
	} {
		below, above := math.MinInt, math.MaxInt
		var low, high float64
		for c, median := range g {
			switch d, on := along(c); {
			case !on || d == 0:
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

// A Choice is one of a tie set.
type Choice struct {
	Cell
	Kernel, Params string
	Robust         float64 // see Grid
}

// commonBlock is the block size that suits most kernels on most devices: of choices
// that are as good, the one next to it surprises least.
const commonBlock = 256

// Represent returns the index of the choice that stands for a tie set: of those whose
// robust time is within half of the effect that counts of the lowest, the one with the
// block size nearest to 256, the smaller grid, and then the first in the alphabet. All
// these are the same choice for what is measured; that it is the same one each time is
// worth more than what is left of their difference.
func Represent(choices []Choice, effect float64) int {
	least := math.Inf(1)
	for _, c := range choices {
		least = min(least, c.Robust)
	}
	order := make([]int, 0, len(choices))
	for i, c := range choices {
		if c.Robust <= (1+effect/2)*least {
			order = append(order, i)
		}
	}
	return slices.MinFunc(order, func(i, j int) int { return prefer(choices[i], choices[j]) })
}

// distance is that of a block size from the common one, in powers of two. A kernel
// without the choice has none to be wrong about.
func distance(block int) float64 {
	if block == 0 {
		return 0
	}
	return math.Abs(math.Log2(float64(block) / commonBlock))
}
