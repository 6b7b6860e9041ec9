package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
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
func prepare[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, mine kernels.Custom, c kernels.Config) (
	kernels.Product, error,
) {
	if k.Custom {
		return prepareCustom(b, o, mine, c)
	}
	p, err := planOrdered(b, o, k, c)
	if err != nil {
		return nil, err
	}
	return &product[V]{b: b, o: o, plan: p}, nil
}

// A product implements kernels.Product.
type product[V sparse.Float] struct {
	b *Backend
	o *operand[V]
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
	convert(p.b.pool, p.o.x, p.o.own)
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

// operandOf is the problem in V, which is kept unless it is to be fresh.
func operandOf[V sparse.Float](b *Backend, kept **operand[V], fresh bool) *operand[V] {
	if *kept == nil || fresh {
		*kept = newOperand[V](b.pool, b.problem, fresh)
	}
	return *kept
}

// newOperand converts p to V. If fresh, nothing of it shares memory with p, and
// arrays begin at random places of a page.
func newOperand[V sparse.Float](on *pool, p *kernels.Problem, fresh bool) *operand[V] {
	a := &sparse.CSR[V]{Rows: p.A.Rows, Cols: p.A.Cols, RowPtr: p.A.RowPtr, ColIdx: p.A.ColIdx}
	if fresh {
		a.RowPtr = convert(on, shifted[int32](len(a.RowPtr), fresh), a.RowPtr)
		a.ColIdx = convert(on, shifted[int32](len(a.ColIdx), fresh), a.ColIdx)
	}
	o := &operand[V]{a: a}
	if val, same := any(p.A.Val).([]V); same && !fresh {
		a.Val = val
	} else {
		a.Val = convert(on, shifted[V](len(p.A.Val), fresh), p.A.Val)
	}

	o.own = convert(on, shifted[V](a.Cols, false), p.X)
	o.x = convert(on, shifted[V](a.Cols, fresh), o.own)
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
func convert[V, W int32 | sparse.Float](on *pool, to []V, from []W) []V {
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
	i := slices.IndexFunc(f.kept, func(e *format) bool { return e.key == key })
	if i >= 0 {
		e := f.kept[i]
		f.kept = append(slices.Delete(f.kept, i, i+1), e)
		return e.value.(T), e.cost, nil
	}

	start := time.Now()
	value, bytes, err := construct()
	if err != nil {
		return value, 0, err
	}

	e := &format{key: key, value: value, bytes: bytes, cost: time.Since(start)}
	f.kept = append(f.kept, e)
	f.bytes += bytes
	for f.bytes > f.limit && len(f.kept) > 1 {
		f.bytes -= f.kept[0].bytes
		f.kept = slices.Delete(f.kept, 0, 1)
	}

	return value, e.cost, nil
}
