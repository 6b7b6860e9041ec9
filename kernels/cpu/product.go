// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
)

// A plan is a kernel made ready for the current problem.
type plan struct {
	run    func()             // computes y once, allocating nothing
	cost   time.Duration      // of building what it needs beyond CSR
	format int64              // bytes of the matrix in its format
	own    int64              // bytes of its further arrays, x and y left out
	facts  map[string]float64 // about the launch
	poison func()             // spoils the scratch of run; nil: it has none
	check  func() error       // says if run wrote beside its scratch; nil: nothing can tell
}

// prepare plans the kernel k as c says. c is legal.
func prepare[V sparse.Float](
	b *Backend, kept **operand[V], k kernels.Kernel, mine kernels.Custom, c kernels.Config, fresh bool,
) (kernels.Product, error) {
	if *kept == nil {
		*kept = newOperand[V](b.pool, b.problem)
	}
	o := *kept
	if k.Custom {
		return prepareCustom(b, o, mine, c, fresh)
	}
	b.formats.fresh = nil
	if fresh {
		o = o.elsewhere(b.pool, k.Format, true)
		b.formats.fresh = o
	}
	p, err := planOrdered(b, o, k, c)
	if err != nil {
		return nil, err
	}
	return &product[V]{b: b, o: o, k: k, c: c, plan: p}, nil
}

// A product implements kernels.Product.
type product[V sparse.Float] struct {
	b *Backend
	o *operand[V]
	k kernels.Kernel
	c kernels.Config
	plan
}

var _ kernels.Product = (*product[float32])(nil)

// Poison fills y with NaN and spoils the scratch.
func (p *product[V]) Poison() error {
	share(p.b.pool, p.o.y, func(_ int, part []V) { fill(part, V(math.NaN())) })
	if p.poison != nil {
		p.poison()
	}
	return nil
}

// Multiply computes y once, of x or of the problem's x.
func (p *product[V]) Multiply(x []float64) error {
	if x == nil {
		p.run()
		return nil
	}
	if len(x) != p.o.a.Cols {
		return fmt.Errorf("x has %d elements for %d columns", len(x), p.o.a.Cols)
	}

	convert(p.b.pool, p.o.x, x)
	p.run()
	convert(p.b.pool, p.o.x, p.b.problem.X)
	return nil
}

// Result copies the y that the last product left.
func (p *product[V]) Result(y []float64) error {
	if len(y) != p.o.a.Rows {
		return fmt.Errorf("y has %d elements for %d rows", len(y), p.o.a.Rows)
	}
	convert(p.b.pool, y, p.o.y)
	return p.within()
}

// Rows copies some rows of it.
func (p *product[V]) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = float64(p.o.y[i])
	}
	return p.within()
}

// within gives an error if the last product wrote outside its arrays, as far as something can tell.
func (p *product[V]) within() error {
	if p.check != nil {
		if err := p.check(); err != nil {
			return err
		}
	}
	return p.o.check()
}

// Sample times the product by the monotonic clock.
func (p *product[V]) Sample(dst []float64, batch int, cold bool) error {
	if batch < 1 || cold && batch != 1 {
		return fmt.Errorf("sampling with a batch of %d, cold %t: a batch is at least 1, and 1 if cold", batch, cold)
	}
	for i := range dst {
		if cold {
			p.b.evictor.evict(p.b.pool, len(p.b.cores))
		}
		start := time.Now()
		for range batch {
			p.run()
		}
		dst[i] = time.Since(start).Seconds() / float64(batch)
	}

	return nil
}

// Info says what preparing cost and what the kernel moves.
func (p *product[V]) Info() kernels.ProductInfo {
	vectors := int64(p.o.a.Rows+p.o.a.Cols) * sizeOf[V]()
	return kernels.ProductInfo{
		Prepare:     p.cost,
		BytesFormat: p.format,
		BytesKernel: p.format + p.own + vectors,
		Resolution:  p.b.tick,
		Properties:  p.facts,
	}
}

// An operand is the current problem in one precision. y is the result of every
// product in that precision.
type operand[V sparse.Float] struct {
	a     *sparse.CSR[V]
	x, y  []V
	room  []V            // y with guards on both sides
	order reorder.Method // of the rows of a; "" for that of the problem
	fresh kernels.Format // of the kernels for which it lies in memory of its own; "" if it is shared
}

// guard is the number of elements before y, and after it, that no product may
// write. They hold the value guarded.
const (
	guard   = 32
	guarded = 0x1p-77
)

// newOperand converts p to V.
func newOperand[V sparse.Float](on *pool, p *kernels.Problem) *operand[V] {
	o := &operand[V]{a: &sparse.CSR[V]{Rows: p.A.Rows, Cols: p.A.Cols, RowPtr: p.A.RowPtr, ColIdx: p.A.ColIdx}}
	if val, same := any(p.A.Val).([]V); same {
		o.a.Val = val
	} else {
		o.a.Val = convert(on, shifted[V](len(p.A.Val), false), p.A.Val)
	}
	o.x = convert(on, shifted[V](len(p.X), false), p.X)
	o.makeY(false)
	return o
}

// elsewhere is o for a product that shares no memory with others: x, y, and what kernels of a format read of the matrix.
func (o *operand[V]) elsewhere(on *pool, f kernels.Format, shift bool) *operand[V] {
	a := *o.a
	if f != kernels.SELL {
		a.ColIdx, a.Val = elsewhere(on, a.ColIdx, shift), elsewhere(on, a.Val, shift)
	}
	if f == kernels.CSR {
		a.RowPtr = elsewhere(on, a.RowPtr, shift)
	}
	to := &operand[V]{a: &a, x: elsewhere(on, o.x, shift), order: o.order, fresh: f}
	to.makeY(shift)
	return to
}

// elsewhere copies s into new memory.
//
// Note: forms of a matrix begin with a page, as they do where they are built. Shifted as an operand is, cpu_sell was 1.2
// to 1.7% faster with chunks of 8 in float32, so that repeats would have told of something else than another run.
func elsewhere[T any](on *pool, s []T, shift bool) []T {
	to := shifted[T](len(s), shift)
	share(on, to, func(at int, part []T) { copy(part, s[at:]) })
	return to
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

// shifted allocates n elements. If fresh, they begin at a random place of a page. This thread is the first that touches
// them, which decides where in the machine's memory they lie.
func shifted[T any](n int, fresh bool) []T {
	pad := 0
	if fresh {
		pad = rand.IntN(1024)
	}
	s := slices.Clip(make([]T, pad+n)[pad:])
	for i := 0; i < n; i += onPage {
		s[i] = *new(T)
	}
	return s
}

// onPage is how many elements of 8 bytes a page of memory has at least, and few how many elements one core is done with
// before others have begun.
const (
	onPage = 512
	few    = 1 << 14
)

// share calls f for parts of s on all cores, with the place of the first element.
func share[T any](on *pool, s []T, f func(from int, part []T)) {
	n := len(on.cpus)
	if len(s) < few {
		n = 1
	}
	on.run(n, func(w int) {
		lo := splitAt(len(s), w, n)
		f(lo, s[lo:splitAt(len(s), w+1, n)])
	})
}

// convert copies, rounds or widens numbers, on all cores.
func convert[V, W sparse.Float](on *pool, to []V, from []W) []V {
	share(on, to, func(at int, part []V) {
		for i := range part {
			part[i] = V(from[at+i])
		}
	})
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

// A formatKey names a form of the current matrix.
type formatKey struct {
	format    kernels.Format    // "" for the matrix in another order
	precision kernels.Precision // "" where the form holds no values
	order     reorder.Method    // of the rows; "" for that of the problem
	c, sigma  int               // of SELL
}

// formats keeps forms of the current matrix. Each is built once; its cost is kept with it. The
// one used longest ago is dropped when they outgrow limit.
type formats struct {
	limit, bytes int64
	kept         []*format // least recently used first
	on           *pool
	fresh        any // the operand of a product that gets copies of them; nil: it gets what is kept
}

type format struct {
	key   formatKey
	value any
	bytes int64
	cost  time.Duration
}

// build returns the form named key, made by construct unless it is kept, and the
// time that making it took. construct returns the form and its size in bytes.
func build[T any](f *formats, key formatKey, construct func() (T, int64, error)) (T, time.Duration, error) {
	var e *format
	if i := slices.IndexFunc(f.kept, func(e *format) bool { return e.key == key }); i >= 0 {
		e = f.kept[i]
		f.kept = append(slices.Delete(f.kept, i, i+1), e)
	} else {
		start := time.Now()
		value, bytes, err := construct()
		if err != nil {
			return value, 0, err
		}
		e = &format{key: key, value: value, bytes: bytes, cost: time.Since(start)}
		f.kept = append(f.kept, e)
		f.bytes += bytes
	}
	for f.bytes > f.limit && len(f.kept) > 1 {
		f.bytes -= f.kept[0].bytes
		f.kept = slices.Delete(f.kept, 0, 1)
	}

	if f.fresh != nil {
		return f.elsewhere(e.value).(T), e.cost, nil
	}
	return e.value.(T), e.cost, nil
}

// elsewhere copies a form into new memory.
func (f *formats) elsewhere(form any) any {
	switch form := form.(type) {
	case []int32:
		return elsewhere(f.on, form, false)
	case *sparse.SELL[float32]:
		return sellElsewhere(f.on, form)
	case *sparse.SELL[float64]:
		return sellElsewhere(f.on, form)
	case *ordering[float32]:
		return form.elsewhere(f.on, f.fresh.(*operand[float32]))
	default:
		return form.(*ordering[float64]).elsewhere(f.on, f.fresh.(*operand[float64]))
	}
}

func sellElsewhere[V sparse.Float](on *pool, s *sparse.SELL[V]) *sparse.SELL[V] {
	to := *s
	to.Perm, to.ChunkPtr = elsewhere(on, s.Perm, false), elsewhere(on, s.ChunkPtr, false)
	to.ColIdx, to.Val = elsewhere(on, s.ColIdx, false), elsewhere(on, s.Val, false)
	return &to
}

// elsewhere copies an ordering for the product of o.
func (r *ordering[V]) elsewhere(on *pool, o *operand[V]) *ordering[V] {
	to := &ordering[V]{inner: r.inner.elsewhere(on, o.fresh, false), places: elsewhere(on, r.places, false)}
	if r.columns == nil {
		to.inner.x = o.x
	} else {
		to.columns = elsewhere(on, r.columns, false)
	}
	return to
}
