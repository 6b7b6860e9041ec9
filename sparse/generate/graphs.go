package generate

import (
	"context"
	"math"
	"slices"

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

// planHypergraph numbers nets by where they are. One in 5,000 is a net like a clock's, with
// 400 pins anywhere.
func planHypergraph(v values) (plan, error) {
	nets, cells := v.int("nets"), v.int("cells")
	size := Size{Rows: nets, Cols: cells, NNZ: int(float64(nets) * max(2, v["pins"]))}
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
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

// tied plans a symmetric matrix of edges, which draw gives: it is called for each of so many parts, in order.
func tied(v values, nnz, parts int, draw func(part int, s *stream, tie func(i, j int))) (plan, error) {
	n := v.int("rows")
	return plan{square(n, nnz), func(ctx context.Context) (*sparse.CSR[float64], error) {
		src := newSource(v.seed(), forStructure)
		var edges []edge
		for part := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s := src.stream(uint64(part))
			draw(part, &s, func(i, j int) { edges = append(edges, edge{int32(i), int32(j)}) })
		}
		return fromEdges(ctx, edges, n, true, v.seed())
	}}, nil
}

// planCliques expects of k people, k − 2 geometric with mean m, 2 + 4m + 2m² entries.
func planCliques(v values) (plan, error) {
	n, m := v.int("rows"), max(0, v["size"]-2)
	nnz := int(float64(n) * v["groups"] * (2 + 4*m + 2*m*m))
	return tied(v, nnz, int(float64(n)*v["groups"]), func(_ int, s *stream, tie func(i, j int)) {
		centre := s.below(n)
		var people []int
		for range 2 + s.geometric(v["size"]-2) {
			people = append(people, s.near(centre, n))
		}
		for a, i := range people {
			for _, j := range people[:a] {
				if i != j {
					tie(i, j)
				}
			}
		}
	})
}

// planCitations lets paper i cite recent ones as far back as near says, and well-known ones,
// which are the earlier the likelier.
func planCitations(v values) (plan, error) {
	n := v.int("rows")
	return drawn(v, square(n, int(float64(n)*v["row_nnz"])), source.value, func(i int, s *stream, columns []int32) []int32 {
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

func planSmallWorld(v values) (plan, error) {
	n, half := v.int("rows"), v.int("degree")/2
	return tied(v, n*half*2, n, func(i int, s *stream, tie func(i, j int)) {
		for d := range half {
			j := (i + d + 1) % n
			if s.unit() <= v["rewired"] {
				j = s.below(n)
			}
			tie(i, j)
		}
	})
}

func planRails(v values) (plan, error) {
	n := v.int("rows")
	rails := make([]int32, min(n, v.int("rails")))
	first := newSource(v.seed(), forStructure).stream(uint64(n))
	spread(rails, n, &first)
	return tied(v, int(float64(n)*(1+v["degree"]+2*v["tied"])), n, func(i int, s *stream, tie func(i, j int)) {
		tie(i, i)
		for range s.geometric(v["degree"] / 2) {
			tie(i, s.near(i, n))
		}
		if s.unit() <= v["tied"] {
			tie(i, int(rails[s.below(len(rails))]))
		}
	})
}

// reversed puts a square matrix into the reverse Cuthill-McKee order.
func reversed(of planner) planner {
	return ordered(of, func(m *sparse.CSR[float64], _ values) (reorder.Order, error) {
		return reorder.Of(m, reorder.RCM)
	})
}

// scrambled puts a square matrix into random order.
func scrambled(of planner) planner {
	return ordered(of, func(m *sparse.CSR[float64], v values) (reorder.Order, error) {
		order := permutation(m.Rows, newSource(v.seed(), forOrder))
		return reorder.Order{Rows: order, Cols: order}, nil
	})
}

// ordered puts a matrix into another order.
func ordered(of planner, order func(m *sparse.CSR[float64], v values) (reorder.Order, error)) planner {
	return func(v values) (plan, error) {
		p, err := of(v)
		return plan{p.Size, func(ctx context.Context) (*sparse.CSR[float64], error) {
			m, err := p.build(ctx)
			if err != nil {
				return nil, err
			}
			o, err := order(m, v)
			if err != nil {
				return nil, err
			}
			return reorder.Apply(m, o), nil
		}}, err
	}
}

// planMycielskian follows the recurrence: from n vertices and m arcs to 2n + 1
// vertices and 3m + 2n arcs.
func planMycielskian(v values) (plan, error) {
	n, nnz, steps := 2, 2, v.int("order")-2
	for range steps {
		n, nnz = 2*n+1, 3*nnz+2*n
	}
	return plan{square(n, nnz), func(ctx context.Context) (*sparse.CSR[float64], error) {
		m := &sparse.CSR[float64]{Rows: 2, Cols: 2, RowPtr: []int32{0, 1, 2}, ColIdx: []int32{1, 0}}
		for range steps {
			var err error
			if m, err = mycielski(ctx, m); err != nil {
				return nil, err
			}
		}
		m.Val = slices.Repeat([]float64{1}, m.NNZ())
		return m, nil
	}}, nil
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
	return square(2*n+1, 0).draw(ctx, 0, nil, func(i int, _ *stream, columns []int32) []int32 {
		switch {
		case i < n:
			columns = append(columns, neighbours(i)...)
			for _, j := range neighbours(i) {
				columns = append(columns, j+int32(n))
			}
			return columns
		case i < 2*n:
			return append(append(columns, neighbours(i-n)...), int32(2*n))
		}
		return run(columns, n, n)
	})
}

// planLatin makes the graph of cells that must differ: those of a row of the square, and those of
// a column of it. Cell (r, c) is row r·n + c.
func planLatin(v values) (plan, error) {
	n := v.int("order")
	edge := func(_ source, i, j int) float64 { return one(i, j) }
	return drawn(v, square(n*n, 2*n*n*(n-1)), edge, func(i int, _ *stream, columns []int32) []int32 {
		r, c := i/n, i%n
		for k := range n {
			if k != r {
				columns = append(columns, int32(k*n+c))
			}
			if k != c {
				columns = append(columns, int32(r*n+k))
			}
		}
		return columns
	})
}

// Real and imaginary part, or angle and magnitude, of a bus.
const perBus = 2

// planPower ties each bus to one before it, which makes a tree, and some to a second one. Of the
// lines to the first, a share of d^−0.8 leads at least d buses back; of the others d^−0.4. What would
// lead beyond the first bus begins again, so that none is a hub.
func planPower(v values) (plan, error) {
	n := v.int("buses")
	// loops is how many of the buses before i have a second line to a bus before them.
	loops := func(i int) int { return int(float64(i) * (v["degree"] - 2) / 2) }
	src := newSource(v.seed(), forStructure)
	tree := assembly{
		rows: n, cols: n,
		length: func(i int) int { return min(i, 1) + loops(i+1) - loops(i) },
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
	return blocked(v, square(n, n+2*(n-1+loops(n))), perBus, source.symmetricValue,
		func(ctx context.Context) (*sparse.CSR[float64], error) {
			return symmetric(ctx, everywhere, nil, tree.build)
		})
}
