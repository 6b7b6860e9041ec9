package generate

import (
	"context"
	"fmt"
	"math"

	"spmvtune/sparse"
)

func planPruned(v values) (Size, error) { return planCells(v) }

// buildPruned keeps the weights of a layer that are large: those of some outputs and of some
// inputs are larger than others, by which their share in what is kept varies, independently, from
// half to one and a half of the mean.
func buildPruned(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	cols := v.int("cols")
	importance := func(use uint64, i int) float64 { return 0.5 + unitOf(newSource(v.seed(), use).at(uint64(i))) }
	input := make([]float64, cols)
	for j := range input {
		input[j] = importance(forOrder, j)
	}

	src := newSource(v.seed(), forStructure)
	each := func(i int, visit func(j int)) {
		limit := v["density"] * importance(forLengths, i) * (1 << 32)
		s := src.stream(uint64(i))
		for j, x := range input {
			if float64(s.next()>>32) < limit*x {
				visit(j)
			}
		}
	}

	return visited(v.int("rows"), cols, each, newSource(v.seed(), forValues).value).build(ctx)
}

func planGroups(v values) (Size, error) {
	rows, cols, n, m := v.int("rows"), v.int("cols"), v.int("n"), v.int("m")
	switch {
	case n > m:
		return Size{}, &ArgError{"nm_pruned", "n", fmt.Sprintf("%d is more than the %d weights of a group", n, m)}
	case cols%m != 0:
		return Size{}, &ArgError{"nm_pruned", "cols", fmt.Sprintf("%d is no multiple of %d, the weights of a group",
			cols, m)}
	}
	return Size{Rows: rows, Cols: cols, NNZ: rows * (cols / m) * n}, nil
}

// buildGroups keeps n of each m consecutive weights of a row.
func buildGroups(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	cols, n, m := v.int("cols"), v.int("n"), v.int("m")
	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: v.int("rows"), cols: cols,
		length: func(int) int { return cols / m * n },
		fill: func(i int, columns []int32) {
			s, k := src.stream(uint64(i)), 0
			for j := range cols { // Knuth's Algorithm S in each group
				if left, need := m-j%m, (j/m+1)*n-k; s.below(left) < need {
					columns[k] = int32(j)
					k++
				}
			}
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

func planBlockPruned(v values) (Size, error) {
	for _, arg := range []string{"rows", "cols"} {
		if v.int(arg)%v.int("block") != 0 {
			return Size{}, &ArgError{"block_pruned", arg, fmt.Sprintf("%d is no multiple of %d, the rows of a block",
				v.int(arg), v.int("block"))}
		}
	}
	b := v["block"]
	return Size{Rows: v.int("rows"), Cols: v.int("cols"),
		NNZ: int(math.Round(v["density"]*v["rows"]/b*v["cols"]/b)) * v.int("block") * v.int("block")}, nil
}

// buildBlockPruned keeps whole blocks.
func buildBlockPruned(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	b := v.int("block")
	kept := func(int) float64 { return v["density"] }
	return bernoulli(v.int("rows")/b, v.int("cols")/b, v.seed(), kept).blocks(b).build(ctx)
}

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
