//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"time"
	"weak"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// Prepare prepares a product for c.
func (b *Backend) Prepare(c kernels.Config, o kernels.Options) (kernels.Product, error) {
	if b.problem == nil {
		return nil, fmt.Errorf("preparing %s: no problem is loaded", c)
	}
	k, ok := b.Find(c.Kernel)
	if !ok || k.Backend != "cuda" {
		return nil, &kernels.InvalidError{Reason: fmt.Sprintf("%q is not a kernel for the GPU", c.Kernel)}
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
	var p *product
	var err error
	if of, ok := vendorRecipes[c.Kernel]; ok {
		p, err = b.prepareVendor(k, c, of, o.Launch)
	} else {
		p, err = b.prepareRecipe(k, c, o.Launch)
	}
	if err := errors.Join(err, b.arrays.made()); err != nil {
		return nil, err
	}

	b.current = p
	return p, nil
}

// prepareRecipe makes the recipe and puts its arrays and steps on the device.
func (b *Backend) prepareRecipe(k kernels.Kernel, c kernels.Config, launch kernels.Launch) (*product, error) {
	v := c.Precision.Bytes()
	if err := b.adoptFor(c); err != nil {
		return nil, err
	}
	start, before := time.Now(), reusedCost()
	r, err := b.recipe(c, v)
	if err != nil {
		return nil, err
	}

	// A packing made for an earlier configuration counts with its cost then.
	p := &product{b: b, rows: b.problem.A.Rows, v: v}
	p.info = kernels.ProductInfo{
		Prepare:    time.Since(start) + reusedCost() - before,
		Window:     r.Window,
		Properties: map[string]float64{},
	}
	own, err := b.place(r, p)
	if err != nil {
		return nil, err
	}

	ops, err := b.ops(r, own, p)
	if err != nil {
		return nil, err
	}
	p.program = newProgram(ops, launch)
	p.info.BytesFormat = formatBytes(k.Format, b.problem.A, v, r)
	if k.Guest {
		p.seals, err = b.sealed(own)
	}
	return p, err
}

// recipe makes the recipe of c.
func (b *Backend) recipe(c kernels.Config, v int) (*recipe, error) {
	if o, ok := b.Own(c.Kernel); ok {
		return ownRecipe(o, b.problem.A, c)
	}
	r, ok, err := newRecipe(b.problem.A, c, v)
	if !ok {
		return nil, fmt.Errorf("%s is in the catalogue but not in this program", c.Kernel)
	}
	return r, err
}

// place puts the arrays that r names on the device, and notes their sizes and
// what those beyond CSR cost. It returns them by name.
func (b *Backend) place(r *recipe, p *product) (map[string]*array, error) {
	own := map[string]*array{}
	add := func(name string, a *array, bytes int64, extra bool, err error) error {
		if err != nil {
			return fmt.Errorf("preparing %s: %w", name, err)
		}
		own[name] = a
		p.info.BytesKernel += bytes
		if extra {
			p.info.Prepare += a.cost
		}

		return nil
	}

	for _, x := range r.Aux {
		a, bytes, err := b.aux(x, p.v)
		if err == nil && a.guarded {
			p.written = append(p.written, a)
		}
		if err := add(x.Name, a, bytes, len(x.Ints)+len(x.Vals) > 0, err); err != nil {
			return nil, err
		}
	}

	for _, s := range r.Steps {
		for _, g := range s.Args {
			if g.array == "" || own[g.array] != nil {
				continue
			}
			a, err := b.common(g.array, p.v)
			var bytes int64
			if err == nil {
				bytes = b.commonBytes(g.array, p.v)
			}
			if err := add(g.array, a, bytes, g.array == rowIdx, err); err != nil {
				return nil, err
			}
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

// commonBytes is the number of bytes of a common array that a product reads or writes.
func (b *Backend) commonBytes(name string, v int) int64 {
	a := b.problem.A
	switch name {
	case rowPtr:
		return 4 * int64(a.Rows+1)
	case colIdx, rowIdx:
		return 4 * int64(a.NNZ())
	case val:
		return int64(v) * int64(a.NNZ())
	case vecX:
		return int64(v) * int64(a.Cols)
	default:
		return int64(v) * int64(a.Rows)
	}
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

// aux returns an array of a recipe's own, and its size in bytes.
func (b *Backend) aux(x aux, v int) (a *array, bytes int64, err error) {
	switch {
	case len(x.Ints) > 0:
		a, err = b.ints(auxKey{weak.Make(&x.Ints[0]), len(x.Ints), 0}, x.Ints)
		return a, 4 * int64(len(x.Ints)), err
	case len(x.Vals) > 0:
		bytes = int64(v) * int64(len(x.Vals))
		a, err = b.arrays.get(auxKey{weak.Make(&x.Vals[0]), len(x.Vals), v}, bytes, reads, func(p cu.DevicePtr) error {
			if v == 4 {
				return upload(b.stream, p, collect[float32](x.Vals, b.problem.A.Val))
			}
			return upload(b.stream, p, collect[float64](x.Vals, b.problem.A.Val))
		})
		return a, bytes, err

	default:
		bytes = int64(x.Bytes) + int64(v)*int64(x.Values)
		a, err = b.arrays.get(scratchKey(x.Name), bytes, writes,
			func(p cu.DevicePtr) error { return poison(b.stream, p, bytes) })
		return a, bytes, err
	}
}

// ops turns a recipe into operations: the zeroing first, then the steps.
func (b *Backend) ops(r *recipe, own map[string]*array, p *product) ([]op, error) {
	var ops []op
	if r.Zero && p.rows > 0 {
		ops = append(ops, op{dst: p.y, words: p.rows * p.v / 4})
	}
	sizes := map[string]int64{}
	for _, x := range r.Aux {
		sizes[x.Name] = int64(x.Bytes) + int64(p.v)*int64(x.Values)
	}

	for _, name := range r.Clear {
		if sizes[name] > 0 {
			ops = append(ops, op{dst: own[name].ptr, words: int((sizes[name] + 3) / 4)})
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
		args := make([]uint64, len(s.Args))

		for i, g := range s.Args {
			if args[i] = uint64(uint32(g.value)); g.array != "" {
				args[i] = uint64(own[g.array].ptr)
			}
		}

		ops = append(ops, op{function: e.f, grid: s.Grid, block: s.Block, shared: s.Shared, args: args})
		launches = append(launches, launch{e, s, perUnit})
	}

	b.modules.facts(launches, p.info.Properties)
	p.info.Properties["operations"] = float64(len(ops))
	return ops, nil
}
