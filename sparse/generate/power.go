package generate

import (
	"context"

	"spmvtune/sparse"
)

// Real and imaginary part, or angle and magnitude, of a bus.
const perBus = 2

func planPower(v values) (Size, error) {
	n := v.int("buses")
	lines := n - 1 + loopsBefore(v, n)
	return Size{Rows: n * perBus, Cols: n * perBus, NNZ: (n + 2*lines) * perBus * perBus}, nil
}

// loopsBefore is how many of the buses before i have a second line to a bus before them.
func loopsBefore(v values, i int) int { return int(float64(i) * (v["degree"] - 2) / 2) }

// buildPower ties each bus to one before it, which makes a tree, and some to a second one. Of the
// lines to the first, a share of d^−0.8 leads at least d buses back; of the others d^−0.4. What would
// lead beyond the first bus begins again, so that none is a hub.
func buildPower(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("buses")
	src := newSource(v.seed(), forStructure)
	tree := assembly{
		rows: n, cols: n,
		length: func(i int) int { return min(i, 1) + loopsBefore(v, i+1) - loopsBefore(v, i) },
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			for k := range columns {
				columns[k] = int32(i - 1 - heavy(s.unit(), []float64{0.8, 0.4}[k], 1<<40)%i)
			}
			if len(columns) < 2 {
				return
			}

			if columns[0] == columns[1] { // another one, which there is: no loop is among the first two buses
				columns[1] = (columns[1] + 1) % int32(i)
			}
			if columns[0] > columns[1] {
				columns[0], columns[1] = columns[1], columns[0]
			}
		},
	}
	m, err := tree.symmetric(ctx, everywhere)
	if err != nil {
		return nil, err
	}

	a := rowsOf(m).blocks(perBus)
	a.value = newSource(v.seed(), forValues).symmetricValue
	return a.build(ctx)
}
