// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"math"
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

// All of a matrix stays in the cache where there is room; of a larger one what has room beside the vectors.
func TestPiecesKept(t *testing.T) {
	for _, c := range [][4]float64{{1000, 700, 600, 1}, {1000, 701, 100, 300. / 601}, {1000, 2000, 400, 0}, {1000, 2000, 1500, 0}, {0, 5, 5, 0}, {0, 0, 0, 1}} {
		got := float64(piecesKept(int64(c[0]), int64(c[1]), int64(c[2]))) / math.MaxUint32
		testkit.Check(t, math.Abs(got-c[3]) < 1e-9, "%v: a share of %v is kept", c, got)
	}
}
