package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// geometric returns a number of at least 0, in the mean as given.
func (s *stream) geometric(mean float64) int {
	if mean <= 0 {
		return 0
	}
	return int(math.Log(s.unit()) / math.Log(mean/(1+mean)))
}

// distance returns a number of at least 1, of Pareto's law: beyond ever twice as many places are 0.6
// as many.
func (s *stream) distance(most int) int { return min(1+int(8*(math.Pow(s.unit(), -1.4)-1)), most) }

// near returns one of the places of a ring of n, most of them near the given one.
func (s *stream) near(place, n int) int {
	distance := s.distance(n / 2)
	if s.next()>>63 == 0 {
		distance = n - distance
	}
	return (place + distance) % n
}

// planRows is for square matrices that are known by their rows alone.
func planRows(v values) (Size, error) {
	n := v.int("rows")
	return Size{Rows: n, Cols: n, NNZ: int(float64(n) * v["row_nnz"])}, nil
}

func planHypergraph(v values) (Size, error) {
	nets := v.int("nets")
	return Size{Rows: nets, Cols: v.int("cells"), NNZ: int(float64(nets) * max(2, v["pins"]))}, nil
}

// buildHypergraph numbers nets by where they are. One in 5,000 is a net like a clock's, with
// 400 pins anywhere.
func buildHypergraph(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	nets, cells := v.int("nets"), v.int("cells")
	return drawn(ctx, nets, cells, v.seed(), func(i int, s *stream, columns []int32) []int32 {
		if s.below(5000) == 0 {
			for range 400 {
				columns = append(columns, int32(s.below(cells)))
			}
			return columns
		}

		centre := i * cells / nets
		for range 2 + s.geometric(v["pins"]-2) {
			columns = append(columns, int32(s.near(centre, cells)))
		}
		return columns
	})
}

// planCliques: k people, k − 2 geometric with mean m, are 2 + 4m + 2m² entries on average.
func planCliques(v values) (Size, error) {
	n, m := v.int("rows"), max(0, v["size"]-2)
	return Size{Rows: n, Cols: n, NNZ: int(float64(n) * v["groups"] * (2 + 4*m + 2*m*m))}, nil
}

func buildCliques(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	src := newSource(v.seed(), forStructure)
	var edges []edge
	var people []int32
	for g := range int(float64(n) * v["groups"]) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := src.stream(uint64(g))
		centre := s.below(n)
		people = people[:0]
		for range 2 + s.geometric(v["size"]-2) {
			people = append(people, int32(s.near(centre, n)))
		}

		for a, i := range people {
			for _, j := range people[:a] {
				if i != j {
					edges = append(edges, edge{i, j})
				}
			}
		}
	}

	return fromEdges(ctx, edges, n, true, v.seed())
}

// buildCitations lets paper i cite recent ones as far back as near says, and well-known ones,
// which are the earlier the likelier.
func buildCitations(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	return drawn(ctx, n, n, v.seed(), func(i int, s *stream, columns []int32) []int32 {
		for k := range s.geometric(v["row_nnz"]) {
			j := i - s.distance(n)
			if k%2 == 0 {
				u := s.unit()
				j = int(float64(i) * u * u * u)
			}
			if j >= 0 && j < i {
				columns = append(columns, int32(j))
			}
		}
		return columns
	})
}

func planSmallWorld(v values) (Size, error) {
	n := v.int("rows")
	return Size{Rows: n, Cols: n, NNZ: n * (v.int("degree") / 2 * 2)}, nil
}

func buildSmallWorld(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n, half := v.int("rows"), v.int("degree")/2
	src := newSource(v.seed(), forStructure)
	edges := make([]edge, n*half)
	err := parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s := src.stream(uint64(i))
			for d := range half {
				j := (i + d + 1) % n
				if s.unit() <= v["rewired"] {
					j = s.below(n)
				}
				edges[i*half+d] = edge{int32(i), int32(j)}
			}
		}
	})
	if err != nil {
		return nil, err
	}

	return fromEdges(ctx, edges, n, true, v.seed())
}

func planRails(v values) (Size, error) {
	n := v.int("rows")
	return Size{Rows: n, Cols: n, NNZ: int(float64(n) * (1 + v["degree"] + 2*v["tied"]))}, nil
}

func buildRails(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("rows")
	rails := make([]int32, min(n, v.int("rails")))
	src := newSource(v.seed(), forStructure)
	s := src.stream(uint64(n))
	spread(rails, n, &s)

	var edges []edge
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := src.stream(uint64(i))
		edges = append(edges, edge{int32(i), int32(i)})
		for range s.geometric(v["degree"] / 2) {
			edges = append(edges, edge{int32(i), int32(s.near(i, n))})
		}
		if s.unit() <= v["tied"] {
			edges = append(edges, edge{int32(i), rails[s.below(len(rails))]})
		}
	}

	return fromEdges(ctx, edges, n, true, v.seed())
}

// reversed builds a square matrix and puts it into the reverse Cuthill-McKee order.
func reversed(build func(context.Context, values) (*sparse.CSR[float64], error)) func(context.Context,
	values) (*sparse.CSR[float64], error) {
	return func(ctx context.Context, v values) (*sparse.CSR[float64], error) {
		m, err := build(ctx, v)
		if err != nil {
			return nil, err
		}
		o, err := reorder.Of(m, reorder.RCM)
		if err != nil {
			return nil, err
		}
		return reorder.Apply(m, o), nil
	}
}

// planMycielskian follows the recurrence: from n vertices and m arcs to 2n + 1
// vertices and 3m + 2n arcs.
func planMycielskian(v values) (Size, error) {
	n, nnz := 2, 2
	for range v.int("order") - 2 {
		n, nnz = 2*n+1, 3*nnz+2*n
	}
	return Size{Rows: n, Cols: n, NNZ: nnz}, nil
}

func buildMycielskian(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: 2, Cols: 2, RowPtr: []int32{0, 1, 2}, ColIdx: []int32{1, 0}}
	for range v.int("order") - 2 {
		var err error
		if m, err = mycielski(ctx, m); err != nil {
			return nil, err
		}
	}

	m.Val = make([]float64, m.NNZ())
	err := parallel(ctx, m.NNZ(), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			m.Val[k] = 1
		}
	})
	return m, err
}

// mycielski returns the pattern of the Mycielskian of a graph with adjacency
// matrix A (Mycielski, Colloq. Math. 3, 1955): every vertex gets a shadow that
// sees the vertex's neighbours, and one more vertex w sees all shadows,
//
//	A  A  0
//	A  0  1
//	0  1ᵀ 0
func mycielski(ctx context.Context, m *sparse.CSR[float64]) (*sparse.CSR[float64], error) {
	n := m.Rows
	neighbours := func(i int) []int32 { return m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]] }
	a := assembly{
		rows: 2*n + 1, cols: 2*n + 1,
		length: func(i int) int {
			switch {
			case i < n:
				return 2 * len(neighbours(i))
			case i < 2*n:
				return len(neighbours(i-n)) + 1
			}
			return n
		},
		fill: func(i int, columns []int32) {
			switch {
			case i < n:
				old := neighbours(i)
				shadows := columns[copy(columns, old):]
				for k, j := range old {
					shadows[k] = j + int32(n)
				}
			case i < 2*n:
				columns[copy(columns, neighbours(i-n))] = int32(2 * n)

			default:
				for k := range columns {
					columns[k] = int32(n + k)
				}
			}
		},
	}

	return a.build(ctx)
}

func planLatin(v values) (Size, error) {
	n := v.int("order")
	return Size{Rows: n * n, Cols: n * n, NNZ: 2 * n * n * (n - 1)}, nil
}

// buildLatin makes the graph of cells that must differ: those of a row of the square, and those of
// a column of it. Cell (r, c) is row r·n + c.
func buildLatin(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n := v.int("order")
	a := assembly{
		rows: n * n, cols: n * n,
		length: func(int) int { return 2 * (n - 1) },
		fill: func(i int, columns []int32) {
			r, c, k := i/n, i%n, 0
			for row := range n {
				if row != r {
					columns[k] = int32(row*n + c)
					k++
					continue
				}
				for col := range n {
					if col != c {
						columns[k] = int32(row*n + col)
						k++
					}
				}
			}
		},
		value: func(i, j int) float64 { return 1 },
	}

	return a.build(ctx)
}

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
