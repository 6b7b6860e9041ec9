// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Go's runtime may change the number of cores at any time: what is kept of each part goes on with the same parts.
func TestPartsStay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var once sync.Once
	items := make([]int, 4*fewSteps)
	for i := range items {
		items[i] = i
	}
	sorted, start := bucketed(items, 2, func(i int) int {
		once.Do(func() { runtime.GOMAXPROCS(2) })
		return i % 2
	})
	want := slices.Clone(items)
	slices.SortStableFunc(want, func(a, b int) int { return a%2 - b%2 })
	testkit.EqualLists(t, start, []int{0, len(items) / 2, len(items)}, "buckets begin at")
	testkit.EqualLists(t, sorted, want, "items are not in the order of their buckets")
}
