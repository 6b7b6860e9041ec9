package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sysCPU is where Linux describes its processors.
const sysCPU = "/sys/devices/system/cpu"

// siblings returns the processors that share a core with cpu, itself included; nil if the
// system does not report them.
func siblings(cpu int) []int {
	return cpuList(read(filepath.Join(sysCPU, fmt.Sprintf("cpu%d", cpu), "topology/thread_siblings_list")))
}

// lastLevelCache is the total size in bytes of the highest-level caches of the usable cores; 0
// if the system does not report it.
func lastLevelCache() int64 { return cacheOf(sysCPU, allowedCPUs()) }

func cacheOf(root string, cpus []int) int64 {
	level, total, counted := 0, int64(0), map[string]bool{}
	for _, cpu := range cpus {
		indices, _ := filepath.Glob(filepath.Join(root, fmt.Sprintf("cpu%d", cpu), "cache/index*"))
		for _, index := range indices {
			n, _ := strconv.Atoi(read(filepath.Join(index, "level")))
			size := cacheSize(read(filepath.Join(index, "size")))
			shared := read(filepath.Join(index, "shared_cpu_list"))
			if size == 0 || read(filepath.Join(index, "type")) == "Instruction" || n < level {
				continue
			}

			if n > level {
				level, total = n, 0
				clear(counted)
			}
			if !counted[shared] {
				counted[shared] = true
				total += size
			}
		}
	}

	return total
}

// read returns the text of a file without surrounding space, or "" if there is no file.
func read(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// cacheSize reads a size as sysfs writes it: "32768K".
func cacheSize(s string) int64 {
	shift := 0
	for suffix, n := range map[string]int{"K": 10, "M": 20, "G": 30} {
		if digits, ok := strings.CutSuffix(s, suffix); ok {
			s, shift = digits, n
			break
		}
	}

	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n << shift
}

// cpuList reads a list as sysfs writes it: "0,2-3". It returns nil if s is not such a list.
func cpuList(s string) []int {
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		if err != nil {
			return nil
		}

		hi := lo
		if ranged {
			if hi, err = strconv.Atoi(last); err != nil {
				return nil
			}
		}

		for cpu := lo; cpu <= hi; cpu++ {
			cpus = append(cpus, cpu)
		}
	}

	return cpus
}
