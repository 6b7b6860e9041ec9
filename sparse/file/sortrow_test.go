// SPDX-License-Identifier: Apache-2.0

package file

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Rows come out as a stable sort of their entries leaves them, whatever their
// length and order.
func TestSortRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	var s sorter
	for range 3000 {
		n := rng.IntN(3 * shortRow)
		width := 1 + rng.IntN(6*shortRow)
		type entry struct {
			col int32
			val float64
		}
		want := make([]entry, n)

		cols, vals := make([]int32, n), make([]float64, n)
		for k := range want {
			cols[k] = int32(rng.IntN(width))
		}
		if rng.IntN(3) == 0 {
			slices.Sort(cols)
		}

		for k := range want {
			vals[k] = float64(k)
			want[k] = entry{cols[k], vals[k]}
		}
		alone := slices.Clone(cols)
		slices.SortStableFunc(want, func(a, b entry) int { return int(a.col - b.col) })
		distinct := true

		for k := 1; k < n; k++ {
			distinct = distinct && want[k].col != want[k-1].col
		}
		testkit.Equal(t, s.sortRow(cols, vals), distinct, "%v: distinct", want)

		for k, w := range want {
			testkit.Equal(t, cols[k], w.col, "column of entry %d", k)
			testkit.Equal(t, vals[k], w.val, "value of entry %d", k)
		}

		got := sortColumns(alone)
		testkit.Require(t, got == distinct && slices.Equal(alone, cols), "columns alone: %v, %v, want %v", alone, got, cols)
	}
}
