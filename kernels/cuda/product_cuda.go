//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// A product implements kernels.Product.
type product struct {
	b       *Backend
	program *program
	rows, v int
	x, y    cu.DevicePtr
	written []*array // y and scratch
	info    kernels.ProductInfo
	ran     bool           // once, which loads what the driver loads late
	vendor  *vendorProduct // nil for this program's own kernels
	seals   []seal         // of a kernel of the sweep, which may write where it reads
}

var _ kernels.Product = (*product)(nil)

// Info says what preparing cost, what the kernel moves, and how it was timed.
func (p *product) Info() kernels.ProductInfo {
	info := p.info
	info.Resolution = p.b.tick
	if p.b.clock.ungated() {
		info.Warnings = []string{"launches wait for the device here (under a debugger?), so that the time to launch " +
			"is in the samples"}
	}
	if p.program.refused() {
		info.Warnings = append(info.Warnings,
			"the product can't be replayed as a graph: each of its kernels was launched by the host")
	}
	return info
}

// Poison fills y and the scratch with NaN.
func (p *product) Poison() error {
	if err := p.usable(); err != nil {
		return err
	}
	for _, a := range p.written {
		if err := poison(p.b.stream, a.ptr, a.bytes); err != nil {
			return err
		}
	}
	return nil
}

// Multiply computes y once, of x or of the problem's x.
func (p *product) Multiply(x []float64) error {
	if err := p.usable(); err != nil {
		return err
	}
	if x == nil || p.x == 0 {
		return p.run()
	}
	own := p.b.problem.X
	if len(x) != len(own) {
		return fmt.Errorf("x has %d elements for %d columns", len(x), len(own))
	}

	if err := p.b.put(p.x, p.v, x); err != nil {
		return err
	}
	if err := p.run(); err != nil {
		return err
	}
	return p.b.put(p.x, p.v, own)
}

// Result copies the y that the last product left, and looks at the guards.
func (p *product) Result(y []float64) error {
	if err := p.usable(); err != nil {
		return err
	}
	if len(y) != p.rows {
		return fmt.Errorf("y has %d elements for %d rows", len(y), p.rows)
	}
	copied := p.widen
	if p.v == 8 {
		copied = func(y []float64) error { return download(p.b.stream, y, p.y) }
	}
	if err := copied(y); err != nil {
		return err
	}
	return p.check()
}

// check gives an error if a product has written beside its arrays.
func (p *product) check() error {
	var places []cu.DevicePtr
	for _, a := range p.written {
		places = append(places, a.guards()...)
	}
	intact, err := p.b.guards.intact(p.b.stream, places)
	if err != nil {
		return p.failed(err, "reading guards")
	}
	if i := slices.Index(intact, false); i >= 0 {
		return &kernels.OverrunError{Array: p.written[i/2].name()}
	}
	return p.b.broken(p.seals)
}

// widen copies a y of float32 from the device.
func (p *product) widen(y []float64) error {
	if cap(p.b.single) < len(y) {
		p.b.single = make([]float32, len(y))
	}
	single := p.b.single[:len(y)]
	if err := download(p.b.stream, single, p.y); err != nil {
		return err
	}

	for i, v := range single {
		y[i] = float64(v)
	}
	return nil
}

// run computes the product once and waits for it.
func (p *product) run() error {
	took, err := p.b.clock.run(p.program)
	if err != nil {
		return p.failed(err, "running")
	}
	p.ran, p.info.Multiplied = true, took
	return nil
}

// Sample times the product by events on the device: its zeroing, and all its
// launches. Samples are enqueued behind a gate, so that the host's latency is
// not in them.
func (p *product) Sample(dst []float64, batch int, cold bool) error {
	if batch < 1 || cold && batch != 1 {
		return fmt.Errorf("sampling with a batch of %d, cold %t: a batch is at least 1, and 1 if cold", batch, cold)
	}
	if err := p.usable(); err != nil {
		return err
	}

	if !p.ran {
		// A kernel is loaded at its first launch. That may wait for the device,
		// which the gate would hold.
		if err := p.run(); err != nil {
			return err
		}
	}
	if err := p.b.clock.sample(p.program, dst, batch, cold); err != nil {
		return p.failed(err, "timing")
	}

	return nil
}

// failed adds the step that failed; a library knows more about its own errors.
func (p *product) failed(err error, doing string) error {
	if p.vendor != nil {
		if own := p.vendor.failure(); own != nil {
			err = own
		}
	}
	return failed(err, "%s", doing)
}

var errStale = errors.New("the product is from before the last Prepare or Load")

func (p *product) usable() error {
	if p.b.current != p {
		return errStale
	}
	return nil
}

func (p *product) release() {
	p.program.release()
	if p.vendor != nil {
		p.vendor.release()
	}
}
