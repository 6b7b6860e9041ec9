package generate

import (
	"context"

	"spmvtune/sparse"
)

// arrivals is the rate of the transition that adds to u, in MARCA's data sets.
const arrivals = 2025

func planTriangular(v values) (Size, error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := (nx + 1) * (ny + 1)
	return Size{Rows: n, Cols: n, NNZ: n + (nx+1)*ny + nx*(ny+1) + nx*ny}, nil
}

// buildTriangular makes the generator matrix of MARCA's two-dimensional epidemic
// model (Stewart, "MARCA models: two-dimensional Markov chain models", North
// Carolina State University). Its states are (u, v), 0 ≤ u ≤ nx, 0 ≤ v ≤ ny, which
// go south to (u, v−1) at rate v, east to (u+1, v) at rate 2025 and north-west to
// (u−1, v+1) at rate u: the three directions of a triangular lattice, each edge of
// it an entry in one triangle of the matrix. States are numbered as a search breadth
// first from (0, 0) meets them.
//
// Note: a triangle with 1025 states a side has as many states, entries and rows of each
// length as mc2depi. That mc2depi is this rectangle in this order shows in how far a
// row's last column is from its first: at most 770, on average 705.746.
func buildTriangular(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	l := newLattice(v.int("nx"), v.int("ny"))
	n := l.first[len(l.first)-1]
	a := assembly{
		rows: n, cols: n,
		length: func(i int) int {
			_, count := l.row(i)
			return count
		},
		fill: func(i int, columns []int32) {
			found, count := l.row(i)
			copy(columns, found[:count])
		},
		value: l.rate,
	}

	return a.build(ctx)
}

// A lattice numbers the states (u, v) of a rectangle by levels: from (0, 0), the
// states of level d = u + 2v take d transitions. Within a level v increases.
type lattice struct {
	nx, ny int
	first  []int // by level: the first number; then the number of states
	level  []int32
}

func newLattice(nx, ny int) *lattice {
	l := &lattice{nx: nx, ny: ny, first: make([]int, nx+2*ny+2)}
	for d := range nx + 2*ny + 1 {
		l.first[d+1] = l.first[d] + min(d/2, ny) - l.lowest(d) + 1
	}
	l.level = make([]int32, l.first[len(l.first)-1])

	for d := range nx + 2*ny + 1 {
		for i := l.first[d]; i < l.first[d+1]; i++ {
			l.level[i] = int32(d)
		}
	}
	return l
}

// lowest is the least v in level d.
func (l *lattice) lowest(d int) int { return max(0, (d-l.nx+1)/2) }

// state returns the state numbered i.
func (l *lattice) state(i int) (u, v int) {
	d := int(l.level[i])
	v = l.lowest(d) + i - l.first[d]
	return d - 2*v, v
}

// number returns the number of state (u, v).
func (l *lattice) number(u, v int) int {
	d := u + 2*v
	return l.first[d] + v - l.lowest(d)
}

// row returns the columns of row i: south is two levels back, east and north-west
// are side by side in the next level.
func (l *lattice) row(i int) (columns [4]int32, count int) {
	u, v := l.state(i)
	add := func(ok bool, u, v int) {
		if ok {
			columns[count] = int32(l.number(u, v))
			count++
		}
	}

	add(v > 0, u, v-1)
	add(true, u, v)
	add(u < l.nx, u+1, v)
	add(u > 0 && v < l.ny, u-1, v+1)
	return columns, count
}

// rate is the value of entry (i, j). Rows sum to zero.
func (l *lattice) rate(i, j int) float64 {
	u, v := l.state(i)
	south, east, northWest := v, 0, 0
	if u < l.nx {
		east = arrivals
	}

	if v < l.ny {
		northWest = u
	}
	to, above := l.state(j)

	switch {
	case i == j:
		return -float64(south + east + northWest)
	case to == u && above == v-1:
		return float64(south)
	case to == u+1:
		return float64(east)
	}

	return float64(northWest)
}
