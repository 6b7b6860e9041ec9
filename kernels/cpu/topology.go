// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
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
	number := strings.TrimRight(s, "KMG")
	n, _ := strconv.ParseInt(number, 10, 64) // 0 if it is not one
	return n * map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[s[len(number):]]
}

// cpuList reads a list as sysfs writes it: "0,2-3". It returns nil if s is not such a list.
func cpuList(s string) []int {
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		lo, err := strconv.Atoi(first)
		hi, bad := strconv.Atoi(last)
		if err != nil || bad != nil {
			return nil
		}
		for cpu := lo; cpu <= hi; cpu++ {
			cpus = append(cpus, cpu)
		}
	}

	return cpus
}

// A claim holds processors of this machine against other processes of this program,
// however a scheduler started them, until it is released or the process ends.
//
// Note: a processor is held by a socket of a name in Linux's abstract space, which one process
// at a time can bind. No file can be left behind, and none is invisible where each job has its
// own /tmp.
type claim []io.Closer

func (c claim) release() {
	for _, held := range c {
		held.Close()
	}
}

// claimSpace begins the names of claims. A test has one of its own.
var claimSpace = "spmvtune"

// claimCPUs claims the first n of cpus that are free, and returns them in order; nil if fewer
// are free, or this system has no such sockets.
func claimCPUs(space string, cpus []int, n int) ([]int, claim) {
	// A worker that has just ended may still hold its claim.
	for range 4 {
		var got []int
		var held claim
		for _, cpu := range cpus {
			if len(got) == n {
				break
			}
			if l, err := net.Listen("unix", fmt.Sprintf("@%s/cpu/%d", space, cpu)); err == nil {
				got, held = append(got, cpu), append(held, l)
			}
		}

		if len(got) == n {
			return got, held
		}
		held.release()
		time.Sleep(250 * time.Millisecond)
	}

	return nil, nil
}

// coresOf groups processors by their core, in their order. siblings returns the processors of a core.
func coresOf(cpus []int, siblings func(cpu int) []int) [][]int {
	return lists.Groups(cpus, func(cpu int) int { return append(siblings(cpu), cpu)[0] }) // by its first processor
}

// coresFirst reorders cpus so that the first threads of all cores come before the second ones.
func coresFirst(cpus []int, siblings func(cpu int) []int) (ordered []int) {
	cores := coresOf(cpus, siblings)
	for thread := 0; len(ordered) < len(cpus); thread++ {
		for _, threads := range cores {
			if thread < len(threads) {
				ordered = append(ordered, threads[thread])
			}
		}
	}
	return ordered
}
