package cpu

import (
	"math"
	"math/rand/v2"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// An operand is the current problem in one precision. y is the result of every
// product in that precision.
type operand[V sparse.Float] struct {
	a     *sparse.CSR[V]
	x, y  []V
	own   []V            // the values of x in the problem
	room  []V            // y with guards on both sides
	order reorder.Method // of the rows of a; "" for that of the problem
}

// guard is the number of elements before y, and after it, that no product may
// write. They hold the value guarded.
const (
	guard   = 32
	guarded = 0x1p-77
)

// newOperand converts p to V. If fresh, nothing of it shares memory with p, and
// arrays begin at random places of a page.
func newOperand[V sparse.Float](p *kernels.Problem, fresh bool) *operand[V] {
	a := &sparse.CSR[V]{Rows: p.A.Rows, Cols: p.A.Cols, RowPtr: p.A.RowPtr, ColIdx: p.A.ColIdx}
	if fresh {
		a.RowPtr = append(shifted[int32](len(a.RowPtr), fresh)[:0], a.RowPtr...)
		a.ColIdx = append(shifted[int32](len(a.ColIdx), fresh)[:0], a.ColIdx...)
	}
	o := &operand[V]{a: a}
	if val, same := any(p.A.Val).([]V); same && !fresh {
		a.Val = val
	} else {
		a.Val = convert(shifted[V](len(p.A.Val), fresh), p.A.Val)
	}

	o.own = convert(make([]V, a.Cols), p.X)
	o.x = append(shifted[V](a.Cols, fresh)[:0], o.own...)
	o.makeY(fresh)
	return o
}

// makeY makes y between its guards.
func (o *operand[V]) makeY(fresh bool) {
	o.room = shifted[V](o.a.Rows+2*guard, fresh)
	o.placeY()
}

// placeY makes y a part of room.
func (o *operand[V]) placeY() {
	rows := o.a.Rows
	o.y = o.room[guard : guard+rows : guard+rows]
	for i := range guard {
		o.room[i], o.room[guard+rows+i] = guarded, guarded
	}
}

// shifted allocates n elements. If fresh, they begin at a random place of a page.
func shifted[T any](n int, fresh bool) []T {
	if !fresh {
		return make([]T, n)
	}
	pad := rand.IntN(1024)
	return slices.Clip(make([]T, pad+n)[pad:])
}

func convert[V sparse.Float](to []V, from []float64) []V {
	for i, v := range from {
		to[i] = V(v)
	}
	return to
}

// poison fills y with NaN.
func (o *operand[V]) poison() { fill(o.y, V(math.NaN())) }

//go:norace
func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// check gives an error if a product has written beside y.
func (o *operand[V]) check() error {
	for i := range guard {
		if o.room[i] != guarded || o.room[len(o.room)-1-i] != guarded {
			return &kernels.OverrunError{Array: "y"}
		}
	}
	return nil
}
