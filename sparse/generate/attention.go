package generate

import (
	"context"

	"spmvtune/sparse"
)

// planAttention is an upper bound where windows leave no room for the random blocks.
func planAttention(v values) (Size, error) {
	n, b := v.int("rows"), v.int("block")
	global := min(n, v.int("global"))
	rest := n - global // a band of rest rows and columns
	w := max(0, min(v.int("window"), rest-1))
	band := rest + 2*w*rest - w*(w+1)
	nnz := global*n + rest*global + band + rest*min(v.int("random"), rest)
	return Size{Rows: n * b, Cols: n * b, NNZ: nnz * b * b}, nil
}

// buildAttention makes the mask of BigBird: the first tokens see all and are seen by all, each
// other sees its neighbours and random others.
func buildAttention(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	global := min(n, v.int("global"))
	// around returns the window of token i, and how many others it sees.
	around := func(i int) (lo, hi, random int) {
		lo, hi = max(global, i-v.int("window")), min(n, i+v.int("window")+1)
		return lo, hi, min(v.int("random"), n-global-(hi-lo))
	}

	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			if i < global {
				return n
			}
			lo, hi, random := around(i)
			return global + hi - lo + random
		},
		fill: func(i int, columns []int32) {
			for k := range columns {
				columns[k] = int32(k)
			}
			if i < global {
				return
			}

			lo, hi, random := around(i)
			s := src.stream(uint64(i))
			others := columns[global : global+random]
			sample(others, n-global-(hi-lo), &s)
			before := 0
			for before < random && int(others[before])+global < lo {
				before++
			}

			// What lies beyond the window makes room for it.
			for k := random - 1; k >= before; k-- {
				columns[global+hi-lo+k] = others[k] + int32(global+hi-lo)
			}
			for k := range before {
				others[k] += int32(global)
			}
			for k := range hi - lo {
				columns[global+before+k] = int32(lo + k)
			}
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.blocks(v.int("block")).build(ctx)
}
