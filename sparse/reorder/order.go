// SPDX-License-Identifier: Apache-2.0

// Package reorder puts the rows and columns of a matrix into another order, so that what lies
// together is read together.
package reorder

import (
	"embed"
	"fmt"
	"runtime"
	"slices"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/sparse"
)

// A Method is a way to order rows.
type Method string

const (
	// ByLength puts longer rows first. Rows of equal length keep their order.
	ByLength Method = "rows-by-length"
	// ByColumn sorts rows by the column of their middle nonzero, so that neighbours read the
	// same part of x (future work 3 of csr-shuffle-and-shared). Empty rows come last.
	ByColumn Method = "rows-by-column"
	// RCM is the reverse of the order of Cuthill and McKee (Reducing the bandwidth of sparse
	// symmetric matrices, 1969), of rows and columns alike. It needs a square matrix; an
	// unsymmetric one is ordered by the pattern of A + Aᵀ.
	RCM Method = "rcm"
)

// Methods are all methods.
var Methods = []Method{ByLength, ByColumn, RCM}

// An Order says which row, and which column, of the matrix comes where: place i has row Rows[i].
// Cols is nil where the columns keep their order.
type Order struct {
	Rows, Cols []int32
	columns    *transposed // of the matrix; nil where they are not known
}

// Of orders m. The time is linear in rows and nonzeros, but for sorting the rows that are found
// from a row by degree in RCM.
func Of[V sparse.Float](m *sparse.CSR[V], how Method) (Order, error) {
	switch how {
	case ByLength:
		longest := 0
		for i := range m.Rows {
			longest = max(longest, int(m.RowPtr[i+1]-m.RowPtr[i]))
		}
		return Order{Rows: sorted(m.Rows, longest+1, func(i int) int {
			return longest - int(m.RowPtr[i+1]-m.RowPtr[i])
		})}, nil

	case ByColumn:
		return Order{Rows: sorted(m.Rows, m.Cols+1, func(i int) int {
			lo, hi := m.RowPtr[i], m.RowPtr[i+1]
			if lo == hi {
				return m.Cols
			}
			return int(m.ColIdx[lo+(hi-lo)/2])
		})}, nil

	case RCM:
		if err := how.Suits(m.Rows, m.Cols); err != nil {
			return Order{}, err
		}
		t := transpose(m)
		rows := cuthillMcKee(m.RowPtr, m.ColIdx, t)
		slices.Reverse(rows)
		return Order{rows, rows, t}, nil
	}
	return Order{}, fmt.Errorf("%q is not a way to order rows", how)
}

// Suits says why matrices of this size can't be ordered like this, nil if they can.
func (how Method) Suits(rows, cols int) error {
	if how == RCM && rows != cols {
		return fmt.Errorf("rcm orders rows and columns alike, and %d×%d is not square", rows, cols)
	}
	return nil
}

// sorted returns 0, …, n−1 sorted by key, which is below keys; equal ones keep their order.
func sorted(n, keys int, key func(i int) int) []int32 {
	place := make([]int32, keys+1)
	for i := range n {
		place[key(i)+1]++
	}
	for k := range keys {
		place[k+1] += place[k]
	}
	out := make([]int32, n)
	for i := range n {
		k := key(i)
		out[place[k]] = int32(i)
		place[k]++
	}
	return out
}

// Inverse returns where each element of a permutation stands.
func Inverse(perm []int32) []int32 {
	at := make([]int32, len(perm))
	for i, p := range perm {
		at[p] = int32(i)
	}
	return at
}

// Source has the files with the orders, which are part of the identity of a kernel's trials.
//
//go:embed order.go rcm.go
var Source embed.FS

// Apply returns m in the order o.
func Apply[V sparse.Float](m *sparse.CSR[V], o Order) *sparse.CSR[V] {
	out, from := Structure(m, o)
	out.Val = make([]V, m.NNZ())
	eachPart(m.NNZ(), func(lo, hi int) {
		val := out.Val[lo:hi]
		for k, i := range from[lo:hi] {
			val[k] = m.Val[i]
		}
	})
	return out
}

// Structure returns m in the order o, but for the values, which are those of m as they are, and for each
// of its nonzeros which one of m it is.
func Structure[V sparse.Float](m *sparse.CSR[V], o Order) (*sparse.CSR[V], []int32) {
	out := &sparse.CSR[V]{
		Rows: m.Rows, Cols: m.Cols,
		RowPtr: make([]int32, m.Rows+1),
		ColIdx: make([]int32, m.NNZ()),
		Val:    m.Val,
	}
	for i, row := range o.Rows {
		out.RowPtr[i+1] = out.RowPtr[i] + m.RowPtr[row+1] - m.RowPtr[row]
	}
	from := make([]int32, m.NNZ())
	if o.Cols != nil {
		t := o.columns
		if t == nil {
			t = transpose(m)
		}
		moveColumns(out, from, o, t)
		return out, from
	}
	eachPart(m.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at, first, end := out.RowPtr[i], m.RowPtr[o.Rows[i]], m.RowPtr[o.Rows[i]+1]
			copy(out.ColIdx[at:], m.ColIdx[first:end])
			own := from[at : at+end-first]
			for k := range own {
				own[k] = first + int32(k)
			}
		}
	})
	return out, from
}

// eachPart calls f for parts of [0, n) on all cores, and waits for all of them.
func eachPart(n int, f func(lo, hi int)) {
	var wg panics.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		wg.Go(func() { f(n*part/parts, n*(part+1)/parts) })
	}
	wg.Wait()
}

// moveColumns makes the columns of out, and which nonzeros of the matrix they are. Columns come in
// their new order, so that those of each row do.
func moveColumns[V sparse.Float](out *sparse.CSR[V], from []int32, o Order, t *transposed) {
	next := make([]int32, out.Rows) // by the old number of the row
	for i, row := range o.Rows {
		next[row] = out.RowPtr[i]
	}
	for j, column := range o.Cols {
		lo, hi := t.ptr[column], t.ptr[column+1]
		of := t.of[lo:hi]
		for k, row := range t.rows[lo:hi] {
			at := next[row]
			out.ColIdx[at], from[at] = int32(j), of[k]
			next[row] = at + 1
		}
	}
}

// A transposed is the pattern of a matrix by columns.
type transposed struct {
	ptr  []int32 // where the nonzeros of a column begin
	rows []int32 // their rows, rising
	of   []int32 // which nonzero of the matrix each is
}

// transpose goes through the nonzeros of m once, or twice if the pattern is not symmetric. Where it
// is, the arrays of the transpose are those of m.
func transpose[V sparse.Float](m *sparse.CSR[V]) *transposed {
	if m.Rows == m.Cols {
		if of := mates(m); of != nil {
			return &transposed{m.RowPtr, m.ColIdx, of}
		}
	}
	t := &transposed{make([]int32, m.Cols+1), make([]int32, m.NNZ()), make([]int32, m.NNZ())}
	for _, j := range m.ColIdx {
		t.ptr[j+1]++
	}
	for j := range m.Cols {
		t.ptr[j+1] += t.ptr[j]
	}
	next := slices.Clone(t.ptr[:m.Cols])
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			at := &next[m.ColIdx[k]]
			t.rows[*at], t.of[*at] = int32(i), k
			*at++
		}
	}
	return t
}

// mates returns for each nonzero (i, j) which one is (j, i), or nil if one has none. Rows i come in
// order, so that (j, i) is the first nonzero of row j that was not asked for.
func mates[V sparse.Float](m *sparse.CSR[V]) []int32 {
	next := slices.Clone(m.RowPtr[:m.Rows])
	of := make([]int32, m.NNZ())
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			j := m.ColIdx[k]
			mate := next[j]
			if mate == m.RowPtr[j+1] || m.ColIdx[mate] != int32(i) {
				return nil
			}
			of[k] = mate
			next[j]++
		}
	}
	return of
}
