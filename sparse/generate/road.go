package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

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
