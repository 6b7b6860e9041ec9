// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/spmvtune/sparse"
)

// A Device runs products: it is one GPU, or the processor of this machine.
type Device struct {
	Backend    string            `json:"backend"` // "cpu" or "cuda"
	Name       string            `json:"name"`    // model, e.g. "NVIDIA H100 80GB HBM3"
	Driver     string            `json:"driver"`  // driver or, on a CPU, compiler version and usable cores
	Units      int               `json:"units"`   // multiprocessors or cores that can be used
	MaxBlock   int               `json:"max_block"`
	Memory     int64             `json:"memory_bytes"`
	Cache      int64             `json:"cache_bytes"` // last-level cache
	Properties map[string]string `json:"properties,omitempty"`
}

// A Roof is the bandwidth of a device, measured over arrays much larger than its cache,
// in GB/s (10⁹ bytes per second) of the bytes that the program asks for.
type Roof struct {
	Read  float64 `json:"read"`  // one array is summed
	Copy  float64 `json:"copy"`  // b = a, counted twice
	Triad float64 `json:"triad"` // c = a + 3·b, counted three times
	// Gather is the bandwidth at which a product without any locality reads x: float64 elements
	// are summed one by one, in the order of Scatter, 8 bytes each. The indices are computed
	// and not read. The device moves a sector of 32 bytes, or a line of 64 or more, for each
	// element, so the figure for float32 is about half of this. 0 means that it was not
	// measured.
	Gather float64 `json:"gather,omitempty"`
}

// Highest is the highest streaming bandwidth, with which products are compared.
func (r Roof) Highest() float64 { return max(r.Read, r.Copy, r.Triad) }

// Span is the interval of the streaming bandwidths, if they differ by more than a quarter: how far a product can come
// is not known better then. Otherwise both ends are the highest; zeros if nothing was measured.
func (r Roof) Span() (low, high float64) {
	const near = 0.8
	high = r.Highest()
	low = high
	for _, v := range []float64{r.Read, r.Copy, r.Triad} {
		if v > 0 && v < near*high {
			low = min(low, v)
		}
	}
	return low, high
}

// A Problem is a product y = A·x. Backends narrow A and x to the precision of
// a configuration; x is exact in float32, so both precisions see the same x.
type Problem struct {
	A *sparse.CSR[float64]
	X []float64 // length A.Cols
}

// Validate gives an error unless A is a valid CSR matrix, and x fits it.
func (p *Problem) Validate() error {
	if err := p.A.Validate(); err != nil {
		return fmt.Errorf("checking the matrix: %w", err)
	}
	if len(p.X) != p.A.Cols {
		return fmt.Errorf("x has %d elements for %d columns", len(p.X), p.A.Cols)
	}
	return nil
}

// A Backend runs kernels on one device. It is used by one goroutine, which has
// locked its OS thread.
type Backend interface {
	// Device describes the device. It does not change.
	Device() Device
	// Source returns a digest of everything that the kernel's result and speed
	// depend on in this program's source.
	Source(kernel string) string
	// Roof measures the bandwidth of the device.
	Roof() (Roof, error)
	// Load makes p the current problem and frees what belonged to an earlier one.
	Load(p *Problem) error
	// Prepare prepares formats, memory and the kernel for c. It returns an *InvalidError if
	// this device can't launch the configuration.
	Prepare(c Config, o Options) (Product, error)
	// Close frees the device.
	Close() error
}

// Options say how a product is made ready and timed, beyond its configuration.
type Options struct {
	// Fresh puts everything that the product touches (the matrix, x, y, scratch) at
	// other addresses than before, in memory that is allocated anew. A product may be
	// several per cent faster or slower by where its arrays lie.
	Fresh bool
	// Launch is how the products of a sample are handed to the device. Processors
	// have one way only.
	Launch Launch
}

// Launch is how products are handed to a GPU.
type Launch string

const (
	// Graph replays the products of a sample as a CUDA graph: the device finds
	// the next kernel in its own memory.
	Graph Launch = "graph"
	// Stream launches each kernel of each product by a call of the host, as a program
	// without graphs does. How fast the device takes them differs from process to
	// process, which products of some microseconds show.
	Stream Launch = "stream"
)

// A Packer is a Backend that makes formats ahead, on cores that do not measure.
type Packer interface {
	// Pack begins to make what configurations need that are prepared next, in place of those of the call before. Without
	// any it returns once nothing is being made.
	Pack(next []Config)
}

// A Product is a configuration that is ready to run on the current problem. It is valid until
// the next Load or Prepare.
type Product interface {
	// Poison fills the device's y and all scratch with NaN, or with what leads to a
	// wrong result if a product reads it before it has written it.
	Poison() error
	// Multiply computes y = A·x once. A nil x is that of the problem; another one is
	// in place for this product only. It must be exact in float32.
	Multiply(x []float64) error
	// Result copies the device's y, as the last product left it, to y, which has
	// A.Rows elements. It gives an *OverrunError if a product has written beside its
	// arrays since Prepare.
	Result(y []float64) error
	// Rows is Result for some rows of y, in their order.
	Rows(rows []int, y []float64) error
	// Sample times the product len(dst) times and stores seconds per product.
	// A sample is the mean of batch products back to back; if cold, batch is 1
	// and the device's caches are flushed before every sample.
	Sample(dst []float64, batch int, cold bool) error
	// Info says what the preparation cost and how many bytes the kernel moves.
	Info() ProductInfo
}

// Compute computes one product of x into a poisoned y, and copies that to y, or some rows of it.
func Compute(p Product, x, y []float64, rows ...int) error {
	if err := p.Poison(); err != nil {
		return err
	}
	if err := p.Multiply(x); err != nil {
		return err
	}
	if len(rows) > 0 {
		return p.Rows(rows, y)
	}
	return p.Result(y)
}

// A Reference is what a product should leave behind: y[i] may differ from Hi[i] + Lo[i] by Bound[i]. A nil Lo is 0.
// Nobody changes it.
type Reference struct{ Hi, Lo, Bound []float64 }

// A Judge is a Product whose y is compared where it lies, on the device.
type Judge interface {
	Product
	// Judge returns the largest error of a row as a fraction of its bound, and the first row that has it.
	// A NaN counts as infinite, and so does an error where the bound is 0. It gives an *OverrunError as
	// Result does, and wraps ErrNoJudge if the device can't compare, but Result can tell.
	Judge(Reference) (worst float64, row int, err error)
}

// ErrNoJudge is wrapped by an error of Judge where the device has no room for the reference, or has lost it.
var ErrNoJudge = errors.New("the device can't compare")

// ProductInfo describes a prepared product.
type ProductInfo struct {
	// Prepare is the time to build what this kernel needs beyond CSR arrays in
	// device memory: format conversion, row blocks, reordering.
	Prepare time.Duration
	// Loading is how long it took, beside Prepare, to compile or load code of the kernel or of its library, which is there
	// for later products.
	Loading time.Duration
	// Loaded says that the kernel has run in this process before, so that nothing has to be loaded at its first launch: a
	// sample may come first. Processors have nothing to load, and do not say so.
	Loaded bool
	// BytesFormat is the size of the matrix in the kernel's format, padding
	// included: for CSR 4·(rows+1) + (4+v)·nnz, v the size of a value.
	BytesFormat int64
	// BytesKernel is the size of the kernel's own arrays, each counted once, including
	// auxiliary and intermediate arrays, x and y.
	BytesKernel int64
	// Window is the number of consecutive nonzeros, aligned at its multiples,
	// over which a kernel of block scope sums; 0 for row scope.
	Window int
	// Resolution is the smallest difference of times that the clock of Sample resolves, in
	// seconds; 0 if it does not matter.
	Resolution float64
	// Multiplied is how long the last Multiply took, in seconds, by a clock of the device that an
	// interrupted host does not disturb; 0 if it has none.
	Multiplied float64
	// Busy is how long the device has computed this product and flushed caches for it, by that clock; 0 if it has none.
	Busy time.Duration
	// Properties are facts about the launch (registers, occupancy), by name.
	Properties map[string]float64
	// Warnings are caveats about the samples taken so far.
	Warnings []string
}

// An InvalidError says why a configuration can't be launched.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// NotCompiled begins the reason why a kernel of a sweep is invalid that its compiler refuses.
const NotCompiled = "does not compile: "

// An OverrunError says that a product has written outside an array.
type OverrunError struct{ Array string }

func (e *OverrunError) Error() string { return "the kernel writes outside its array " + e.Array }

// ErrMemory is wrapped by errors of a backend whose device is out of memory.
var ErrMemory = errors.New("out of memory")

// A Reading has the values of a device's sensors at one moment. A value that the device does
// not report is 0.
type Reading struct {
	SMClock     int     `json:"sm_mhz,omitempty"`     // MHz, of the multiprocessors
	MemoryClock int     `json:"memory_mhz,omitempty"` // MHz
	Temperature int     `json:"celsius,omitempty"`
	Power       float64 `json:"watts,omitempty"` // of the board; some devices tell a mean over the last second
	// Reasons are the reasons for clocks below the highest. They are known only if HasReasons.
	Reasons    ClockReasons `json:"reasons,omitempty"`
	HasReasons bool         `json:"has_reasons,omitempty"`
}

// ClockReasons say why a device runs slower than it could. They are a set of bits, those of
// NVML's nvmlClocksEventReasons.
type ClockReasons uint64

const (
	GPUIdle           ClockReasons = 0x1  // nothing runs
	SWPowerCap        ClockReasons = 0x4  // the power limit
	HWSlowdown        ClockReasons = 0x8  // too hot, too much power, or a brake: half the clock or less
	SWThermalSlowdown ClockReasons = 0x20 // too hot, as the driver sees it
	HWThermalSlowdown ClockReasons = 0x40 // too hot: half the clock or less
	HWPowerBrake      ClockReasons = 0x80 // the power supply asked for it: half the clock or less
)

// Throttling are the temporary reasons, which spoil measurements while they last.
//
// Note: the power limit is not among them. A fully loaded card runs at its limit all the time:
// measuring again would give the same result, and the product would run no faster in practice.
const Throttling = HWSlowdown | SWThermalSlowdown | HWThermalSlowdown | HWPowerBrake

// reasonNames has the name of each bit. A user sets applications_clocks, and sync_boost means that another GPU of a group
// is slower.
var reasonNames = []string{"gpu_idle", "applications_clocks", "sw_power_cap", "hw_slowdown", "sync_boost",
	"sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake", "display_clocks"}

// String names the reasons, in the order of their bits, with a blank between; "" if
// there are none. Bits of newer drivers have no name.
func (r ClockReasons) String() string {
	var names []string
	for bit, name := range reasonNames {
		if r&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Scatter returns element i of a permutation of the 2^bits elements of an array. Neighbours in
// the permutation lie far apart, as if drawn at random. It uses multiplications by odd numbers
// modulo 2^bits and shifted exclusive ors, both of which are invertible (MurmurHash3's
// finalizer uses the same). bits is 1 to 31, i below 2^bits.
func Scatter(i uint32, bits int) uint32 {
	mask, shift := uint32(1)<<bits-1, (bits+1)/2
	i ^= i >> shift
	i = i * 0x9e3779b1 & mask
	i ^= i >> shift
	i = i * 0x85ebca77 & mask
	return i ^ i>>shift
}
