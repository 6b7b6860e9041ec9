package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// Processes that are given a part of a machine each get processors of their own.
func TestClaimCPUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has sockets of names that are no files")
	}
	space := fmt.Sprintf("spmvtune-test-%p", t)
	all := []int{0, 1, 2, 3, 4}
	first, a := claimCPUs(space, all, 2)
	second, b := claimCPUs(space, all, 2)

	if !slices.Equal(first, []int{0, 1}) || !slices.Equal(second, []int{2, 3}) {
		t.Errorf("claimed %v and %v", first, second)
	}
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

func TestByCore(t *testing.T) {
	halves := func(cpu int) []int { return []int{cpu % 4, cpu%4 + 4} }
	if got := byCore([]int{0, 1, 2, 4, 5, 7}, halves); !slices.Equal(got, []int{0, 4, 1, 5, 2, 7}) {
		t.Errorf("order %v", got)
	}
	if got := byCore([]int{2, 3}, func(int) []int { return nil }); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("without siblings: %v", got)
	}
}

// What a scheduler gave is what is used, also where the system would allow for more.
func TestOpenShare(t *testing.T) {
	if len(usableCores()) < 2 {
		t.Skip("there is one processor only")
	}
	b, err := OpenShare(Share{CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()

	if d := b.Device(); d.Units != 1 || len(b.cores) != 1 {
		t.Errorf("%d units, workers on %v", d.Units, b.cores)
	}
	whole, err := OpenShare(Share{CPUs: 1000})
	if err != nil {
		t.Fatal(err)
	}
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
		b, err := OpenShare(Share{CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		last = b
	}
	if d := last.Device(); d.Units != 1 || d.Properties["pinned"] != "no" || len(last.cores) != 1 || !last.pool.free {
		t.Errorf("a backend without a processor: %+v, workers on %v, free %v", d, last.cores, last.pool.free)
	}
}
