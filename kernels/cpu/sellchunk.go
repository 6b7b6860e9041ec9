package cpu

import "spmvtune/sparse"

// A sellView is a product in SELL-C-sigma form as the inner loops see it.
type sellView[V sparse.Float] struct {
	rows, c int
	chunk   span[int] // offset of each chunk's first entry
	perm    span[int32]
	cols    span[int32]
	val     span[V]
	x, y    span[V]
}

// tallChunk is the C from which a chunk is taken column by column. Below it, a
// column is at most a cache line or two of values, and four rows at a time in
// registers read it without gaps; above it, that would jump from line to line,
// which took twice the time of streaming at C = 64 and more on a 5-point grid.
const tallChunk = 16

// short computes the rows of chunk i four at a time: entries of neighbouring
// lanes lie side by side, and their sums do not wait for each other.
func (m sellView[V]) short(i int) {
	cols, val, x, c := m.cols, m.val, m.x, m.c
	lo, hi := m.chunk.at(i), m.chunk.at(i+1)
	lanes := min(c, m.rows-i*c)
	r := 0

	for ; r+4 <= lanes; r += 4 {
		var s0, s1, s2, s3 V
		for k := lo + r; k < hi; k += c {
			s0 += val.at(k) * x.at(col(cols, k))
			s1 += val.at(k+1) * x.at(col(cols, k+1))
			s2 += val.at(k+2) * x.at(col(cols, k+2))
			s3 += val.at(k+3) * x.at(col(cols, k+3))
		}

		m.y.set(col(m.perm, i*c+r), s0)
		m.y.set(col(m.perm, i*c+r+1), s1)
		m.y.set(col(m.perm, i*c+r+2), s2)
		m.y.set(col(m.perm, i*c+r+3), s3)
	}

	for ; r < lanes; r++ {
		var sum V
		for k := lo + r; k < hi; k += c {
			sum += val.at(k) * x.at(col(cols, k))
		}
		m.y.set(col(m.perm, i*c+r), sum)
	}
}

// tall computes the rows of chunk i column by column, with one sum per lane in
// sums, which has at least C elements.
func (m sellView[V]) tall(i int, sums span[V]) {
	cols, val, x, c := m.cols, m.val, m.x, m.c
	lo, hi := m.chunk.at(i), m.chunk.at(i+1)
	lanes := min(c, m.rows-i*c)
	for r := 0; r < lanes; r++ {
		sums.set(r, 0)
	}

	for k := lo; k < hi; k += c {
		for r := 0; r < lanes; r++ {
			sums.set(r, sums.at(r)+val.at(k+r)*x.at(col(cols, k+r)))
		}
	}

	for r := 0; r < lanes; r++ {
		m.y.set(col(m.perm, i*c+r), sums.at(r))
	}
}
