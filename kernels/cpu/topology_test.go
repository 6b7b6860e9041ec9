// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestCPUList(t *testing.T) {
	for s, want := range map[string][]int{
		"0": {0}, "0-3": {0, 1, 2, 3}, "1,4-5,9": {1, 4, 5, 9}, "": nil, "x": nil, "1-": nil,
	} {
		testkit.EqualLists(t, cpuList(s), want, "%q", s)
	}
}

// Two workers on one core would share its units while another core idles. Processors that are claimed for a process
// are whole cores.
func TestCores(t *testing.T) {
	order := func(cpus []int, siblings map[int][]int, first, whole []int) {
		t.Helper()
		of := func(c int) []int { return siblings[c] }
		testkit.EqualLists(t, coresFirst(cpus, of), first, "first threads of cores before others")
		testkit.EqualLists(t, slices.Concat(coresOf(cpus, of)...), whole, "core by core")
	}
	all := []int{0, 1, 2, 3}
	order(all, map[int][]int{0: {0, 1}, 1: {0, 1}, 2: {2, 3}, 3: {2, 3}}, []int{0, 2, 1, 3}, all)
	order(all, map[int][]int{0: {0, 2}, 1: {1, 3}, 2: {0, 2}, 3: {1, 3}}, all, []int{0, 2, 1, 3})
	masked := []int{1, 3, 5}
	order(masked, map[int][]int{1: {0, 1}, 3: {2, 3}, 5: {4, 5}}, masked, masked)
	order([]int{4, 7}, nil, []int{4, 7}, []int{4, 7}) // unknown
}

// Two core complexes with 32 MiB each have 64 MiB to evict; with one of them
// outside the mask, 32.
func TestCacheOf(t *testing.T) {
	root := t.TempDir()
	write := func(cpu, index int, level, kind, size, shared string) {
		dir := filepath.Join(root, fmt.Sprintf("cpu%d/cache/index%d", cpu, index))
		testkit.Succeed(t, os.MkdirAll(dir, 0o755))
		for name, text := range map[string]string{"level": level, "type": kind, "size": size,
			"shared_cpu_list": shared} {
			testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644))
		}
	}

	for cpu := range 4 {
		own := fmt.Sprint(cpu)
		write(cpu, 0, "1", "Data", "48K", own)
		write(cpu, 1, "1", "Instruction", "64M", own)
		write(cpu, 2, "2", "Unified", "1M", own)
		write(cpu, 3, "3", "Unified", "32768K", []string{"0-1", "2-3"}[cpu/2])
	}

	for _, c := range []struct {
		cpus []int
		want int64
	}{{[]int{0, 1, 2, 3}, 64 << 20}, {[]int{0, 1}, 32 << 20}, {nil, 0}, {[]int{9}, 0}} {
		testkit.Equal(t, cacheOf(root, c.cpus), c.want, "bytes that processors %v reach", c.cpus)
	}
}

func TestPhysicalCores(t *testing.T) {
	threads := func(cpu int) []int { return []int{cpu % 2, cpu%2 + 2} }
	for _, tt := range []struct {
		cpus     []int
		siblings func(int) []int
		want     string
	}{
		{[]int{0, 1, 2, 3}, threads, "2"},
		{[]int{0, 2}, threads, "1"},
		{[]int{0, 0}, func(int) []int { return nil }, ""}, // no such system
	} {
		testkit.Equal(t, physicalCores(tt.cpus, tt.siblings), tt.want, "cores of %v", tt.cpus)
	}
}

// Processes that are given a part of a machine each get processors of their own.
func TestClaimCPUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has sockets of names that are no files")
	}
	space := fmt.Sprintf("spmvtune-test-%p", t)
	all := []int{0, 1, 2, 3, 4}
	first, a := claimCPUs(space, all, 2)
	second, b := claimCPUs(space, all, 2)

	testkit.EqualLists(t, first, []int{0, 1}, "claimed")
	testkit.EqualLists(t, second, []int{2, 3}, "claimed then")
	if got, c := claimCPUs(space, all, 2); got != nil || c != nil {
		t.Errorf("claimed %v of one that is left", got)
	}

	a.release()
	if got, c := claimCPUs(space, all, 3); !slices.Equal(got, []int{0, 1, 4}) {
		t.Errorf("claimed %v of what was released", got)
	} else {
		c.release()
	}
	b.release()
}

// What a scheduler gave is what is used, also where the system would allow for more.
func TestOpenShare(t *testing.T) {
	if len(usableCores()) < 2 {
		t.Skip("there is one processor only")
	}
	b := testkit.Must(OpenShare(Share{CPUs: 1}))
	defer b.Close()

	if d := b.Device(); d.Units != 1 || len(b.cores) != 1 {
		t.Errorf("%d units, workers on %v", d.Units, b.cores)
	}
	whole := testkit.Must(OpenShare(Share{CPUs: 1000}))
	defer whole.Close()

	if d := whole.Device(); d.Units != len(usableCores()) || d.Properties["pinned"] != "" {
		t.Errorf("of all: %+v", d)
	}
}

// Where all processors are given away, workers are free, and the device says so.
func TestOpenShareOfNothing(t *testing.T) {
	all := usableCores()
	if len(all) < 2 || allowedCPUs() == nil {
		t.Skip("there is one processor only, or no claims")
	}
	defer func(space string) { claimSpace = space }(claimSpace)
	claimSpace = fmt.Sprintf("spmvtune-test-%p", t)
	var last *Backend
	for range len(allowedCPUs()) + 1 {
		b := testkit.Must(OpenShare(Share{CPUs: 1}))
		defer b.Close()
		last = b
	}
	if d := last.Device(); d.Units != 1 || d.Properties["pinned"] != "no" || len(last.cores) != 1 || !last.pool.free {
		t.Errorf("a backend without a processor: %+v, workers on %v, free %v", d, last.cores, last.pool.free)
	}
}
