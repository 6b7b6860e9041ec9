// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
)

// An ordering is the problem in another order. x and y of inner are in that order, too.
type ordering[V sparse.Float] struct {
	inner   *operand[V]
	columns []int32 // which column comes where; nil where they keep their order
	places  []int32 // where each row went
}

// planOrdered plans a kernel in the order that c asks for. A product puts x into that order, and y
// back into the problem's.
func planOrdered[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (plan, error) {
	how, set := c.Params.Get(kernels.Reorder)
	if !set || how == "none" {
		return planKernel(b, o, k, c)
	}
	r, cost, err := orderingOf(b, o, c.Precision, reorder.Method(how))
	if err != nil {
		return plan{}, &kernels.InvalidError{Reason: err.Error()}
	}
	before, workers := func() {}, max(1, c.Grid)
	if r.columns != nil {
		before = gather(b, workers, r.inner.x, o.x, r.columns)
	} else {
		r.inner.x = o.x // it may have been that of a fresh product
	}
	p, err := planKernel(b, r.inner, k, c)
	if err != nil {
		return plan{}, err
	}

	p.cost += cost
	p.own += r.bytes()
	p.check = r.inner.check
	run, poison, after := p.run, p.poison, gather(b, workers, o.y, r.inner.y, r.places)
	p.run = func() {
		before()
		run()
		after()
	}
	p.poison = func() {
		if poison != nil {
			poison()
		}
		r.inner.poison()
		if r.columns != nil {
			fill(r.inner.x, V(math.NaN()))
		}
	}
	return p, nil
}

// orderingOf returns o in another order, and what that cost.
func orderingOf[V sparse.Float](b *Backend, o *operand[V], p kernels.Precision, how reorder.Method) (
	*ordering[V], time.Duration, error,
) {
	return build(b.formats, formatKey{precision: p, order: how}, func() (*ordering[V], int64, error) {
		to, err := reorder.Of(o.a, how)
		if err != nil {
			return nil, 0, err
		}
		a := reorder.Apply(o.a, to)
		r := &ordering[V]{
			inner:   &operand[V]{a: a, order: how},
			columns: to.Cols, places: reorder.Inverse(to.Rows),
		}
		r.inner.makeY(false)
		if r.columns != nil {
			r.inner.x = make([]V, a.Cols)
		}
		return r, r.bytes() + csrBytes(a), nil
	})
}

// bytes is the size of the permutations and of the vectors in the new order.
func (r *ordering[V]) bytes() int64 {
	return int64(len(r.places)+len(r.columns)) * (4 + sizeOf[V]())
}

// gather returns what makes to[i] = from[source[i]], on some workers. It allocates
// nothing.
func gather[V sparse.Float](b *Backend, workers int, to, from []V, source []int32) func() {
	n, t, f, s := len(source), spanOf(to), spanOf(from), spanOf(source)
	work := func(w int) {
		for i, end := splitAt(n, w, workers), splitAt(n, w+1, workers); i < end; i++ {
			t.set(i, f.at(col(s, i)))
		}
	}
	return func() { b.pool.run(workers, work) }
}
