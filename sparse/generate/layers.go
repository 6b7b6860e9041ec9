package generate

import (
	"math"
)

// planPruned keeps the weights of a layer that are large: those of some outputs and of some
// inputs are larger than others, by which their share in what is kept varies, independently, from
// half to one and a half of the mean.
func planPruned(v values) (plan, error) {
	size := denseSize(v)
	importance := func(use uint64, i int) float64 { return 0.5 + unitOf(newSource(v.seed(), use).at(uint64(i))) }
	return prepared(v, size, source.value, func() rowDraw {
		input := make([]float64, size.Cols)
		for j := range input {
			input[j] = importance(forOrder, j)
		}
		return func(i int, s *stream, columns []int32) []int32 {
			limit := v["density"] * importance(forLengths, i) * (1 << 32)
			for j, x := range input {
				if float64(s.next()>>32) < limit*x {
					columns = append(columns, int32(j))
				}
			}
			return columns
		}
	})
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
	size := Size{Rows: rows, Cols: cols, NNZ: rows * (cols / m) * n}
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		k := 0
		for j := range cols { // Knuth's Algorithm S in each group
			if left, need := m-j%m, (j/m+1)*n-k; s.below(left) < need {
				columns = append(columns, int32(j))
				k++
			}
		}
		return columns
	})
}

// planBlockPruned keeps whole blocks.
func planBlockPruned(v values) (plan, error) {
	b := v.int("block")
	for _, arg := range []string{"rows", "cols"} {
		if v.int(arg)%b != 0 {
			return plan{}, wrong(arg, "%d is not a multiple of %d, the rows of a block", v.int(arg), b)
		}
	}
	inner := Size{Rows: v.int("rows") / b, Cols: v.int("cols") / b,
		NNZ: int(math.Round(v["density"] * v["rows"] / v["block"] * v["cols"] / v["block"]))}
	row := bernoulli(inner.Cols, func(int) float64 { return v["density"] })
	return blocked(v, inner, b, source.value, inner.pattern(v, row))
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

	inner := square(n, nnz)
	row := func(i int, s *stream, columns []int32) []int32 {
		if i < global {
			return run(columns, 0, n)
		}
		lo, hi := max(global, i-v.int("window")), min(n, i+v.int("window")+1)
		rest := n - global - (hi - lo)
		columns, others := room(run(run(columns, 0, global), lo, hi-lo), min(v.int("random"), rest))
		sample(others, rest, s)
		for k := range others {
			if others[k] += int32(global); int(others[k]) >= lo { // what lies beyond the window makes room for it
				others[k] += int32(hi - lo)
			}
		}
		return columns
	}
	return blocked(v, inner, b, source.value, inner.pattern(v, row))
}
