//go:build cuda

package cuda

import (
	"fmt"
	"time"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// modules are the compiled kernels that were needed so far. The driver compiles
// PTX for the device when a module is loaded, and caches the machine code on
// disk from then on.
type modules struct {
	limits  limits
	loaded  map[string]cu.Module // by the file of their PTX
	entries map[string]*entry
	cost    time.Duration // of all loading
}

// An entry is a kernel on the device, with its needs there.
type entry struct {
	name       string
	f          cu.Function
	registers  int // per thread
	shared     int // static, bytes per block
	local      int // bytes per thread
	maxThreads int // per block
	dynamic    int // dynamic shared memory that was allowed, bytes per block
}

func newModules(l limits) *modules {
	return &modules{limits: l, loaded: map[string]cu.Module{}, entries: map[string]*entry{}}
}

// entry returns the kernel with this name in the PTX.
func (m *modules) entry(name string) (*entry, error) {
	if e := m.entries[name]; e != nil {
		return e, nil
	}
	f, err := m.function(name)
	if err != nil {
		return nil, err
	}

	e := &entry{name: name, f: f}
	if err := e.ask(); err != nil {
		return nil, err
	}
	m.entries[name] = e
	return e, nil
}

// ask asks the driver for the needs of e.
func (e *entry) ask() (err error) {
	for _, a := range []struct {
		id cu.FunctionAttribute
		to *int
	}{
		{cu.NumRegs, &e.registers},
		{cu.SharedSizeBytes, &e.shared},
		{cu.LocalSizeBytes, &e.local},
		{cu.FnMaxThreadsPerBlock, &e.maxThreads},
	} {
		if *a.to, err = e.f.Attribute(a.id); err != nil {
			return failed(err, "asking for attribute %d of %s", int(a.id), e.name)
		}
	}
	return nil
}

// function loads the module that has an entry, if it is not, and finds it there. An
// *kernels.InvalidError says that the device is too old.
func (m *modules) function(name string) (cu.Function, error) {
	files := entryFiles()[name]
	if len(files) == 0 {
		return cu.Function{}, fmt.Errorf("no PTX has the entry %s", name)
	}
	c := newest(files, m.limits.compute)
	if c == nil {
		least, own := files[0].compute, m.limits.compute
		return cu.Function{}, &kernels.InvalidError{Reason: fmt.Sprintf(
			"%s needs a device of compute capability %d.%d or newer; this one has %d.%d", name, least/10, least%10, own/10,
			own%10)}
	}

	mod, ok := m.loaded[c.file]
	if !ok {
		start := time.Now()
		var err error
		if mod, err = cu.LoadData(c.text); err != nil {
			return cu.Function{}, failed(err, "loading %s", c.file)
		}

		m.loaded[c.file] = mod
		m.cost += time.Since(start)
	}

	f, err := mod.Function(name)
	return f, failed(err, "finding %s in %s", name, c.file)
}

// ready asks the driver whether e can be launched so, with dynamic shared memory
// in bytes, and allows that much where it must be allowed. It returns the blocks
// that fit on a multiprocessor. An *kernels.InvalidError says why it can't be.
func (m *modules) ready(e *entry, grid, block, dynamic int) (perUnit int, err error) {
	invalid := func(format string, args ...any) (int, error) {
		return 0, &kernels.InvalidError{Reason: e.name + ": " + fmt.Sprintf(format, args...)}
	}
	switch {
	case block > m.limits.block:
		return invalid("%d threads in a block; the device allows %d", block, m.limits.block)
	case block > e.maxThreads:
		return invalid("%d threads in a block; with %d registers each, the device allows %d", block, e.registers,
			e.maxThreads)
	case grid > m.limits.grid:
		return invalid("%d blocks; the device allows %d", grid, m.limits.grid)

	case e.shared+dynamic > max(m.limits.shared, m.limits.sharedOptin):
		return invalid("%d bytes of shared memory in a block; the device allows %d", e.shared+dynamic,
			max(m.limits.shared, m.limits.sharedOptin))
	}

	if e.shared+dynamic > m.limits.shared && dynamic > e.dynamic {
		if err := allowShared(e.f, dynamic); err != nil {
			return 0, failed(err, "allowing %d bytes of shared memory for %s", dynamic, e.name)
		}
		e.dynamic = dynamic
	}

	perUnit, err = e.f.MaxActiveBlocksPerMultiProcessor(block, int64(dynamic))
	if err != nil {
		return 0, failed(err, "asking for the occupancy of %s", e.name)
	}
	if perUnit == 0 {
		return invalid("a block of %d threads with %d registers each and %d bytes of shared memory does not fit on "+
			"a multiprocessor",
			block, e.registers, e.shared+dynamic)
	}

	return perUnit, nil
}

// unload frees all modules.
func (m *modules) unload() error {
	var failure error
	for name, mod := range m.loaded {
		if err := mod.Unload(); err != nil && failure == nil {
			failure = failed(err, "unloading %s", name)
		}
	}
	*m = *newModules(m.limits)
	return failure
}
