// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"runtime"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Each worker has a core to itself as long as there are enough, and none where the backend did
// not get its cores for itself.
func TestWorkersArePinned(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := allowedCPUs()
	if len(all) < 2 {
		t.Skip("there is one processor only")
	}
	for _, free := range []bool{false, true} {
		p := newPool(all)
		p.free = free
		var of [2][]int
		p.run(2, func(w int) { of[w] = threadCPUs() })
		p.close()
		if want := all[1:2]; !free && !slices.Equal(of[1], want) || free && !slices.Equal(of[1], all) {
			t.Errorf("free is %v: worker 1 of %v runs on %v", free, all, of[1])
		}
	}

	b := open(t)
	testkit.EqualLists(t, threadCPUs(), b.cores[:1], "the goroutine that opened the backend runs on")
	if err := b.Close(); err != nil || !slices.Equal(threadCPUs(), all) {
		t.Errorf("after closing it runs on %v, want %v (%v)", threadCPUs(), all, err)
	}
}
