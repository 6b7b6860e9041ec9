package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

func planRMAT(v values) (Size, error) {
	if v["a"]+v["b"]+v["c"] > 1+1e-12 { // 1 but for rounding is 1
		return Size{}, &ArgError{"rmat", "a",
			"a + b + c must not pass 1; the rest is the lower right quadrant's probability"}
	}
	n := 1 << v.int("scale")
	entries := edgesRMAT(v)
	if v.int("symmetric") == 1 {
		entries *= 2
	}

	return Size{Rows: n, Cols: n, NNZ: entries}, nil
}

func edgesRMAT(v values) int {
	return int(math.Round(v["edge_factor"] * float64(int(1)<<v.int("scale"))))
}

func buildRMAT(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := 1 << v.int("scale")
	edges, err := drawRMAT(ctx, v)
	if err != nil {
		return nil, err
	}

	return fromEdges(ctx, edges, n, v.int("symmetric") == 1, v.seed())
}

// An edge leads from a row to a column.
type edge struct{ row, col int32 }

// drawRMAT draws edges: at each of scale levels, from the most significant bit of row and
// column on, one of four quadrants. Edge e has its own random numbers, one for two levels.
func drawRMAT(ctx context.Context, v values) ([]edge, error) {
	a, b, c := v["a"], v["b"], v["c"]
	// A level's random number is 32 bits wide; these split it in quadrants.
	split := func(p float64) uint64 { return uint64(math.Round(min(p, 1) * (1 << 32))) }
	right, lower, lowerRight := split(a), split(a+b), split(a+b+c)

	src := newSource(v.seed(), forStructure)
	scale := v.int("scale")
	edges := make([]edge, edgesRMAT(v))
	err := parallel(ctx, len(edges), func(lo, hi int) {
		for e := lo; e < hi; e++ {
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
		}
	})

	return edges, err
}

// collect gathers the columns of each of n rows: row i's are
// columns[start[i]:start[i+1]], in no useful order. If symmetric, every edge
// off the diagonal counts in both directions.
func collect(edges []edge, n int, symmetric bool) (start, columns []int32) {
	// start is shifted by one while it serves as the rows' write positions.
	start = make([]int32, n+2)
	for _, e := range edges {
		start[e.row+2]++
		if symmetric && e.row != e.col {
			start[e.col+2]++
		}
	}

	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	columns = make([]int32, start[n+1])
	put := func(row, col int32) {
		columns[start[row+1]] = col
		start[row+1]++
	}

	for _, e := range edges {
		put(e.row, e.col)
		if symmetric && e.row != e.col {
			put(e.col, e.row)
		}
	}
	return start[:n+1], columns
}
