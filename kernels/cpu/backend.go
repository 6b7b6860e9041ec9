// SPDX-License-Identifier: Apache-2.0

// Package cpu runs sparse matrix-vector products on the processor, in Go. It
// implements kernels.Backend for the kernels of the catalogue whose names
// begin with cpu_.
//
// Load checks the matrix once; after that no inner loop checks a bound (see
// span.go). Prepare builds what a kernel needs beyond CSR (row indices,
// SELL-C-sigma), remembers it while the matrix stays, and returns a product
// that allocates nothing when it runs.
//
// Parallel kernels share one pool of threads. Worker 0 is the goroutine that calls; the others
// live on threads of their own, a core each. Work that comes in chunks is handed out by an
// atomic counter: the next free worker takes the next chunk, so that long rows and a busy core
// even out. Small chunks cost one step of the counter each. cpu_csr_merge has no chunks: its
// shares are equal by construction.
//
// The monotonic clock times the whole product, including all that the kernel does to y. The
// package sets no priorities and no clock frequency.
//
// Note: splitting chunks among workers beforehand was rejected. It saves the counter, but then
// the slowest worker decides: on a shared or oversubscribed machine that measures the
// neighbours.
package cpu

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
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

	keepsAll bool // forms of a matrix, however large

	custom.Set // of the sweep's own kernels
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
	// Guest says that the process is another program's: no thread is pinned, and all forms of a matrix are kept.
	Guest bool
}

// OpenShare is Open for a process that has a share of the machine. If the scheduler does not confine the process to
// its processors, the backend takes as many that no other such process has, until Close. If there are not enough, its
// workers are not pinned, and the device has the property "pinned" with the value "no".
func OpenShare(share Share) (*Backend, error) {
	b := &Backend{cores: usableCores(), given: share.Memory}
	b.Set = custom.NewSet("cpu", b.customCompiler)
	free := share.Guest
	b.keepsAll = share.Guest
	if n := share.CPUs; n > 0 && n < len(b.cores) {
		var got []int
		if got, b.claim = claimCPUs(claimSpace, slices.Concat(coresOf(allowedCPUs(), siblings)...), n); got != nil {
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
	b.formats = &formats{limit: formatLimit(b.device.Memory), on: b.pool}
	if b.keepsAll {
		b.formats.limit = math.MaxInt64
	}
	runtime.GC() // gives back the earlier problem, and leaves no garbage to collect during samples
	if err := p.Validate(); err != nil {
		return err
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
	mine, _ := b.Custom(c.Kernel)
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
	if c.Precision == kernels.Float32 {
		return prepare(b, &b.single, k, mine, c, o.Fresh)
	}
	return prepare(b, &b.double, k, mine, c, o.Fresh)
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
func formatLimit(memory int64) int64 { return cmp.Or(memory/4, 1<<30) }

// describe says what the processor is, of which cpus are used. Memory and cache are 0 if the system
// does not report them. The number of cores distinguishes devices: the same processor gives other
// times to a job that may use fewer of them.
func describe(cpus []int) kernels.Device {
	d := kernels.Device{
		Backend:  "cpu",
		Name:     modelName(),
		Driver:   fmt.Sprintf("%s, cores: %d", compiler(), len(cpus)),
		Units:    len(cpus),
		MaxBlock: 1 << 20,
		Memory:   memory("MemTotal"),
		Cache:    lastLevelCache(),
		Properties: map[string]string{
			"os":         runtime.GOOS,
			"arch":       runtime.GOARCH,
			"processors": strconv.Itoa(runtime.NumCPU()),
		},
	}

	// What the arithmetic peak follows from.
	info := read("/proc/cpuinfo")
	for name, value := range map[string]string{
		"vendor":         field(info, "vendor_id"),
		"family":         field(info, "cpu family"),
		"model":          field(info, "model"),
		"clock_khz":      read(filepath.Join(sysCPU, fmt.Sprintf("cpu%d", cpus[0]), "cpufreq/cpuinfo_max_freq")),
		"physical_cores": physicalCores(cpus, siblings),
	} {
		if value != "" {
			d.Properties[name] = value
		}
	}
	return d
}

// physicalCores counts the cores that processors belong to; "" if the system does not report them.
func physicalCores(cpus []int, siblings func(cpu int) []int) string {
	if len(siblings(cpus[0])) == 0 {
		return ""
	}
	return strconv.Itoa(len(coresOf(cpus, siblings)))
}

// usableCores returns the processors for workers, one each: as many as the affinity mask and
// GOMAXPROCS allow, further threads of a core last. Without a mask only their count matters.
func usableCores() []int {
	n := runtime.GOMAXPROCS(0)
	cpus := allowedCPUs()
	if cpus == nil {
		return make([]int, min(n, runtime.NumCPU()))
	}
	cpus = coresFirst(cpus, siblings)
	return cpus[:min(n, len(cpus))]
}

// modelName is the processor's model as Linux names it, and the architecture
// elsewhere.
func modelName() string {
	text := read("/proc/cpuinfo")
	for _, key := range []string{"model name", "cpu model", "Model", "cpu"} {
		if v := field(text, key); v != "" {
			return v
		}
	}
	return runtime.GOARCH + " processor"
}

// memory is an amount of memory that the system reports, such as "MemTotal", in bytes.
func memory(key string) int64 {
	kib, _ := strconv.ParseInt(strings.TrimSuffix(field(read("/proc/meminfo"), key), " kB"), 10, 64)
	return kib << 10
}

// field returns the value of the first line "key : value" of text.
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// compiler names what made the kernels' machine code: "go1.26.0 amd64 v1".
func compiler() string {
	name := runtime.Version() + " " + runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) {
				name += " " + s.Value
			}
		}
	}
	return name
}

// memoryLimit is how many bytes this process may use: the machine's memory, or less where a job or a container
// has a limit, whether or not the system enforces it: a scheduler may kill the process, too. It is 0 if nothing
// reports it.
func (b *Backend) memoryLimit() int64 {
	limit := limitOf(memory("MemTotal"), read("/proc/self/cgroup"), "/sys/fs/cgroup")
	if b.given > 0 && (limit == 0 || b.given < limit) {
		return b.given
	}
	return limit
}

// FreeMemory is how many bytes this process may still take, 0 if nothing reports it: what the machine has left, or
// what a scheduler, a container or a limit of the process allows, if that is less.
func FreeMemory() (free int64) {
	allowed := []int64{memory("MemAvailable"), (&Backend{given: GivenShare(os.Getenv).Memory}).memoryLimit()}
	for _, which := range []int{unix.RLIMIT_AS, unix.RLIMIT_DATA} {
		var limit unix.Rlimit
		unix.Getrlimit(which, &limit)
		allowed = append(allowed, int64(limit.Cur)) // negative: there is none
	}
	for _, n := range allowed {
		if n > 0 && (free == 0 || n < free) {
			free = n
		}
	}
	return free
}

// limitOf is the lowest of the limits of the control groups of a process and of those above them, if one is
// lower than the memory. groups are lines "id:controllers:path", and no controllers in version 2.
func limitOf(memory int64, groups, root string) int64 {
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		folder, file := root, "memory.max"
		if fields[1] != "" {
			if !slices.Contains(strings.Split(fields[1], ","), "memory") {
				continue
			}
			folder, file = path.Join(root, "memory"), "memory.limit_in_bytes"
		}

		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			n, err := strconv.ParseInt(read(path.Join(folder, group, file)), 10, 64) // an error is "max", or no file
			if err == nil && n > 0 && (memory == 0 || n < memory) {
				memory = n
			}
			if group == "/" {
				break
			}
		}
	}
	return memory
}

// GivenShare is what Slurm gave to this process on its node, whether or not it is confined to that; nothing outside of
// jobs, and no memory where a job has all of a node's. Tasks of a step that srun has started there have equal shares of
// the step's, unless srun was told how many processors each has.
func GivenShare(getenv func(string) string) Share {
	if getenv("SLURM_JOB_ID") == "" {
		return Share{}
	}
	number := func(key string) int {
		n, _ := strconv.Atoi(getenv(key))
		return max(n, 0)
	}
	cpus := number("SLURM_CPUS_ON_NODE")
	mb := cmp.Or(number("SLURM_MEM_PER_NODE"), number("SLURM_MEM_PER_CPU")*cpus)
	tasks := max(stepTasks(getenv("SLURM_STEP_TASKS_PER_NODE"), getenv("SLURM_NODEID")), 1)
	share := Share{CPUs: cpus / tasks, Memory: int64(mb) << 20 / int64(tasks)}
	if each := number("SLURM_CPUS_PER_TASK"); each > 0 && tasks > 1 {
		share.CPUs = min(share.CPUs, each)
	}
	share.CPUs = max(share.CPUs, min(cpus, 1))
	return share
}

// tasksForm matches the numbers of tasks on a node, or on several in a row: 2(x3).
var tasksForm = regexp.MustCompile(`^([0-9]+)(?:\(x([0-9]+)\))?(?:,|$)`)

// stepTasks is the number of tasks on a node in Slurm's list for all nodes of a step, as "2(x3),1"; 0 if
// that does not say it, as outside of a step.
func stepTasks(list, node string) int {
	at, err := strconv.Atoi(node)
	if err != nil {
		return 0
	}
	for {
		m := tasksForm.FindStringSubmatch(list)
		if m == nil {
			return 0
		}
		tasks, _ := strconv.Atoi(m[1])
		nodes, _ := strconv.Atoi(cmp.Or(m[2], "1"))
		if at < nodes {
			return tasks
		}
		at, list = at-nodes, list[len(m[0]):]
	}
}
