package generate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spmvtune/sparse"
)

func planUniform(v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols) {
		return Size{}, &ArgError{"uniform", "row_nnz", fmt.Sprintf("%v is more than the %d columns", v["row_nnz"],
			cols)}
	}
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, nil
}

func buildUniform(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	cols := v.int("cols")
	share := v["row_nnz"] / max(1, float64(cols))
	return bernoulli(v.int("rows"), cols, v.seed(), func(int) float64 { return share }).build(ctx)
}

// bernoulli makes every entry of row i a nonzero with probability share(i). It skips from one
// nonzero of a row to the next by geometrically distributed gaps (Batagelj and Brandes, Phys.
// Rev. E 71, 2005), so that columns come sorted, distinct, and in time linear in the nonzeros.
func bernoulli(rows, cols int, seed uint64, share func(i int) float64) assembly {
	src := newSource(seed, forStructure)
	row := func(i int) skipper {
		// The scale is −0 if the share is 1, where all gaps are 0; −∞ if it is 0, where none ends.
		return skipper{src.stream(uint64(i)), 1 / math.Log1p(-share(i)), cols}
	}
	return assembly{
		rows: rows, cols: cols,
		length: func(i int) int {
			s, n := row(i), 0
			for j := s.after(-1); j < cols; j = s.after(j) {
				n++
			}
			return n
		},
		fill: func(i int, columns []int32) {
			s, j := row(i), -1
			for k := range columns {
				j = s.after(j)
				columns[k] = int32(j)
			}
		},
		value: newSource(seed, forValues).value,
	}
}

// A skipper walks over the nonzero columns of a row.
type skipper struct {
	stream
	scale float64 // 1/ln(1−p)
	cols  int
}

// after returns the next nonzero column after j, and cols if there is none.
func (s *skipper) after(j int) int {
	gap := math.Log(s.unit()) * s.scale
	if !(gap < float64(s.cols-1-j)) { // beyond the row, or 0·∞
		return s.cols
	}
	return j + 1 + int(gap)
}

func planGiant(v values) (Size, error) {
	n := v.int("rows")
	for _, arg := range []string{"row_nnz", "giant"} {
		if v.int(arg) > n {
			return Size{}, &ArgError{"giant_row", arg, fmt.Sprintf("%d is more than the %d columns", v.int(arg), n)}
		}
	}
	return Size{Rows: n, Cols: n, NNZ: (n-1)*v.int("row_nnz") + v.int("giant")}, nil
}

func buildGiant(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	giant := int(math.Round(v["position"] * float64(n-1)))
	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			if i == giant {
				return v.int("giant")
			}
			return v.int("row_nnz")
		},
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			spread(columns, n, &s)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
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

// checkMean reports a mean row of more than half of the columns: rows must be able to differ.
func checkMean(generator string, v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols)/2 {
		return Size{}, &ArgError{generator, "row_nnz", fmt.Sprintf("%v is more than half of the %d columns",
			v["row_nnz"], cols)}
	}
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, nil
}

func planBipartite(v values) (Size, error) { return checkMean("bipartite", v) }

// buildBipartite gives users, in no order, as many items as Zipf's law says, and takes the items
// by the law, too: with these offsets the most active user has 80 times the mean, and the most
// popular of many items is in a seventh of the rows of the mean's length that items have places.
func buildBipartite(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	users, items := v.int("rows"), v.int("cols")
	size, err := planBipartite(v)
	if err != nil {
		return nil, err
	}
	activity := newSplit(users, size.NNZ, float64(users)/500, items/2+1)
	popularity := newZipf(items, float64(items)/1000)
	rank := permutation(users, newSource(v.seed(), forLengths))
	item := permutation(items, newSource(v.seed(), forOrder))

	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: users, cols: items,
		length: func(i int) int { return activity.part(int(rank[i])) },
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			popularity.ranks(columns, &s)
			for k, r := range columns {
				columns[k] = item[r]
			}
			slices.Sort(columns)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

func planTerms(v values) (Size, error) { return checkMean("term_document", v) }

// buildTerms has a row for each word, the commonest first, and its documents anywhere. The offset
// of words is Mandelbrot's 2.7, or larger where that would put a word in more than nine tenths
// of the documents.
func buildTerms(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	words, documents := v.int("rows"), v.int("cols")
	size, err := planTerms(v)
	if err != nil {
		return nil, err
	}
	frequency := newSplit(words, size.NNZ, 2.7, documents*9/10+1)
	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: words, cols: documents,
		length: frequency.part,
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			spread(columns, documents, &s)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

// A long clause has three literals and, with probability 1/n, at least n more, up to this many.
const longestTail = 256

func planSAT(v values) (Size, error) {
	clauses := v.int("rows")
	extra := 0.0 // of a long clause
	for n := 1; n <= longestTail; n++ {
		extra += 1 / float64(n)
	}
	nnz := 3*float64(clauses) + math.Floor(float64(clauses)*v["long"])*extra
	return Size{Rows: clauses, Cols: variablesSAT(v), NNZ: int(math.Round(nnz))}, nil
}

func variablesSAT(v values) int { return max(3, int(math.Round(v["rows"]/v["ratio"]))) }

// buildSAT makes the incidence matrix of clauses and variables. Long clauses are spread evenly
// among the others.
func buildSAT(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	clauses, variables := v.int("rows"), variablesSAT(v)
	extra := newSource(v.seed(), forLengths)
	src := newSource(v.seed(), forStructure)
	length := func(i int) int {
		if math.Floor(float64(i+1)*v["long"]) == math.Floor(float64(i)*v["long"]) {
			return 3
		}
		s := extra.stream(uint64(i))
		return min(variables, 3+heavy(s.unit(), 1, longestTail))
	}

	a := assembly{
		rows: clauses, cols: variables,
		length: length,
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			window := min(variables, max(2*len(columns), int(v["reach"]*float64(variables))))
			first := int32(min(max(0, i*variables/clauses-window/2), variables-window))
			sample(columns, window, &s)
			for k := range columns {
				columns[k] += first
			}
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

// Deviation of the logarithm of genes' mean counts, as in atlases of tissues.
const spreadOfGenes = 2.0

func planCells(v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(v["density"] * float64(rows) * float64(cols)))}, nil
}

// buildCells draws the mean count of each gene from a log-normal law. A cell has a count if a
// Poisson number is not 0; where it is, there is no entry.
func buildCells(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	src := newSource(v.seed(), forLengths)
	center := centerOfGenes(v["density"])
	seen := func(i int) float64 {
		s := src.stream(uint64(i))
		return detected(center, s.unit()-0x1p-54)
	}
	return bernoulli(v.int("rows"), v.int("cols"), v.seed(), seen).build(ctx)
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
