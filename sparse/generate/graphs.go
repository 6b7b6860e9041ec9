// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math"
	"slices"

	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
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

// planRoad has chains of L vertices with L−1 edges of their own and two that tie their ends to other
// chains: a mean degree of 2 + 2/L.
func planRoad(v values) (plan, error) {
	n := v.int("rows")
	chains := max(1, int(math.Round(float64(n)*(v["degree"]-2)/2)))
	return plan{square(n, 2*(n+chains)), func(ctx context.Context) (*sparse.CSR[float64], error) {
		r := newRoads(n, chains, v.seed())
		return square(n, 0).draw(ctx, v.seed(), newSource(v.seed(), forValues).symmetricValue, r.neighbours)
	}}, nil
}

// window is the number of chains among which an end finds the chain that it
// meets: it keeps the numbering local.
const window = 64

// Roads are chains of consecutively numbered vertices. Side 0 is a chain's
// first vertex, side 1 its last. Every chain has a junction for a first vertex
// and one for a last vertex of other chains, so no degree passes 4.
type roads struct {
	n        int
	start    []int32    // chain c is the vertices start[c] to start[c+1]−1
	junction [2][]int32 // by side and chain: the vertex that an end of that side meets
	to, from [2][]int32 // by side and chain: whose junction the chain's end meets, and whose end meets its junction
}

func newRoads(n, chains int, seed uint64) *roads {
	r := &roads{n: n, start: make([]int32, chains+1)}
	src := newSource(seed, forStructure)

	// Evenly spaced starts, moved by up to half a chain.
	r.start[chains] = int32(n)
	for c := 1; c < chains; c++ {
		s := src.stream(uint64(c))
		r.start[c] = int32(c*n/chains + s.below(max(1, n/chains/2)))
	}

	for side := range 2 {
		src := newSource(seed, forJunctions+uint64(side))
		r.junction[side] = make([]int32, chains)
		for c := range chains {
			s := src.stream(uint64(c))
			first, length := r.start[c], int(r.start[c+1]-r.start[c])
			if length > 2 { // not at an end
				first, length = first+1, length-2
			}
			r.junction[side][c] = first + int32(s.below(length))
		}

		// The windows of the two sides overlap by half, which ties all together.
		r.to[side], r.from[side] = meet(chains, side*window/2, newSource(seed, forMeeting+uint64(side)))
	}

	return r
}

// meet pairs chains at random within windows, the first of which is short by
// shift. from is the inverse of to.
func meet(chains, shift int, src source) (to, from []int32) {
	to, from = run(nil, 0, chains), make([]int32, chains)
	for lo := -shift; lo < chains; lo += window {
		s := src.stream(uint64(lo + shift))
		shuffle(to[max(lo, 0):min(lo+window, chains)], &s)
	}

	for c, t := range to {
		from[t] = int32(c)
	}
	return to, from
}

// neighbours appends the vertices next to one, some of them twice.
func (r *roads) neighbours(i int, _ *stream, columns []int32) []int32 {
	v := int32(i)
	c := r.chain(v)
	first, last := r.start[c], r.start[c+1]-1
	add := func(ok bool, u int32) {
		if ok && u != v { // an end may meet its own chain
			columns = append(columns, u)
		}
	}

	add(v > first, v-1)
	add(v < last, v+1)
	add(v == first, r.junction[0][r.to[0][c]])
	add(v == last, r.junction[1][r.to[1][c]])
	add(v == r.junction[0][c], r.start[r.from[0][c]])
	add(v == r.junction[1][c], r.start[r.from[1][c]+1]-1)
	return columns
}

// chain returns the chain of vertex v, which is the one that even spacing
// suggests or next to it.
func (r *roads) chain(v int32) int {
	chains := len(r.start) - 1
	c := int(v) * chains / r.n
	for v < r.start[c] {
		c--
	}
	for v >= r.start[c+1] {
		c++
	}
	return c
}
