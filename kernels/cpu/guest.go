// SPDX-License-Identifier: Apache-2.0

package cpu

import "unsafe"

// Bind returns what computes y = A·x for the vectors of another program, cols and rows values of the product's
// precision, which must stay where they are. It shares the matrix's form with p, and the scratch: one thread runs them
// at a time.
func (p *product[V]) Bind(x, y unsafe.Pointer) (run func(), err error) {
	o := *p.o
	o.x, o.y = unsafe.Slice((*V)(x), o.a.Cols), unsafe.Slice((*V)(y), o.a.Rows)
	bound, err := planOrdered(p.b, &o, p.k, p.c)
	return bound.run, err
}

// Update takes the values of the problem's matrix again, which have changed. What was bound is void.
func (p *product[V]) Update() (err error) {
	if _, same := any(p.b.problem.A.Val).([]V); !same {
		convert(p.b.pool, p.o.a.Val, p.b.problem.A.Val)
	}
	p.b.formats.kept, p.b.formats.bytes = nil, 0
	p.plan, err = planOrdered(p.b, p.o, p.k, p.c)
	return err
}
