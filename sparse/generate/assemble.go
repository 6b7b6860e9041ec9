// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/sparse"
)

// An assembly describes a matrix by its rows, each of which can be made
// without the others.
type assembly struct {
	rows, cols int
	length     func(i int) int                // nonzeros of row i
	fill       func(i int, columns []int32)   // the columns of row i, strictly increasing
	value      func(i, j int) (value float64) // of an entry; nil leaves Val out
}

// one is the value of entries that stand for an edge.
func one(i, j int) float64 { return 1 }

// build makes the matrix in two passes over the rows, in parallel: lengths
// first, so that the arrays are allocated once and at their final size.
func (a assembly) build(ctx context.Context) (*sparse.CSR[float64], error) {
	m := &sparse.CSR[float64]{Rows: a.rows, Cols: a.cols, RowPtr: make([]int32, a.rows+1)}
	if err := parallel(ctx, a.rows, func(i int) { m.RowPtr[i+1] = int32(a.length(i)) }); err != nil {
		return nil, err
	}

	nnz := 0
	for i, n := range m.RowPtr {
		nnz += int(n)
		if nnz > sparse.MaxIndex {
			return nil, fmt.Errorf("more than the %d nonzeros that 32-bit indices can hold", sparse.MaxIndex)
		}
		m.RowPtr[i] = int32(nnz)
	}

	m.ColIdx = make([]int32, nnz)
	if a.value != nil {
		m.Val = make([]float64, nnz)
	}
	return m, parallel(ctx, a.rows, func(i int) {
		start, end := m.RowPtr[i], m.RowPtr[i+1]
		columns := m.ColIdx[start:end]
		a.fill(i, columns)
		if a.value != nil {
			for k, j := range columns {
				m.Val[int(start)+k] = a.value(i, int(j))
			}
		}
	})
}

// parallel calls do for 0 to n−1 on all cores and stops early when ctx is done. Which number runs where is random, so do
// must not depend on it.
func parallel(ctx context.Context, n int, do func(i int)) error {
	return panics.Each(ctx, n, func(i int) error {
		do(i)
		return nil
	})
}

// A rowDraw appends the columns of row i to columns, in any order, some of them more than once.
// The row's random numbers are those of s.
type rowDraw func(i int, s *stream, columns []int32) []int32

// An entryValue is the value of an entry; s has the random numbers for values.
type entryValue = func(s source, i, j int) float64

// drawn plans a matrix whose rows are drawn one by one, each of them once. Beside the matrix it
// needs four bytes a nonzero and a row while it runs.
func drawn(v values, s Size, value entryValue, row rowDraw) (plan, error) {
	return prepared(v, s, value, func() rowDraw { return row })
}

// prepared is drawn for rows that need something large, which prepare makes.
func prepared(v values, s Size, value entryValue, prepare func() rowDraw) (plan, error) {
	return plan{s, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return s.draw(ctx, v.seed(), newSource(v.seed(), forValues).of(value), prepare())
	}}, nil
}

// pattern makes a matrix of drawn rows without values.
func (size Size) pattern(v values, row rowDraw) func(context.Context) (*sparse.CSR[float64], error) {
	return func(ctx context.Context) (*sparse.CSR[float64], error) { return size.draw(ctx, v.seed(), nil, row) }
}

// draw makes a matrix of drawn rows.
func (size Size) draw(ctx context.Context, seed uint64, value func(i, j int) float64, row rowDraw) (
	*sparse.CSR[float64], error) {
	const block = 1024 // rows whose columns lie together
	rows := size.Rows
	src := newSource(seed, forStructure)
	blocks := make([][]int32, (rows+block-1)/block)
	end := make([]int32, rows) // of row i in its block
	err := parallel(ctx, len(blocks), func(b int) {
		var columns []int32
		for i := b * block; i < min(rows, (b+1)*block); i++ {
			s, start := src.stream(uint64(i)), len(columns)
			columns = row(i, &s, columns)
			slices.Sort(columns[start:])
			columns = columns[:start+len(slices.Compact(columns[start:]))]
			end[i] = int32(len(columns))
		}
		blocks[b] = slices.Clone(columns)
	})
	if err != nil {
		return nil, err
	}

	of := func(i int) []int32 {
		start := int32(0)
		if i%block != 0 {
			start = end[i-1]
		}
		return blocks[i/block][start:end[i]]
	}
	return assembly{
		rows: rows, cols: size.Cols,
		length: func(i int) int { return len(of(i)) },
		fill:   func(i int, columns []int32) { copy(columns, of(i)) },
		value:  value,
	}.build(ctx)
}

// fromEdges makes a square matrix of n rows, a nonzero for each edge, or two if symmetric. An edge
// that comes more than once counts once.
func fromEdges(ctx context.Context, edges []edge, n int, symmetric bool, seed uint64) (*sparse.CSR[float64], error) {
	start, columns := collect(edges, n, symmetric)
	value := newSource(seed, forValues).value
	if symmetric {
		value = newSource(seed, forValues).symmetricValue
	}
	return square(n, 0).draw(ctx, seed, value, func(i int, _ *stream, row []int32) []int32 {
		return append(row, columns[start[i]:start[i+1]]...)
	})
}

// symmetric makes the symmetric matrix that has the rows of below left of its diagonal, and a
// diagonal entry in the rows that on tells. It needs 16 bytes a row and 4 an entry in addition to
// the matrix.
func symmetric(ctx context.Context, on func(i int) bool, value func(i, j int) float64,
	below func(context.Context) (*sparse.CSR[float64], error)) (*sparse.CSR[float64], error) {
	m, err := below(ctx)
	if err != nil {
		return nil, err
	}
	left, right := rowsOf(m), rowsOf(m.Transpose())
	return assembly{
		rows: m.Rows, cols: m.Rows,
		length: func(i int) int {
			n := left.length(i) + right.length(i)
			if on(i) {
				n++
			}
			return n
		},
		fill: func(i int, columns []int32) {
			n := left.length(i)
			left.fill(i, columns[:n])
			if on(i) {
				columns[n] = int32(i)
				n++
			}
			right.fill(i, columns[n:])
		},
		value: value,
	}.build(ctx)
}

func everywhere(int) bool { return true }

// rowsOf describes a pattern that is there already.
func rowsOf(m *sparse.CSR[float64]) assembly {
	return assembly{
		rows: m.Rows, cols: m.Cols,
		length: func(i int) int { return int(m.RowPtr[i+1] - m.RowPtr[i]) },
		fill:   func(i int, columns []int32) { copy(columns, m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]]) },
	}
}

// blocked plans the matrix that has a dense block of dof by dof, with random values, for each entry of a pattern of that
// size.
func blocked(v values, inner Size, dof int, value entryValue,
	pattern func(context.Context) (*sparse.CSR[float64], error)) (plan, error) {
	size := Size{Rows: inner.Rows * dof, Cols: inner.Cols * dof, NNZ: inner.NNZ * dof * dof}
	return plan{size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		m, err := pattern(ctx)
		if err != nil {
			return nil, err
		}
		a := rowsOf(m)
		return assembly{
			rows: size.Rows, cols: size.Cols,
			length: func(i int) int { return a.length(i/dof) * dof },
			fill: func(i int, columns []int32) {
				start := m.RowPtr[i/dof]
				for k := range len(columns) / dof {
					run(columns[k*dof:k*dof], int(m.ColIdx[int(start)+k])*dof, dof)
				}
			},
			value: newSource(v.seed(), forValues).of(value),
		}.build(ctx)
	}}, nil
}

// golden is 2⁶⁴ over the golden ratio, the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A source is a counter-based generator: SplitMix64, read at any position.
//
// Note: math/rand/v2's PCG seeded per row does the same, but needs two words of
// seed and leaves the derivation of bounded integers to the standard library,
// on which the bytes of a generated matrix would then depend.
type source uint64

// newSource separates the uses of one seed: structure, values, and so on.
func newSource(seed, use uint64) source { return source(mix(mix(seed+golden) + use*golden)) }

// Uses of a seed.
const (
	forStructure = 0
	forValues    = 1
	forStencil   = 2
	forJunctions = 3 // and 4, by side
	forMeeting   = 5 // and 6, by side
	forLengths   = 7
	forOrder     = 8
	forColumns   = 9
)

// at returns the random number at position key.
func (s source) at(key uint64) uint64 { return mix(uint64(s) + key*golden) }

// stream starts a separate sequence at position key.
func (s source) stream(key uint64) stream { return stream(s.at(key)) }

// value returns the value of entry (i, j): an odd multiple of 2⁻²⁴ in (−1, 1),
// which is never zero and is exact in float32.
func (s source) value(i, j int) float64 {
	k := int64(s.at(uint64(i)<<32|uint64(j)) >> 40)
	return float64(2*k+1-1<<24) * 0x1p-24
}

// symmetricValue is value of an entry and of its mirror image.
func (s source) symmetricValue(i, j int) float64 { return s.value(min(i, j), max(i, j)) }

// of gives the values of a source in one of these ways.
func (s source) of(value func(s source, i, j int) float64) func(i, j int) float64 {
	return func(i, j int) float64 { return value(s, i, j) }
}

// A stream is SplitMix64, read in order.
type stream uint64

func (s *stream) next() uint64 {
	*s += golden
	return mix(uint64(*s))
}

// below returns a number in [0, n), for n > 0 (Lemire, TOMACS 29, 2019, without
// the rejection: for n below 2³¹ the bias is less than 2⁻³³).
func (s *stream) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// unit returns a number in (0, 1].
func (s *stream) unit() float64 { return float64(s.next()>>11+1) * 0x1p-53 }

// A zipf is the law of Zipf and Mandelbrot with exponent 1: of n ranks, rank r from 0 on has a
// share in proportion to 1/(r + offset). The smaller the offset, the more the first ranks have.
type zipf struct {
	n           int
	offset, log float64 // log is ln(1 + n/offset)
}

func newZipf(n int, offset float64) zipf { return zipf{n, offset, math.Log1p(float64(n) / offset)} }

// before is the share of the ranks before r.
func (z zipf) before(r int) float64 { return math.Log1p(float64(r)/z.offset) / z.log }

// ranks chooses len(columns) ranks, increasing: one from each of as many equal parts of the law
// or, where one rank has many parts, the next.
func (z zipf) ranks(columns []int32, s *stream) {
	next, n := 0, len(columns)
	for k := range columns {
		u := (float64(k) + s.unit()) / float64(n)
		rank := int(z.offset * math.Expm1(u*z.log))
		next = min(max(next, rank), z.n-n+k) + 1
		columns[k] = int32(next - 1)
	}
}

// A split gives each of n rows, by rank, its part of a number of nonzeros: one, and of the rest
// what the law says.
type split struct {
	law  zipf
	rest float64
}

// newSplit splits total, at least n. The offset grows until no part is larger than most, which is
// at least twice the mean.
func newSplit(n, total int, offset float64, most int) split {
	p := split{newZipf(n, offset), float64(total - n)}
	for p.rest*p.law.before(1)+2 > float64(most) && p.law.offset < 1e6*float64(n) {
		p.law = newZipf(n, p.law.offset*1.25)
	}
	return p
}

// part is the part of rank r. All parts together are the total.
func (p split) part(r int) int {
	return 1 + int(p.rest*p.law.before(r+1)) - int(p.rest*p.law.before(r))
}

// permutation returns the numbers below n in random order.
func permutation(n int, src source) []int32 {
	order := make([]int32, n)
	s := src.stream(0)
	for i := range order {
		j := s.below(i + 1)
		order[i], order[j] = order[j], int32(i)
	}
	return order
}

// shuffle puts a list into random order (Fisher and Yates).
func shuffle(list []int32, s *stream) {
	for k := len(list) - 1; k > 0; k-- {
		j := s.below(k + 1)
		list[k], list[j] = list[j], list[k]
	}
}

// sample chooses len(columns) of n columns, increasing: as many random numbers, sorted, each moved
// by as many places as there are before it.
func sample(columns []int32, n int, s *stream) {
	for k := range columns {
		columns[k] = int32(s.below(n - len(columns) + 1))
	}
	slices.Sort(columns)
	for k := range columns {
		columns[k] += int32(k)
	}
}
