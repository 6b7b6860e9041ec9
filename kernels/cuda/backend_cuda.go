// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

// The driver is opened when the program runs (driver_cuda.c), so nothing defines its functions when it is linked.

// #cgo LDFLAGS: -Wl,--export-dynamic -Wl,--unresolved-symbols=ignore-in-object-files
// #include <cuda.h>
// #include "driver_cuda.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/kernels/internal/native"
)

// Built reports whether this program was built with CUDA.
const Built = true

// A Backend runs products on one GPU. Its methods are called by the goroutine
// that opened it.
type Backend struct {
	opened  bool
	lean    bool // measures nothing
	dev     cu.Device
	ctx     cu.CUContext
	device  kernels.Device
	stream  cu.Stream
	modules *modules
	arrays  *arrays
	clock   *clock
	tick    float64      // of the clock, in seconds
	flush   cu.DevicePtr // two buffers of twice the cache, and the room
	vendor  *cusparse    // opened when first needed
	problem *kernels.Problem
	current *product // the one made by the last Prepare

	custom.Set // of the sweep's own kernels

	originals originals
	ahead     ahead
	room      cu.DevicePtr   // for what kernels find that look at arrays, or read to flush caches
	staging   unsafe.Pointer // pinned, two halves, of values on their way to the caller or to the device

	sensors   *native.Sensors // nil: they can't be read
	noSensors error           // why
}

// What copies and checks take at a time.
const (
	stagedValues = 1 << 21                             // a half of the staging memory
	roomBytes    = max(12*mostGathered, 32*mostJudges) // indices and values, or verdicts
)

var (
	_ kernels.Backend = (*Backend)(nil)
	_ kernels.Packer  = (*Backend)(nil)
)

// Ahead does what opening a GPU takes and needs none: it reads and digests the kernels' code, and loads cuSPARSE.
func Ahead() {
	var both sync.WaitGroup
	both.Go(func() { digests() })
	both.Go(func() { findCusparse() })
	both.Wait()
}

// Open returns a backend for the GPU with this index, counted as the driver
// does (CUDA_VISIBLE_DEVICES). It locks the calling goroutine to its thread until
// Close, and works in the device's primary context, which libraries share. A lean one measures nothing: it takes no
// memory of the device but for the products', and Sample, Rows and Judge can't be used.
func Open(index int, lean bool) (kernels.Backend, error) {
	if err := driver(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, failed(err, "counting devices")
	}
	if index < 0 || index >= n {
		return nil, fmt.Errorf("there is no device %d: CUDA sees %d", index, n)
	}

	// Beside the context, which takes longer. It ends here, as a program that exits while another thread loads a library may
	// crash; who measures nothing may need no cuSPARSE.
	if !lean {
		var aside sync.WaitGroup
		aside.Go(Ahead)
		defer aside.Wait()
	}
	runtime.LockOSThread()
	b := &Backend{opened: true, lean: lean}
	b.Set = custom.NewSet("cuda", b.customCompiler)
	if err := b.open(index); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Names lists the models of all GPUs, in the same order.
func Names() []string {
	if driver() != nil {
		return nil
	}
	n, _ := cu.NumDevices()
	list := make([]string, n)
	for i := range list {
		if dev, err := cu.GetDevice(i); err == nil {
			list[i], _ = dev.Name()
		}
	}
	return list
}

func (b *Backend) open(index int) error {
	var err error
	if b.dev, err = cu.GetDevice(index); err != nil {
		return failed(err, "getting device %d", index)
	}
	var l limits
	if b.device, l, err = describe(b.dev); err != nil {
		return err
	}
	var sensing sync.WaitGroup
	uuid := b.device.Properties["uuid"]
	sensing.Go(func() { b.sensors, b.noSensors = native.OpenSensors(uuid) })
	defer sensing.Wait()

	b.ctx, err = b.dev.RetainPrimaryCtx()
	if err != nil {
		return failed(err, "creating a context on %s", b.device.Name)
	}
	b.modules = newModules(l)
	if err := b.Enter(); err != nil {
		return err
	}

	stream, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return failed(err, "creating a stream")
	}
	b.stream, b.arrays = stream, &arrays{stream: stream, originals: &b.originals}
	gate, err := b.modules.entry("gate")
	if err != nil {
		return err
	}
	if b.clock, err = newClock(stream, gate.f); err != nil {
		return failed(err, "creating events")
	}
	if !b.lean {
		if err := b.takeFlush(); err != nil {
			return err
		}
	}
	if err := result(C.cuMemHostAlloc(&b.staging, 2*8*stagedValues, 0)); err != nil {
		return failed(err, "allocating memory to copy by")
	}
	if b.tick, err = b.clock.resolution(); err != nil {
		return failed(err, "timing nothing")
	}

	b.device.Properties["event_resolution_ns"] = strconv.FormatFloat(b.tick*1e9, 'f', 0, 64)
	if sensing.Wait(); b.noSensors == nil {
		b.device.Properties["nvml_driver"] = b.sensors.Driver()
	}
	return nil
}

// takeFlush takes the memory that measuring needs.
func (b *Backend) takeFlush() (err error) {
	size := 2 * max(b.device.Cache, 1<<20)
	if b.flush, err = cu.MemAlloc(2*size + roomBytes); err != nil {
		return failed(err, "allocating %d bytes to flush the cache with", 2*size)
	}
	if err := failed(cu.MemsetD8Async(b.flush, 0, 2*size+roomBytes, b.stream), "zeroing"); err != nil {
		return err
	}
	reader, err := b.modules.entry("roof_read")
	if err != nil {
		return err
	}
	const perUnit, block = 8, 512
	clean := b.flush + cu.DevicePtr(size)
	b.room = clean + cu.DevicePtr(size)
	b.clock.flush(b.flush, clean, b.room, size, reader.f, b.device.Units*perUnit, block)
	return nil
}

// Device describes the GPU.
func (b *Backend) Device() kernels.Device { return b.device }

// Sense reads the sensors of the GPU. An error says why they can't be read.
func (b *Backend) Sense() (kernels.Reading, error) {
	if b.sensors == nil {
		return kernels.Reading{}, b.noSensors
	}
	return b.sensors.Read(), nil
}

// Energy is the energy in joules that the GPU has used from the loading of the driver on; 0 if
// it can't be told.
func (b *Backend) Energy() float64 {
	if b.sensors == nil {
		return 0
	}
	return b.sensors.Energy()
}

// Load makes p the current problem and uploads its CSR arrays; values and x
// follow in the precision that a configuration asks for. It fails if p.A is not
// a valid CSR matrix or x does not fit it. p must not change while it is loaded.
func (b *Backend) Load(p *kernels.Problem) error {
	if err := b.unload(); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	b.problem = p
	var err error
	if !b.lean {
		err = b.originals.open(b)
	}
	for _, name := range []string{rowPtr, colIdx} {
		if err == nil {
			_, err = b.common(name, 8)
		}
	}
	if err != nil {
		b.problem = nil
	}
	return err
}

// Pack packs ahead on the host. Nothing is copied to the device.
func (b *Backend) Pack(next []kernels.Config) {
	if b.problem != nil {
		b.ahead.packAhead(b.problem.A, next)
	}
}

// unload frees what belongs to the current problem.
func (b *Backend) unload() error {
	b.drop()
	b.ahead.packAhead(nil, nil)
	b.problem = nil
	forget()
	_, err := b.originals.close()
	return cmp.Or(err, b.arrays.clear())
}

// drop ends the validity of the current product.
func (b *Backend) drop() {
	if b.current != nil {
		b.current.release()
		b.current = nil
	}
}

// Close frees the device and the calling thread. Closing twice does nothing. After a fault of
// the device everything fails here as well; the first error is returned.
func (b *Backend) Close() error {
	if !b.opened {
		return nil
	}
	var failure error
	note := func(err error) { failure = cmp.Or(failure, err) }
	if b.arrays != nil {
		note(failed(b.stream.Synchronize(), "waiting for the device"))
		note(b.unload())
	}

	if b.vendor != nil {
		b.vendor.close()
	}
	if b.clock != nil {
		b.clock.close()
	}
	if b.staging != nil {
		C.cuMemFreeHost(b.staging)
	}
	if b.flush != 0 {
		note(free(b.flush))
	}
	if b.arrays != nil {
		note(failed(b.stream.Destroy(), "destroying the stream"))
	}

	if b.modules != nil {
		note(b.modules.unload())
		note(failed(b.dev.ReleasePrimaryCtx(), "releasing the context"))
	}
	if b.sensors != nil {
		note(b.sensors.Close())
	}

	runtime.UnlockOSThread()
	*b = Backend{device: b.device, noSensors: errors.New("the device is closed")}
	return failure
}

// Device attributes by their number in cuda.h that cu has no name for.
const (
	sharedPerBlockOptin    cu.DeviceAttribute = 97  // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	sharedReservedPerBlock cu.DeviceAttribute = 111 // CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK
)

// limits bound what a launch may ask of the device.
type limits struct {
	grid, block    int
	shared         int // bytes per block, static and dynamic, without asking for more
	sharedOptin    int // and after asking
	sharedPerUnit  int // bytes of a multiprocessor
	reserved       int // bytes of it that the driver takes for each block
	threadsPerUnit int // resident on a multiprocessor
	compute        int // compute capability, times 10
}

// describe says what the device is and what its launches may ask.
func describe(dev cu.Device) (kernels.Device, limits, error) {
	var failure error
	get := func(a cu.DeviceAttribute) int {
		v, err := dev.Attribute(a)
		failure = cmp.Or(failure, failed(err, "asking the device for attribute %d", int(a)))
		return v
	}

	name, err := dev.Name()
	failure = failed(err, "asking for the device's name")
	memory, err := dev.TotalMem()
	failure = cmp.Or(failure, failed(err, "asking for the device's memory"))
	l := limits{
		grid: get(cu.MaxGridDimX), block: get(cu.MaxThreadsPerBlock),
		shared: get(cu.MaxSharedMemoryPerBlock), sharedOptin: get(sharedPerBlockOptin),
		sharedPerUnit: get(cu.MaxSharedMemoryPerMultiprocessor), reserved: get(sharedReservedPerBlock),
		threadsPerUnit: get(cu.MaxThreadsPerMultiprocessor),
		compute:        10*get(cu.ComputeCapabilityMajor) + get(cu.ComputeCapabilityMinor),
	}
	number := func(a cu.DeviceAttribute) string { return strconv.Itoa(get(a)) }
	d := kernels.Device{
		Backend: "cuda", Name: name, Driver: driverVersion(), Units: get(cu.MultiprocessorCount), MaxBlock: l.block,
		Memory: memory, Cache: int64(get(cu.L2CacheSize)),
		Properties: map[string]string{
			"compute_capability":       fmt.Sprintf("%d.%d", l.compute/10, l.compute%10),
			"clock_khz":                number(cu.ClockRate),
			"memory_clock_khz":         number(cu.MemoryClockRate),
			"memory_bus_bits":          number(cu.GlobalMemoryBusWidth),
			"ecc":                      number(cu.EccEnabled),
			"shared_bytes_block":       strconv.Itoa(l.shared),
			"shared_bytes_block_optin": strconv.Itoa(l.sharedOptin),
			"shared_bytes_unit":        number(cu.MaxSharedMemoryPerMultiprocessor),
			"registers_unit":           number(cu.MaxRegistersPerMultiprocessor),
			"threads_unit":             strconv.Itoa(l.threadsPerUnit),
		},
	}
	if id, err := dev.UUID(); err == nil {
		d.Properties["uuid"] = "GPU-" + id.String()
	}

	return d, l, failure
}

// driverVersion names the driver, if the system reports it, and the newest CUDA that it runs:
// "535.161.08, CUDA 12.2".
func driverVersion() string {
	v := cu.Version()
	text := fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
	said, _ := os.ReadFile("/proc/driver/nvidia/version")
	if number := regexp.MustCompile(`\d+\.\d+(\.\d+)?`).Find(said); number != nil {
		text = string(number) + ", " + text
	}
	return text
}

// driver returns why no GPU can be used, nil if the driver is ready. Without it, no function of the driver may be
// called.
func driver() error {
	switch code := C.spmv_driver(); code {
	case C.CUDA_SUCCESS:
		return nil
	case -1:
		return errors.New(NoDriver)
	case C.CUDA_ERROR_NO_DEVICE:
		return errors.New(NoDevice)
	default:
		return errors.New(NoStart + driverError(code).Error())
	}
}

// A driverError is a result of the driver, in the driver's own words.
type driverError C.CUresult

func (e driverError) Error() string {
	var text, name *C.char
	C.cuGetErrorString(C.CUresult(e), &text)
	C.cuGetErrorName(C.CUresult(e), &name)
	if text == nil || name == nil {
		return fmt.Sprintf("CUDA error %d", int(e))
	}
	return C.GoString(text) + " (" + C.GoString(name) + ")"
}

// result makes an error of what a call of this package's own C code returned.
func result(code C.CUresult) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	return driverError(code)
}

// failed adds to err the step that failed; it returns nil for nil. A device out of memory is
// kernels.ErrMemory. Errors of cu become the driver's words: it has names for some of them
// only.
func failed(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	doing = fmt.Sprintf(doing, args...)
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		err = driverError(v.Int())
	}

	if outOfMemory(err) {
		return fmt.Errorf("%s: the device is %w", doing, kernels.ErrMemory)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func outOfMemory(err error) bool {
	return errors.Is(err, cu.OutOfMemory) || errors.Is(err, driverError(C.CUDA_ERROR_OUT_OF_MEMORY))
}
