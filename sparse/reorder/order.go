package reorder

import (
	"fmt"
	"slices"

	"spmvtune/sparse"
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
