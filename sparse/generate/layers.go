package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

// planPruned keeps the weights of a layer that are large: those of some outputs and of some
// inputs are larger than others, by which their share in what is kept varies, independently, from
// half to one and a half of the mean.
func planPruned(v values) (plan, error) {
	size := denseSize(v)
	importance := func(use uint64, i int) float64 { return 0.5 + unitOf(newSource(v.seed(), use).at(uint64(i))) }
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		input := make([]float64, size.Cols)
		for j := range input {
			input[j] = importance(forOrder, j)
		}
		src := newSource(v.seed(), forStructure)
		return visited(size.Rows, size.Cols, func(i int, visit func(j int)) {
			limit := v["density"] * importance(forLengths, i) * (1 << 32)
			s := src.stream(uint64(i))
			for j, x := range input {
				if float64(s.next()>>32) < limit*x {
					visit(j)
				}
			}
		}, newSource(v.seed(), forValues).value).build(ctx)
	}}, nil
}

// planGroups keeps n of each m consecutive weights of a row.
func planGroups(v values) (plan, error) {
	rows, cols, n, m := v.int("rows"), v.int("cols"), v.int("n"), v.int("m")
	switch {
	case n > m:
		return plan{}, wrong("n", "%d is more than the %d weights of a group", n, m)
	case cols%m != 0:
		return plan{}, wrong("cols", "%d is not a multiple of %d, the weights of a group", cols, m)
	}
	src := newSource(v.seed(), forStructure)
	return assembly{
		rows: rows, cols: cols,
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
	}.plan(rows * (cols / m) * n)
}

// planBlockPruned keeps whole blocks.
func planBlockPruned(v values) (plan, error) {
	b := v.int("block")
	for _, arg := range []string{"rows", "cols"} {
		if v.int(arg)%b != 0 {
			return plan{}, wrong(arg, "%d is not a multiple of %d, the rows of a block", v.int(arg), b)
		}
	}
	kept := func(int) float64 { return v["density"] }
	return bernoulli(v.int("rows")/b, v.int("cols")/b, v.seed(), kept).blocks(b).
		plan(int(math.Round(v["density"]*v["rows"]/v["block"]*v["cols"]/v["block"])) * b * b)
}

// planAttention makes the mask of BigBird: the first tokens see all and are seen by all, each
// other sees its neighbours and random others. Its number of nonzeros is an upper bound where windows
// leave no room for the random blocks.
func planAttention(v values) (plan, error) {
	n, b, global := v.int("rows"), v.int("block"), min(v.int("rows"), v.int("global"))
	rest := n - global // a band of rest rows and columns
	w := max(0, min(v.int("window"), rest-1))
	band := rest + 2*w*rest - w*(w+1)
	nnz := global*n + rest*global + band + rest*min(v.int("random"), rest)

	// around returns the window of token i, and how many others it sees.
	around := func(i int) (lo, hi, random int) {
		lo, hi = max(global, i-v.int("window")), min(n, i+v.int("window")+1)
		return lo, hi, min(v.int("random"), n-global-(hi-lo))
	}
	src := newSource(v.seed(), forStructure)
	return assembly{
		rows: n, cols: n,
		length: func(i int) int {
			if i < global {
				return n
			}
			lo, hi, random := around(i)
			return global + hi - lo + random
		},
		fill: func(i int, columns []int32) {
			run(columns, 0)
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
			run(columns[global+before:][:hi-lo], int32(lo))
		},
		value: newSource(v.seed(), forValues).value,
	}.blocks(b).plan(nnz * b * b)
}
