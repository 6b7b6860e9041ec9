package kernels

import (
	"errors"
	"time"

	"spmvtune/sparse"
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

// A Problem is a product y = A·x. Backends narrow A and x to the precision of
// a configuration; x is exact in float32, so both precisions see the same x.
type Problem struct {
	A *sparse.CSR[float64]
	X []float64 // length A.Cols
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
	// Sample times the product len(dst) times and stores seconds per product.
	// A sample is the mean of batch products back to back; if cold, batch is 1
	// and the device's caches are flushed before every sample.
	Sample(dst []float64, batch int, cold bool) error
	// Info says what the preparation cost and how many bytes the kernel moves.
	Info() ProductInfo
}

// Compute computes one product of x into a poisoned y, and copies that to y.
func Compute(p Product, x, y []float64) error {
	if err := p.Poison(); err != nil {
		return err
	}
	if err := p.Multiply(x); err != nil {
		return err
	}
	return p.Result(y)
}

// ProductInfo describes a prepared product.
type ProductInfo struct {
	// Prepare is the time to build what this kernel needs beyond CSR arrays in
	// device memory: format conversion, row blocks, reordering.
	Prepare time.Duration
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
	// Properties are facts about the launch (registers, occupancy), by name.
	Properties map[string]float64
	// Warnings are caveats about the samples taken so far.
	Warnings []string
}

// An InvalidError says why a configuration can't be launched.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// An OverrunError says that a product has written outside an array.
type OverrunError struct{ Array string }

func (e *OverrunError) Error() string { return "the kernel writes outside its array " + e.Array }

// ErrMemory is wrapped by errors of a backend whose device is out of memory.
var ErrMemory = errors.New("out of memory")
