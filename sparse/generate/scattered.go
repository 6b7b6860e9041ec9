// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math"
	"slices"

	"example.org/spmvtune/sparse"
)

func planUniform(v values) (plan, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols) {
		return plan{}, wrong("row_nnz", "%v is more than the %d columns", v["row_nnz"], cols)
	}
	share := v["row_nnz"] / max(1, float64(cols))
	return drawn(v, Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, source.value,
		bernoulli(cols, func(int) float64 { return share }))
}

// bernoulli makes every entry of row i a nonzero with probability share(i). It skips from one
// nonzero of a row to the next by geometrically distributed gaps (Batagelj and Brandes, Phys.
// Rev. E 71, 2005), so that columns come sorted, distinct, and in time linear in the nonzeros.
func bernoulli(cols int, share func(i int) float64) rowDraw {
	return func(i int, s *stream, columns []int32) []int32 {
		// The scale is −0 if the share is 1, where all gaps are 0; −∞ if it is 0, where none ends.
		scale := 1 / math.Log1p(-share(i))
		for j := 0; ; j++ {
			gap := math.Log(s.unit()) * scale
			if !(gap < float64(cols-j)) { // beyond the row, or 0·∞
				return columns
			}
			j += int(gap)
			columns = append(columns, int32(j))
		}
	}
}

func planGiant(v values) (plan, error) {
	n, short, long := v.int("rows"), v.int("row_nnz"), v.int("giant")
	for _, arg := range []string{"row_nnz", "giant"} {
		if v.int(arg) > n {
			return plan{}, wrong(arg, "%d is more than the %d columns", v.int(arg), n)
		}
	}
	giant := int(math.Round(v["position"] * float64(n-1)))
	size := square(n, (n-1)*short+long)
	size.Longest = max(short, long)
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		length := short
		if i == giant {
			length = long
		}
		columns, added := room(columns, length)
		spread(added, n, s)
		return columns
	})
}

// room makes columns longer by n.
func room(columns []int32, n int) (all, added []int32) {
	all = slices.Grow(columns, n)[:len(columns)+n]
	return all, all[len(columns):]
}

// spread chooses len(columns) of n columns: one at random from each of as many
// equal parts, so that they are sorted, distinct and exactly as many as asked.
func spread(columns []int32, n int, s *stream) {
	lo := 0
	for k := range columns {
		hi := (k + 1) * n / len(columns)
		columns[k] = int32(lo + s.below(hi-lo))
		lo = hi
	}
}

func planRMAT(v values) (plan, error) {
	if v["a"]+v["b"]+v["c"] > 1+1e-12 { // 1 but for rounding is 1
		return plan{}, wrong("a", "a + b + c must not pass 1; the rest is the lower right quadrant's probability")
	}
	n, symmetric := 1<<v.int("scale"), v.int("symmetric") == 1
	count := int(math.Round(v["edge_factor"] * float64(n)))
	size := Size{Rows: n, Cols: n, NNZ: count}
	if symmetric {
		size.NNZ *= 2
	}
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		edges, err := drawRMAT(ctx, v, count)
		if err != nil {
			return nil, err
		}
		return fromEdges(ctx, edges, n, symmetric, v.seed())
	}}, nil
}

// An edge leads from a row to a column.
type edge struct{ row, col int32 }

// drawRMAT draws edges: at each of scale levels, from the most significant bit of row and
// column on, one of four quadrants. Edge e has its own random numbers, one for two levels.
func drawRMAT(ctx context.Context, v values, count int) ([]edge, error) {
	a, b, c := v["a"], v["b"], v["c"]
	// A level's random number is 32 bits wide; these split it in quadrants.
	split := func(p float64) uint64 { return uint64(math.Round(min(p, 1) * (1 << 32))) }
	right, lower, lowerRight := split(a), split(a+b), split(a+b+c)

	src := newSource(v.seed(), forStructure)
	scale := v.int("scale")
	edges := make([]edge, count)
	return edges, parallel(ctx, len(edges), func(e int) {
		s := src.stream(uint64(e))
		var row, col, r uint64
		for level := range scale {
			if level%2 == 0 {
				r = s.next()
			} else {
				r >>= 32
			}

			u := r & (1<<32 - 1)
			// Differences' sign bits instead of branches, which nobody can predict.
			pastRight, pastLower, pastLowerRight := (right-1-u)>>63, (lower-1-u)>>63, (lowerRight-1-u)>>63
			row = row<<1 | pastLower
			col = col<<1 | (pastRight ^ pastLower ^ pastLowerRight)
		}
		edges[e] = edge{int32(row), int32(col)}
	})
}

// collect gathers the columns of each of n rows: row i's are
// columns[start[i]:start[i+1]], in no useful order. If symmetric, every edge
// off the diagonal counts in both directions.
func collect(edges []edge, n int, symmetric bool) (start, columns []int32) {
	each := func(do func(row, col int32)) {
		for _, e := range edges {
			do(e.row, e.col)
			if symmetric && e.row != e.col {
				do(e.col, e.row)
			}
		}
	}

	// start is shifted by one while it serves as the rows' write positions.
	start = make([]int32, n+2)
	each(func(row, _ int32) { start[row+2]++ })
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	columns = make([]int32, start[n+1])
	each(func(row, col int32) {
		columns[start[row+1]] = col
		start[row+1]++
	})
	return start[:n+1], columns
}

// meanSize is that of a mean row of at most half of the columns: rows must be able to differ.
func meanSize(v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols)/2 {
		return Size{}, wrong("row_nnz", "%v is more than half of the %d columns", v["row_nnz"], cols)
	}
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, nil
}

// planBipartite gives users, in no order, as many items as Zipf's law says, and takes the items
// by the law, too: with these offsets the most active user has 80 times the mean, and the most
// popular of many items is in a seventh of the rows of the mean's length that items have places.
func planBipartite(v values) (plan, error) {
	size, err := meanSize(v)
	if err != nil {
		return plan{}, err
	}
	return prepared(v, size, source.value, func() rowDraw {
		users, items := size.Rows, size.Cols
		activity := newSplit(users, size.NNZ, float64(users)/500, items/2+1)
		popularity := newZipf(items, float64(items)/1000)
		rank := permutation(users, newSource(v.seed(), forLengths))
		item := permutation(items, newSource(v.seed(), forOrder))
		return func(i int, s *stream, columns []int32) []int32 {
			columns, added := room(columns, activity.part(int(rank[i])))
			popularity.ranks(added, s)
			for k, r := range added {
				added[k] = item[r]
			}
			return columns
		}
	})
}

// planTerms has a row for each word, the commonest first, and its documents anywhere. The offset
// of words is Mandelbrot's 2.7, or larger where that would put a word in more than nine tenths
// of the documents.
func planTerms(v values) (plan, error) {
	size, err := meanSize(v)
	if err != nil {
		return plan{}, err
	}
	words := newSplit(size.Rows, size.NNZ, 2.7, size.Cols*9/10+1)
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		columns, added := room(columns, words.part(i))
		spread(added, size.Cols, s)
		return columns
	})
}

// A long clause has three literals and, with probability 1/n, at least n more, up to this many.
const longestTail = 256

// planSAT makes the incidence matrix of clauses and variables. Long clauses are spread evenly
// among the others.
func planSAT(v values) (plan, error) {
	clauses, variables := v.int("rows"), max(3, int(math.Round(v["rows"]/v["ratio"])))
	more := 0.0 // literals of a long clause
	for n := 1; n <= longestTail; n++ {
		more += 1 / float64(n)
	}
	size := Size{Rows: clauses, Cols: variables,
		NNZ: int(math.Round(3*float64(clauses) + math.Floor(float64(clauses)*v["long"])*more))}
	extra := newSource(v.seed(), forLengths)
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		length := 3
		if math.Floor(float64(i+1)*v["long"]) != math.Floor(float64(i)*v["long"]) {
			tail := extra.stream(uint64(i))
			length = min(variables, 3+heavy(tail.unit(), 1, longestTail))
		}
		window := min(variables, max(2*length, int(v["reach"]*float64(variables))))
		first := int32(min(max(0, i*variables/clauses-window/2), variables-window))
		columns, added := room(columns, length)
		sample(added, window, s)
		for k := range added {
			added[k] += first
		}
		return columns
	})
}

// Deviation of the logarithm of genes' mean counts, as in atlases of tissues.
const spreadOfGenes = 2.0

// planCells draws the mean count of each gene from a log-normal law. A cell has a count if a
// Poisson number is not 0; where it is, there is no entry.
func planCells(v values) (plan, error) {
	return prepared(v, denseSize(v), source.value, func() rowDraw {
		src := newSource(v.seed(), forLengths)
		center := centerOfGenes(v["density"])
		return bernoulli(v.int("cols"), func(i int) float64 {
			s := src.stream(uint64(i))
			return detected(center, s.unit()-0x1p-54)
		})
	})
}

// denseSize is the size of a matrix of a given density.
func denseSize(v values) Size {
	rows, cols := v.int("rows"), v.int("cols")
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(v["density"] * float64(rows) * float64(cols)))}
}

// detected is the share of cells that have a count of the gene at quantile u, in (0, 1), of all.
func detected(center, u float64) float64 {
	return -math.Expm1(-math.Exp(center + spreadOfGenes*math.Sqrt2*math.Erfinv(2*u-1)))
}

// centerOfGenes is the logarithm of the median count where genes are seen in a share of density
// of the cells, on average.
func centerOfGenes(density float64) float64 {
	const parts = 512
	return bisect(-40, 40, func(center float64) float64 {
		sum := 0.0
		for k := range parts {
			sum += detected(center, (float64(k)+0.5)/parts)
		}
		return sum/parts - density
	})
}

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
