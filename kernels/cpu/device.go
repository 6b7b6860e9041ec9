package cpu

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"spmvtune/kernels"
)

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
		Memory:   memTotal(),
		Cache:    lastLevelCache(),
		Properties: map[string]string{
			"os":         runtime.GOOS,
			"arch":       runtime.GOARCH,
			"processors": strconv.Itoa(runtime.NumCPU()),
		},
	}

	// What the arithmetic peak follows from.
	info, _ := os.ReadFile("/proc/cpuinfo")
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
	cores := map[int]bool{}
	for _, cpu := range cpus {
		threads := siblings(cpu)
		if len(threads) == 0 {
			return ""
		}
		cores[threads[0]] = true
	}
	return strconv.Itoa(len(cores))
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

// coresFirst reorders cpus so that the first threads of all cores come before
// the second ones. siblings returns the processors of a core.
func coresFirst(cpus []int, siblings func(cpu int) []int) []int {
	seen := map[int]int{} // core, named by its first processor, to threads met so far
	var ranks [][]int
	for _, cpu := range cpus {
		core := cpu
		if s := siblings(cpu); len(s) > 0 {
			core = s[0]
		}
		rank := seen[core]
		seen[core]++
		if rank == len(ranks) {
			ranks = append(ranks, nil)
		}
		ranks[rank] = append(ranks[rank], cpu)
	}

	var ordered []int
	for _, r := range ranks {
		ordered = append(ordered, r...)
	}
	return ordered
}

// modelName is the processor's model as Linux names it, and the architecture
// elsewhere.
func modelName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for _, key := range []string{"model name", "cpu model", "Model", "cpu"} {
		if v := field(text, key); v != "" {
			return v
		}
	}
	return runtime.GOARCH + " processor"
}

// memTotal is the size of the memory in bytes.
func memTotal() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	kib, _ := strconv.ParseInt(strings.TrimSuffix(field(text, "MemTotal"), " kB"), 10, 64)
	return kib << 10
}

// field returns the value of the first line "key : value" of text.
func field(text []byte, key string) string {
	for line := range bytes.Lines(text) {
		k, v, ok := bytes.Cut(line, []byte(":"))
		if ok && string(bytes.TrimSpace(k)) == key {
			return string(bytes.TrimSpace(v))
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
