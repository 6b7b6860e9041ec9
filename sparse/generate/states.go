// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math/bits"

	"example.org/spmvtune/sparse"
)

// box returns the sizes of a grid.
func (v values) box() [3]int { return [3]int{v.int("nx"), v.int("ny"), v.int("nz")} }

// between draws the row of a point of one grid: the points of another whose coordinates lie in the reach of its own, and
// of which at most so many differ from them.
func between(from, to [3]int, most int, reach func(at, n int) (lo, hi int)) rowDraw {
	return func(i int, _ *stream, columns []int32) []int32 {
		x, y, z := i%from[0], i/from[0]%from[1], i/from[0]/from[1]
		x0, x1 := reach(x, to[0])
		y0, y1 := reach(y, to[1])
		z0, z1 := reach(z, to[2])
		for k := z0; k <= z1; k++ {
			for j := y0; j <= y1; j++ {
				for i := x0; i <= x1; i++ {
					if most == 3 || (i-x)*(i-x)+(j-y)*(j-y)+(k-z)*(k-z) <= most {
						columns = append(columns, int32((k*to[1]+j)*to[0]+i))
					}
				}
			}
		}
		return columns
	}
}

// planStencil numbers point (x, y, z) as (z·ny + y)·nx + x.
func planStencil(v values) (plan, error) {
	b := v.box()
	n := b[0] * b[1] * b[2]
	most := 3 // differing coordinates of neighbours
	nnz := (3*b[0] - 2) * (3*b[1] - 2) * (3*b[2] - 2)
	if v.int("corners") == 0 {
		most, nnz = 1, n
		for _, length := range b {
			nnz += 2 * (n - n/length)
		}
	}
	near := func(at, n int) (lo, hi int) { return max(0, at-1), min(n-1, at+1) }
	return drawn(v, square(n, nnz), source.symmetricValue, between(b, b, most, near))
}

// planTransfer takes the product of three interpolations along a line, in each of which fine
// point 2c is coarse point c and 2c + 1 lies between c and c + 1.
func planTransfer(v values) (plan, error) {
	from, to := v.box(), v.box() // points of a row's grid, and of a column's
	nnz := (3*to[0] - 2) * (3*to[1] - 2) * (3*to[2] - 2)
	reach := func(at, _ int) (lo, hi int) { return at / 2, (at + 1) / 2 }
	fine := &from
	if v.int("restrict") == 1 {
		reach = func(at, n int) (lo, hi int) { return max(0, 2*at-1), min(n-1, 2*at+1) }
		fine = &to
	}
	for d, n := range fine {
		fine[d] = 2*n - 1
	}
	size := Size{Rows: from[0] * from[1] * from[2], Cols: to[0] * to[1] * to[2], NNZ: nnz}
	return drawn(v, size, source.value, between(from, to, 3, reach))
}

// power returns base to the power of n, 2⁶² if that is more.
func power(base, n int) int {
	p := 1
	for range n {
		if hi, lo := bits.Mul64(uint64(p), uint64(base)); hi != 0 || lo>>62 != 0 {
			return 1 << 62
		}
		p *= base
	}
	return p
}

// planQueues numbers states by the lengths as digits, the first queue's last. An arrival needs room, a
// departure a customer, and a step between queues both.
func planQueues(v values) (plan, error) {
	q, c := v.int("queues"), v.int("capacity")
	n := power(c+1, q)
	nnz := n
	if n <= sparse.MaxIndex {
		nnz += 2*(n/(c+1)*c) + (q-1)*(n/(c+1)*c/(c+1)*c)
	}
	return drawn(v, square(n, nnz), source.value, func(i int, _ *stream, columns []int32) []int32 {
		columns = append(columns, int32(i))
		before, step, to := true, 1, i // whether there is a customer, one of this queue, the state without the customer
		for rest := i; step < n; rest, step = rest/(c+1), step*(c+1) {
			length := rest % (c + 1)
			if before && length < c {
				columns = append(columns, int32(to+step))
			}
			before, to = length > 0, i-step
		}

		if before {
			columns = append(columns, int32(to))
		}
		return columns
	})
}

// binomial returns how many sets of k there are of n, 2⁶² if more.
func binomial(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	b := 1
	for i := range min(k, n-k) {
		hi, lo := bits.Mul64(uint64(b), uint64(n-i))
		if hi != 0 || lo>>62 != 0 {
			return 1 << 62
		}
		b = int(lo) / (i + 1)
	}
	return b
}

// planSpins numbers states by the combinatorial number system: the k-th lowest of the spins
// that are up, at place p, counts for the binomial of p over k.
func planSpins(v values) (plan, error) {
	sites, up := v.int("sites"), v.int("up")
	switch {
	case sites < 3:
		return plan{}, wrong("sites", "a ring has at least 3")
	case up > sites:
		return plan{}, wrong("up", "more than there are sites")
	}
	n := binomial(sites, up)
	choose := make([][]int, sites+1)
	for p := range choose {
		for k := range up + 1 {
			choose[p] = append(choose[p], binomial(p, k))
		}
	}
	number := func(state uint64) (i int) {
		for k := 1; state != 0; k++ {
			i += choose[bits.TrailingZeros64(state)][k]
			state &= state - 1
		}
		return i
	}

	size := square(n, n+2*sites*min(n, binomial(sites-2, up-1)))
	return drawn(v, size, source.symmetricValue, func(i int, _ *stream, columns []int32) []int32 {
		state, rest := uint64(0), i
		for p, k := sites-1, up; k > 0; p-- {
			if choose[p][k] <= rest {
				rest -= choose[p][k]
				state |= 1 << p
				k--
			}
		}

		columns = append(columns, int32(i))
		for p := range sites {
			pair := uint64(1)<<p | uint64(1)<<((p+1)%sites)
			if both := state & pair; both != 0 && both != pair {
				columns = append(columns, int32(number(state^pair)))
			}
		}
		return columns
	})
}

// arrivals is the rate of the transition that adds to u, in MARCA's data sets.
const arrivals = 2025

// planTriangular makes the generator matrix of MARCA's two-dimensional epidemic
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
func planTriangular(v values) (plan, error) {
	nx, ny := v.int("nx"), v.int("ny")
	n := (nx + 1) * (ny + 1)
	return plan{square(n, n+(nx+1)*ny+nx*(ny+1)+nx*ny), func(ctx context.Context) (*sparse.CSR[float64], error) {
		l := newLattice(nx, ny)
		return square(n, 0).draw(ctx, 0, l.rate, l.row)
	}}, nil
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

// row appends the columns of row i: south is two levels back, east and north-west
// are side by side in the next level.
func (l *lattice) row(i int, _ *stream, columns []int32) []int32 {
	u, v := l.state(i)
	if v > 0 {
		columns = append(columns, int32(l.number(u, v-1)))
	}
	columns = append(columns, int32(i))
	if u < l.nx {
		columns = append(columns, int32(l.number(u+1, v)))
	}
	if u > 0 && v < l.ny {
		columns = append(columns, int32(l.number(u-1, v+1)))
	}
	return columns
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
