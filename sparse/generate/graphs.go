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
