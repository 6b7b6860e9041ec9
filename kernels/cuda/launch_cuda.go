// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

// #include <cudaProfiler.h>
// #include <stdlib.h>
// #include "launch_cuda.h"
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
)

// An op is one operation that a product enqueues. Exactly one of function, call and words is
// set.
type op struct {
	function            cu.Function
	grid, block, shared int
	carveout            int
	carved              *C.int
	args                []uint64 // in the order of the parameters; a 32-bit one is in the low half

	call, data unsafe.Pointer // CUresult (*)(void *), a call to a library, and its argument

	dst   cu.DevicePtr // zeroed
	words int          // of 32 bits
}

// A program is a list of ops in C's memory, where the driver can read it without
// cgo copying anything.
type program struct {
	ops    *C.spmv_op
	n      C.int
	replay *C.spmv_replay // nil: samples launch each product
	free   []unsafe.Pointer
	args   []*uint64 // of all ops, where the driver reads them
}

func newProgram(ops []op, launch kernels.Launch) *program {
	p := &program{n: C.int(len(ops))}
	if launch == kernels.Graph && len(ops) > 0 {
		p.replay = (*C.spmv_replay)(p.alloc(unsafe.Sizeof(C.spmv_replay{})))
	}
	p.ops = (*C.spmv_op)(p.alloc(uintptr(max(len(ops), 1)) * unsafe.Sizeof(C.spmv_op{})))
	for i, o := range unsafe.Slice(p.ops, len(ops)) {
		from := ops[i]
		o.grid, o.block, o.shared = C.uint(from.grid), C.uint(from.block), C.uint(from.shared)
		o.function, o.carveout, o.carved = function(from.function), C.int(from.carveout), from.carved
		if n := len(from.args); n > 0 {
			// The values, and after them the addresses of the values.
			values := p.alloc(uintptr(n) * 16)
			copy(unsafe.Slice((*uint64)(values), n), from.args)
			addresses := unsafe.Slice((*unsafe.Pointer)(unsafe.Add(values, 8*n)), n)
			for j := range addresses {
				addresses[j] = unsafe.Add(values, 8*j)
				p.args = append(p.args, (*uint64)(addresses[j]))
			}
			o.params = &addresses[0]
		}

		*(*unsafe.Pointer)(unsafe.Pointer(&o.call)) = from.call
		o.data = from.data
		o.dst, o.words = C.CUdeviceptr(from.dst), C.size_t(from.words)
		unsafe.Slice(p.ops, len(ops))[i] = o
	}

	return p
}

func (p *program) alloc(bytes uintptr) unsafe.Pointer {
	m := C.calloc(1, C.size_t(bytes))
	p.free = append(p.free, m)
	return m
}

// release frees the program, which must not be running.
func (p *program) release() {
	if p.replay != nil {
		C.spmv_replay_close(p.replay)
	}
	for _, m := range p.free {
		C.free(m)
	}
	*p = program{}
}

// enqueue enqueues the product once.
func (p *program) enqueue(s cu.Stream) error {
	return result(C.spmv_enqueue(p.ops, p.n, stream(s)))
}

// A clock times programs on one stream. It lives in C's memory.
type clock struct{ c *C.spmv_clock }

func newClock(s cu.Stream, gate cu.Function) (*clock, error) {
	c := &clock{(*C.spmv_clock)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_clock{}))))}
	if err := result(C.spmv_clock_open(c.c, stream(s), function(gate))); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// flush makes cold samples write bytes at written, and read as many at clean, before
// each. The kernel reader does so, with a grid; sink is a place for its sum.
func (c *clock) flush(written, clean, sink cu.DevicePtr, bytes int64, reader cu.Function, grid, block int) {
	c.c.flush, c.c.clean, c.c.sink = C.CUdeviceptr(written), C.CUdeviceptr(clean), C.CUdeviceptr(sink)
	c.c.flush_words = C.size_t(bytes / 4)
	c.c.reader = function(reader)
	c.c.reader_grid, c.c.reader_block = C.uint(grid), C.uint(block)
}

// busy is how long the device has run programs so far.
func (c *clock) busy() time.Duration { return time.Duration(float64(c.c.busy) * 1e9) }

// run computes p once, waits for it, and returns how long it took in seconds.
func (c *clock) run(p *program) (seconds float64, err error) {
	err = result(C.spmv_run(c.c, p.ops, p.n, (*C.double)(&seconds)))
	return seconds, err
}

// sample times p len(dst) times, each time batch times back to back, and stores
// seconds per product.
func (c *clock) sample(p *program, dst []float64, batch int, cold bool) error {
	if len(dst) == 0 {
		return nil
	}
	var isCold C.int
	if cold {
		isCold = 1
	}
	return result(C.spmv_sample(c.c, p.ops, p.n, p.replay, (*C.double)(&dst[0]), C.int(len(dst)), C.int(batch), isCold))
}

// documentedTick is the resolution of events according to the driver's manual, in seconds (CUDA
// Driver API, cuEventElapsedTime: "around 0.5 microseconds").
const documentedTick = 0.5e-6

// resolution is the smallest difference that is seen between times of nothing, in seconds; if
// all are the same, or differ by more than the manual says, it is the manual's value.
func (c *clock) resolution() (float64, error) {
	nothing := newProgram(nil, kernels.Stream)
	defer nothing.release()
	times := make([]float64, 2*C.SPMV_ROUND)
	if err := c.sample(nothing, times, 1, false); err != nil {
		return 0, err
	}
	return tick(times, documentedTick), nil
}

func (c *clock) close() {
	C.spmv_clock_close(c.c)
	C.free(unsafe.Pointer(c.c))
}

const (
	guardBytes = 256
	guardByte  = 0xa5
)

// intact reports for each place whether the guard there is as it was made. The staging memory takes thousands.
func (b *Backend) intact(places []cu.DevicePtr) (intact []bool, err error) {
	at := (*C.CUdeviceptr)(unsafe.Pointer(&places[0]))
	if err := result(C.spmv_collect(stream(b.stream), at, C.int(len(places)), b.staged(0), guardBytes)); err != nil {
		return nil, err
	}
	for one := range slices.Chunk(unsafe.Slice((*byte)(b.staged(0)), len(places)*guardBytes), guardBytes) {
		intact = append(intact, !slices.ContainsFunc(one, func(b byte) bool { return b != guardByte }))
	}
	return intact, nil
}

// function and stream give cu's handles to C: each is a struct of one handle,
// whose C type belongs to package cu.
func function(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
func stream(s cu.Stream) C.CUstream       { return *(*C.CUstream)(unsafe.Pointer(&s)) }

// modules are the compiled kernels that were needed so far. The driver compiles
// PTX for the device when a module is loaded, and caches the machine code on
// disk from then on.
type modules struct {
	limits  limits
	loaded  map[string]cu.Module // by the file of their PTX, and the entry
	entries map[string]*entry
	cost    time.Duration // of all loading, also of libraries
}

// An entry is a kernel on the device, with its needs there.
type entry struct {
	name       string
	f          cu.Function
	registers  int    // per thread
	shared     int    // static, bytes per block
	local      int    // bytes per thread
	maxThreads int    // per block
	dynamic    int    // dynamic shared memory that was allowed, bytes per block
	carved     *C.int // the share of shared memory that f has asked for, in per cent
	ran        bool
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
	return m.add(name, &entry{name: name, f: f})
}

// add makes an entry known by a name, once the driver has told its needs.
func (m *modules) add(name string, e *entry) (_ *entry, err error) {
	get := func(a cu.FunctionAttribute) int {
		v, failure := e.f.Attribute(a)
		err = cmp.Or(err, failed(failure, "asking for attribute %d of %s", int(a), e.name))
		return v
	}
	e.registers, e.shared = get(cu.NumRegs), get(cu.SharedSizeBytes)
	e.local, e.maxThreads = get(cu.LocalSizeBytes), get(cu.FnMaxThreadsPerBlock)
	if err == nil {
		m.entries[name], e.carved = e, (*C.int)(C.calloc(1, C.sizeof_int)) // never freed, as the module
	}
	return e, err
}

// load returns the module of a file, which how loads the first time.
func (m *modules) load(file string, how func() (cu.Module, error)) (cu.Module, error) {
	if mod, loaded := m.loaded[file]; loaded {
		return mod, nil
	}
	start := time.Now()
	mod, err := how()
	if err == nil {
		m.loaded[file] = mod
	}
	m.cost += time.Since(start)
	return mod, failed(err, "loading %s", file)
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
		return cu.Function{}, invalid("%s needs a device of compute capability %d.%d or newer; this one has %d.%d", name,
			least/10, least%10, own/10, own%10)
	}

	mod, err := m.load(c.file+" "+name, func() (cu.Module, error) { return cu.LoadData(c.only(name)) })
	if err != nil {
		return cu.Function{}, err
	}
	f, err := mod.Function(name)
	return f, failed(err, "finding %s in %s", name, c.file)
}

// ready asks the driver whether e can be launched so, with dynamic shared memory
// in bytes, and allows that much where it must be allowed. It returns the blocks
// that fit on a multiprocessor. An *kernels.InvalidError says why it can't be.
func (m *modules) ready(e *entry, grid, block, dynamic int) (perUnit int, err error) {
	switch {
	case block > m.limits.block:
		return 0, invalid("%s: %d threads in a block; the device allows %d", e.name, block, m.limits.block)
	case block > e.maxThreads:
		return 0, invalid("%s: %d threads in a block; with %d registers each, the device allows %d", e.name, block, e.registers,
			e.maxThreads)
	case grid > m.limits.grid:
		return 0, invalid("%s: %d blocks; the device allows %d", e.name, grid, m.limits.grid)
	case e.shared+dynamic > max(m.limits.shared, m.limits.sharedOptin):
		return 0, invalid("%s: %d bytes of shared memory in a block; the device allows %d", e.name, e.shared+dynamic,
			max(m.limits.shared, m.limits.sharedOptin))
	}

	if e.shared+dynamic > m.limits.shared && dynamic > e.dynamic {
		if err := result(C.cuFuncSetAttribute(function(e.f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			C.int(dynamic))); err != nil {
			return 0, failed(err, "allowing %d bytes of shared memory for %s", dynamic, e.name)
		}
		e.dynamic = dynamic
	}

	err = failed(result(C.spmv_carve(function(e.f), 100, e.carved)), "asking for all shared memory for %s", e.name)
	if err == nil {
		perUnit, err = e.f.MaxActiveBlocksPerMultiProcessor(block, int64(dynamic))
		err = failed(err, "asking for the occupancy of %s", e.name)
	}
	if err == nil && perUnit == 0 {
		return 0, invalid("%s: a block of %d threads with %d registers each and %d bytes of shared memory does not fit on a "+
			"multiprocessor", e.name, block, e.registers, e.shared+dynamic)
	}
	return perUnit, err
}

// A launch is a step that the device can run.
type launch struct {
	*entry
	step
	perUnit int // blocks that a multiprocessor gets
}

// facts notes what the launches take: for the largest by its threads, under plain names; if
// there are several, also each under NAME:ENTRY.
//
// The occupancy is theoretical: resident warps over the most that a
// multiprocessor can hold, as registers, shared memory, block size and
// ForCache allow (CUDA C++ Best Practices Guide, "Occupancy").
func (m *modules) facts(launches []launch, into map[string]float64) {
	note := func(l launch, suffix string) {
		warps := (l.Block + 31) / 32
		into["registers"+suffix] = float64(l.registers)
		into["shared_bytes"+suffix] = float64(l.shared + l.Shared)
		into["local_bytes"+suffix] = float64(l.local)
		into["blocks_per_sm"+suffix] = float64(l.perUnit)
		into["occupancy"+suffix] = float64(l.perUnit*warps) / float64(m.limits.threadsPerUnit/32)
	}

	if len(launches) > 0 {
		note(slices.MaxFunc(launches, func(a, b launch) int { return a.Grid*a.Block - b.Grid*b.Block }), "")
	}
	if len(launches) > 1 {
		for _, l := range launches {
			note(l, ":"+l.Entry)
		}
	}
}

// unload frees all modules.
func (m *modules) unload() error {
	var failure error
	for name, mod := range m.loaded {
		failure = cmp.Or(failure, failed(mod.Unload(), "unloading %s", name))
	}
	*m = *newModules(m.limits)
	return failure
}

// Profile begins or ends what a profiler counts that was told to wait for it. Before the products,
// it counts the launch of the gate, which Mark names. Caches are emptied by the profiler.
func (b *Backend) Profile(on, _ bool) error {
	if !on {
		return failed(result(C.cuProfilerStop()), "telling the profiler to end")
	}
	if err := result(C.cuProfilerStart()); err != nil {
		return failed(err, "telling the profiler to begin")
	}
	// Every gate is open for ticket 0.
	if err := b.launch(Mark, 1, 1, uint64(b.clock.c.device_flag), 0, 0); err != nil {
		return err
	}
	return failed(b.stream.Synchronize(), "marking where products begin")
}
