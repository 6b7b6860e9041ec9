// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"
	"weak"

	"gorgonia.org/cu"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A product implements kernels.Product.
type product struct {
	b       *Backend
	program *program
	rows, v int
	x, y    cu.DevicePtr
	written []*array // y and scratch
	info    kernels.ProductInfo
	since   time.Duration  // of busy time, when the product was made
	entries []*entry       // its kernels
	checked bool           // since it ran last: nothing else has written since
	vendor  *vendorProduct // nil for this program's own kernels
	seals   []seal         // of a kernel of the sweep, which may write where it reads
	values  []permutedValues
	walk    *walk // nil until Walk was called
}

var _ kernels.Product = (*product)(nil)

// Info says what preparing cost, what the kernel moves, and how it was timed.
func (p *product) Info() kernels.ProductInfo {
	info := p.info
	info.Resolution, info.Busy, info.Loaded = p.b.tick, p.b.clock.busy()-p.since, p.loaded()
	if p.b.clock.c.ungated != 0 {
		info.Warnings = []string{"launches wait for the device here (under a debugger?), so that the time to launch " +
			"is in the samples"}
	}
	if p.program.replay != nil && p.program.replay.refused != 0 {
		info.Warnings = append(info.Warnings,
			"the product can't be replayed as a graph: each of its kernels was launched by the host")
	}
	return info
}

// loaded reports whether all its kernels have run, which loads what the driver loads late.
func (p *product) loaded() bool {
	return !slices.ContainsFunc(p.entries, func(e *entry) bool { return !e.ran })
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

	if err := p.put(x); err != nil {
		return err
	}
	if err := p.run(); err != nil {
		return err
	}
	return p.put(own)
}

// put makes x the one that products read. It comes from the host once.
func (p *product) put(x []float64) error {
	if len(x) == 0 {
		return nil
	}
	_, err := p.b.originals.provide(keyOf(x, p.v), p.x, int64(p.v)*int64(len(x)),
		func(to cu.DevicePtr) error { return p.b.put(to, p.v, x) })
	return err
}

// Result copies the y that the last product left, and looks at the guards.
func (p *product) Result(y []float64) error {
	if err := p.usable(); err != nil {
		return err
	}
	if len(y) != p.rows {
		return fmt.Errorf("y has %d elements for %d rows", len(y), p.rows)
	}
	if err := p.widen(y, p.y); err != nil {
		return err
	}
	return p.check()
}

// check gives an error if a product has written beside its arrays.
func (p *product) check() error {
	if p.checked {
		return nil
	}
	intact, err := p.b.intact(slices.Concat(lists.Of(p.written, (*array).guards)...))
	if err != nil {
		return p.failed(err, "reading guards")
	}
	if i := slices.Index(intact, false); i >= 0 {
		return &kernels.OverrunError{Array: p.written[i/2].name()}
	}
	err = p.b.broken(p.seals)
	p.checked = err == nil
	return err
}

// widen copies values from the device, by the staging memory: one half is widened while the device fills the other.
func (p *product) widen(y []float64, from cu.DevicePtr) error {
	var part []float64
	for half := 0; ; half++ {
		var err error
		if half > 0 {
			err = p.b.stream.Synchronize()
		}
		next := y[:min(len(y), stagedValues)]
		if err == nil && len(next) > 0 {
			err = cu.MemcpyDtoHAsync(p.b.staged(half), from, int64(p.v)*int64(len(next)), p.b.stream)
		}
		if err != nil {
			return failed(err, "copying %d values from the device", len(next))
		}
		if at := p.b.staged(half + 1); p.v == 4 {
			convert(part, unsafe.Slice((*float32)(at), len(part)))
		} else {
			convert(part, unsafe.Slice((*float64)(at), len(part)))
		}
		if len(next) == 0 {
			return nil
		}
		part, y, from = next, y[len(next):], from+cu.DevicePtr(p.v*len(next))
	}
}

// run computes the product once and waits for it.
func (p *product) run() error {
	p.checked = false
	took, err := p.b.clock.run(p.program)
	if err != nil {
		return p.failed(err, "running")
	}
	p.info.Multiplied = took
	for _, e := range p.entries {
		e.ran = true
	}
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

	if !p.loaded() {
		// A kernel is loaded at its first launch. That may wait for the device,
		// which the gate would hold.
		if err := p.run(); err != nil {
			return err
		}
	}
	p.checked = false
	if err := p.b.clock.sample(p.program, dst, batch, cold); err != nil {
		return p.failed(err, "timing")
	}

	return nil
}

// failed adds the step that failed; a library knows more about its own errors.
func (p *product) failed(err error, doing string) error {
	if p.vendor != nil {
		err = cmp.Or(p.vendor.failure(), err)
	}
	return failed(err, "%s", doing)
}

func (p *product) usable() error {
	if p.b.current != p {
		return errors.New("the product is from before the last Prepare or Load")
	}
	return nil
}

func (p *product) release() {
	p.program.release()
	if p.vendor != nil {
		p.vendor.release()
	}
}

// Prepare prepares a product for c.
func (b *Backend) Prepare(c kernels.Config, o kernels.Options) (kernels.Product, error) {
	if b.problem == nil {
		return nil, fmt.Errorf("preparing %s: no problem is loaded", c)
	}
	k, ok := b.Find(c.Kernel)
	if !ok || k.Backend != "cuda" {
		return nil, invalid("%q is not a kernel for the GPU", c.Kernel)
	}
	if err := k.Check(c); err != nil {
		return nil, err
	}

	b.drop()
	b.arrays.next()
	if o.Fresh {
		if err := b.arrays.scatter(); err != nil {
			return nil, err
		}
	}
	loaded, prepare := b.modules.cost, b.prepareRecipe
	if vendorRecipes[c.Kernel] != nil {
		prepare = b.prepareVendor
	}
	p, err := prepare(k, c, o.Launch)
	b.current = p // dropped by the next one, also where making the arrays failed
	if err := errors.Join(err, b.arrays.made()); err != nil {
		return nil, err
	}
	p.info.Loading = b.modules.cost - loaded
	return p, nil
}

// prepareRecipe makes the recipe and puts its arrays and steps on the device.
func (b *Backend) prepareRecipe(k kernels.Kernel, c kernels.Config, launch kernels.Launch) (*product, error) {
	if err := b.adoptFor(c); err != nil {
		return nil, err
	}
	p, r, own, err := b.begin(k, c, func() (*recipe, error) { return b.recipe(c) })
	if err != nil {
		return nil, err
	}
	p.info.Window = r.Window
	if k.Custom {
		if p.seals, err = b.sealed(own); err != nil {
			return nil, err
		}
	}
	ops, err := b.ops(r, own, p)
	if err != nil {
		return nil, err
	}
	p.program = newProgram(ops, launch)
	return p, nil
}

// begin makes a product of a recipe, with its arrays on the device, by name.
func (b *Backend) begin(k kernels.Kernel, c kernels.Config, of func() (*recipe, error)) (
	*product, *recipe, map[string]*array, error,
) {
	start, before := time.Now(), reusedCost()
	r, err := of()
	if err != nil {
		return nil, nil, nil, err
	}
	// A packing made for an earlier configuration counts with its cost then.
	p := &product{b: b, rows: b.problem.A.Rows, v: c.Precision.Bytes(), since: b.clock.busy()}
	p.info = kernels.ProductInfo{Prepare: time.Since(start) + reusedCost() - before,
		BytesFormat: formatBytes(k.Format, b.problem.A, p.v, r), Properties: map[string]float64{}}
	own, err := b.place(r, p)
	return p, r, own, err
}

// recipe makes the recipe of c.
func (b *Backend) recipe(c kernels.Config) (*recipe, error) {
	if o, ok := b.Custom(c.Kernel); ok {
		return customRecipe(o, b.problem.A, c)
	}
	return newRecipe(b.problem.A, c, c.Precision.Bytes())
}

// place puts the arrays that r names on the device, and notes their sizes and
// what those beyond CSR cost. It returns them by name.
func (b *Backend) place(r *recipe, p *product) (map[string]*array, error) {
	own := map[string]*array{}
	for g := range r.arrays {
		a, err := b.array(g, p.v)
		if err != nil {
			return nil, fmt.Errorf("preparing %s: %w", g.array, err)
		}
		own[g.array] = a
		if g.array == val || g.own != nil && len(g.own.Vals) > 0 {
			p.values = append(p.values, permutedValues{a.ptr, g.own})
		}
		p.info.BytesKernel += a.bytes
		if g.packed() || g.array == rowIdx {
			p.info.Prepare += a.cost
		}
		if a.guarded && g.array != vecY {
			p.written = append(p.written, a)
		}
	}

	// A recipe without steps (an empty matrix) still has a y.
	y, err := b.common(vecY, p.v)
	if err != nil {
		return nil, err
	}
	p.y, p.written = y.ptr, append(p.written, y)
	if x := own[vecX]; x != nil {
		p.x = x.ptr
	}
	return own, nil
}

// An aux array with content is named by the host's memory that it is packed in (a weak pointer
// is never equal to one to other memory, freed or not), so that configurations that share a
// packing share the array. Scratch arrays of the same name are shared.
type (
	auxKey struct {
		memory weak.Pointer[int32]
		n, v   int // elements; bytes of a value, 0 for indices
	}
	scratchKey string
)

// array returns an array that a recipe names.
func (b *Backend) array(g arg, v int) (*array, error) {
	x := g.own
	switch {
	case x == nil:
		return b.common(g.array, v)
	case len(x.Ints) > 0:
		return b.ints(auxKey{weak.Make(&x.Ints[0]), len(x.Ints), 0}, x.Ints)
	case len(x.Vals) > 0:
		return b.arrays.get(auxKey{weak.Make(&x.Vals[0]), len(x.Vals), v}, x.size(v), reads,
			func(p cu.DevicePtr) error { return b.putValues(p, v, x) })
	}
	return b.arrays.get(scratchKey(g.array), x.size(v), writes,
		func(p cu.DevicePtr) error { return poison(b.stream, p, x.size(v)) })
}

// ops turns a recipe into operations: the zeroing first, then the steps.
func (b *Backend) ops(r *recipe, own map[string]*array, p *product) ([]op, error) {
	var ops []op
	if r.Zero && p.rows > 0 {
		ops = append(ops, op{dst: p.y, words: p.rows * p.v / 4})
	}
	for g := range r.arrays {
		if g.own != nil && g.own.Clear && g.own.size(p.v) > 0 {
			ops = append(ops, op{dst: own[g.array].ptr, words: int((g.own.size(p.v) + 3) / 4)})
		}
	}

	var launches []launch
	for _, s := range r.Steps {
		if s.Grid == 0 {
			continue
		}
		e, err := b.modules.entry(s.Entry + suffix(p.v))
		if err != nil {
			return nil, err
		}

		perUnit, err := b.modules.ready(e, s.Grid, s.Block, s.Shared)
		if err != nil {
			return nil, err
		}
		shared := e.shared + s.Shared + b.modules.limits.reserved
		if perUnit = s.blocks(perUnit, shared); s.AtOnce {
			s.Grid = min(s.Grid, perUnit*b.device.Units)
		}
		args, a := make([]uint64, len(s.Args)), b.problem.A
		for i, g := range s.Args {
			switch {
			case g.kept:
				args[i] = uint64(piecesKept(b.device.Cache, p.info.BytesKernel, int64(p.v*(a.Rows+a.Cols))))
			case g.array != "":
				args[i] = uint64(own[g.array].ptr)
			default:
				args[i] = uint64(uint32(g.value))
			}
		}

		p.entries = append(p.entries, e)
		held := min(perUnit, ceilDiv(s.Grid, b.device.Units)) * shared
		ops = append(ops, op{function: e.f, grid: s.Grid, block: s.Block, shared: s.Shared, args: args,
			carveout: ceilDiv(100*held, b.modules.limits.sharedPerUnit), carved: e.carved}) // the L1 cache has all the rest, for x
		launches = append(launches, launch{e, s, perUnit})
	}

	b.modules.facts(launches, p.info.Properties)
	p.info.Properties["operations"] = float64(len(ops))
	return ops, nil
}

// formatBytes is the size of a in a kernel's format, padding included.
func formatBytes(f kernels.Format, a *sparse.CSR[float64], v int, r *recipe) int64 {
	nnz := int64(a.NNZ())
	switch f {
	case kernels.COO:
		return int64(8+v) * nnz
	case kernels.SELL, kernels.BSR, kernels.Tiles, kernels.Panels:
		var bytes int64
		for g := range r.arrays {
			if g.packed() {
				bytes += g.own.size(v)
			}
		}
		return bytes
	default:
		return 4*int64(a.Rows+1) + int64(4+v)*nnz
	}
}
