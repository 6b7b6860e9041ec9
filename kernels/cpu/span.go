// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"unsafe"

	"example.org/spmvtune/sparse"
)

// A span is an array without its length: what an inner loop reads and writes
// with no bounds check. This file and guest.go are the only ones of the package that use
// package unsafe.
//
// Invariant: every index given to at and set is within the slice that the span
// was made from. It holds because Load accepts only matrices whose row pointers
// rise from 0 to the number of entries and whose columns are below Cols, with x
// of length Cols; because formats are built from such matrices; and because
// chunks are cut at Rows and NNZ. A span of an empty slice is never read.
type span[T any] struct{ start *T }

func spanOf[T any](s []T) span[T] { return span[T]{unsafe.SliceData(s)} }

// at returns element i.
func (a span[T]) at(i int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(a.start), uintptr(i)*unsafe.Sizeof(*a.start)))
}

// set makes v element i.
func (a span[T]) set(i int, v T) {
	*(*T)(unsafe.Add(unsafe.Pointer(a.start), uintptr(i)*unsafe.Sizeof(*a.start))) = v
}

// col returns element i of a column array as an index. Columns are not
// negative, so that extending them costs no instruction.
func col(a span[int32], i int) int { return int(uint32(a.at(i))) }

// sizeOf is the size of one value in bytes.
func sizeOf[V sparse.Float]() int64 {
	var v V
	return int64(unsafe.Sizeof(v))
}
