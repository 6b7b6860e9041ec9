package cpu

import (
	"fmt"
	"runtime"

	"spmvtune/kernels"
	"spmvtune/kernels/own"
)

// MaxGrid bounds the workers of a product. Each is a thread of the system, and far fewer are
// useful on any processor.
const MaxGrid = 1024

// A Backend runs products on the processor of this machine. It implements
// kernels.Backend; its methods are called by the goroutine that opened it.
type Backend struct {
	device  kernels.Device
	cores   []int // that workers are pinned to; nil where the system has no pinning
	claim   claim // of cores
	pool    *pool
	evictor *evictor
	tick    float64 // of the clock, in seconds
	given   int64   // bytes that a scheduler allows; 0 if it does not say

	problem *kernels.Problem
	single  *operand[float32] // of the problem; nil until a product needs it
	double  *operand[float64]
	formats *formats
	last    kernels.Product // that was prepared last

	own.Set // of the sweep's own kernels
}

var _ kernels.Backend = (*Backend)(nil)

// Open returns a backend for this machine. It locks the calling goroutine to its thread and
// pins that to a core until Close. Products run from another goroutine are correct, but their
// times are not useful: that thread is not pinned and may share worker 1's core. Several
// backends may be open at once, but they compete for the same cores.
func Open() (*Backend, error) { return OpenShare(Share{}) }

// A Share is what a scheduler gave a process of a machine; 0 means that it did not say.
type Share struct {
	CPUs   int
	Memory int64 // bytes
}

// OpenShare is Open for a process that has a share of the machine. If the scheduler does not confine the process to
// its processors, the backend takes as many that no other such process has, until Close. If there are not enough, its
// workers are not pinned, and the device has the property "pinned" with the value "no".
func OpenShare(share Share) (*Backend, error) {
	b := &Backend{cores: usableCores(), given: share.Memory}
	b.Set = own.NewSet("cpu", b.ownCompiler)
	free := false
	if n := share.CPUs; n > 0 && n < len(b.cores) {
		var got []int
		if got, b.claim = claimCPUs(claimSpace, byCore(allowedCPUs(), siblings), n); got != nil {
			b.cores = coresFirst(got, siblings)
		} else {
			b.cores, free = b.cores[:n], true
		}
	}

	runtime.LockOSThread()
	b.device = describe(b.cores)
	b.pool = newPool(b.cores)
	b.pool.free = free
	b.evictor = &evictor{size: 2 * cacheOr(b.device.Cache)}
	if free {
		b.device.Properties["pinned"] = "no"
	} else {
		pin(b.cores[:1])
	}

	b.tick = tick()
	return b, nil
}

// Device describes the processor, as far as the system reports it.
func (b *Backend) Device() kernels.Device { return b.device }

// Load makes p the current problem. It fails if p.A is not a valid CSR matrix or x does not fit
// it; the earlier problem is then gone as well. p must not change while it is loaded.
func (b *Backend) Load(p *kernels.Problem) error {
	b.problem, b.single, b.double = nil, nil, nil
	b.formats = &formats{limit: formatLimit(b.device.Memory)}
	runtime.GC() // gives back the earlier problem, and leaves no garbage to collect during samples
	if err := p.A.Validate(); err != nil {
		return fmt.Errorf("checking the matrix: %w", err)
	}

	if len(p.X) != p.A.Cols {
		return fmt.Errorf("x has %d elements for %d columns", len(p.X), p.A.Cols)
	}
	b.problem = p
	return nil
}

// Prepare prepares a product for c.
func (b *Backend) Prepare(c kernels.Config, o kernels.Options) (p kernels.Product, err error) {
	defer func() { b.last = p }()
	if b.problem == nil {
		return nil, fmt.Errorf("preparing %s: no problem is loaded", c)
	}
	mine, _ := b.Own(c.Kernel)
	k, ok := b.Find(c.Kernel)
	if !ok || k.Backend != "cpu" {
		return nil, &kernels.InvalidError{Reason: fmt.Sprintf("%q is not a kernel for the processor", c.Kernel)}
	}
	if err := k.Check(c); err != nil {
		return nil, err
	}

	if c.Grid > MaxGrid {
		return nil, &kernels.InvalidError{Reason: fmt.Sprintf("grid is %d; there are at most %d workers", c.Grid,
			MaxGrid)}
	}
	if o.Fresh {
		b.formats = &formats{limit: b.formats.limit}
	}
	if c.Precision == kernels.Float32 {
		if b.single == nil || o.Fresh {
			b.single = newOperand[float32](b.problem, o.Fresh)
		}
		return prepare(b, b.single, k, mine, c)
	}
	if b.double == nil || o.Fresh {
		b.double = newOperand[float64](b.problem, o.Fresh)
	}
	return prepare(b, b.double, k, mine, c)
}

// Close ends the workers and frees the calling thread. Closing twice does
// nothing.
func (b *Backend) Close() error {
	if b.pool == nil {
		return nil
	}
	b.pool.close()
	pin(allowedCPUs())
	b.claim.release()
	runtime.UnlockOSThread()
	*b = Backend{device: b.device}
	return nil
}

// formatLimit is how many bytes of forms of a matrix are kept: a quarter of
// memory, or 1 GiB if its size is unknown.
func formatLimit(memory int64) int64 {
	if memory == 0 {
		return 1 << 30
	}
	return memory / 4
}
