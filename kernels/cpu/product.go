package cpu

import (
	"fmt"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
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
func prepare[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, own kernels.Own, c kernels.Config) (
	kernels.Product, error,
) {
	if k.Guest {
		return prepareOwn(b, o, own, c)
	}
	p, err := planOrdered(b, o, k, c)
	if err != nil {
		return nil, err
	}
	return &product[V]{b: b, o: o, plan: p}, nil
}

// planKernel plans the kernel k on the matrix as o has it.
func planKernel[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (plan, error) {
	switch c.Kernel {
	case "cpu_coo":
		return planCOO(b, o), nil
	case "cpu_csr":
		return planCSR(o), nil
	case "cpu_coo_chunks":
		return planCOOChunks(b, o, c), nil
	case "cpu_csr_rows":
		return planCSRRows(b, o, c), nil
	case "cpu_csr_merge":
		return planMerge(b, o, c), nil
	case "cpu_sell":
		return planSELL(b, o, k, c)
	default:
		return plan{}, fmt.Errorf("%s is in the catalogue but not in this program", c.Kernel)
	}
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
	p.o.poison()
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

	convert(p.o.x, x)
	p.run()
	copy(p.o.x, p.o.own)
	return nil
}

// Result copies the y that the last product left.
func (p *product[V]) Result(y []float64) error {
	if len(y) != p.o.a.Rows {
		return fmt.Errorf("y has %d elements for %d rows", len(y), p.o.a.Rows)
	}
	for i, v := range p.o.y {
		y[i] = float64(v)
	}
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
