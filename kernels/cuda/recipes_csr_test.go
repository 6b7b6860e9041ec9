// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// A run ends only where the next row does not fit.
func TestPackRowsFills(t *testing.T) {
	m := rowsOfLength(20, 21, 44, 20, 65, 0, 1) // the example of csr-five-algorithms, Sec. IV-C, and more
	testkit.EqualLists(t, packRows(m.RowPtr, 64), []int32{0, 2, 4, 5, 7}, "runs begin at")
}

// The lanes that LightSpMV chooses follow the mean row length.
func TestLightWidth(t *testing.T) {
	for _, test := range []struct{ rows, nnz, want int }{
		{0, 0, 2}, {10, 0, 2}, {10, 24, 2}, {10, 25, 4}, {10, 44, 4}, {10, 45, 8}, {10, 644, 8}, {10, 645, 32}, {1, 1 << 30, 32},
	} {
		testkit.Equal(t, lightWidth(test.rows, test.nnz), test.want, "%d rows, %d nonzeros: lanes", test.rows, test.nnz)
	}
}

// What a structure or a combination of settings forbids is said, not launched.
func TestCSRRecipesRefuse(t *testing.T) {
	check := func(m *structure, c kernels.Config, legal bool) {
		t.Helper()
		c.Precision, c.Grid = kernels.Float32, 1
		_, err := recipes[c.Kernel](m, c, 4)
		var invalid *kernels.InvalidError
		testkit.Check(t, (!legal || err == nil) && (legal || errors.As(err, &invalid)), "%s: %v", c, err)
	}

	m := rowsOfLength(1, 2)
	bounded := kernels.Params("min_blocks=2")
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 256, Params: bounded}, true)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 257, Params: bounded}, false)
	check(m, kernels.Config{Kernel: "csr_thread_row", Block: 1024}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=1")}, true)
	check(m, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("sigma=33")}, false)

	// 2²⁴ entries in a row of 128, so 2³¹ with padding: refused before they exist.
	wide := &structure{Rows: 1, Cols: 1 << 24, RowPtr: []int32{0, 1 << 24}, ColIdx: make([]int32, 1<<24)}
	check(wide, kernels.Config{Kernel: "sell_c_sigma", Block: 32, Params: kernels.Params("chunk=128")}, false)
}

// Segments are dealt out evenly: no part has a tenth more or less nonzeros than others.
func TestLanesShareEvenly(t *testing.T) {
	m := randomRows(3000, 400, 70, 9)
	p, want := packLanes(m, 1, m.Cols, 7, 1024), m.NNZ()/7
	for i := 0; i < len(p.part); i += 3 {
		n := 0
		for k := p.chunk[p.part[i+1]] / 8; k < p.chunk[p.part[i+2]]/8; k++ {
			n += int(p.span[2*k+1] - p.span[2*k])
		}
		testkit.Check(t, n >= want*9/10 && n <= want*11/10, "part %d has %d nonzeros, want about %d", i/3, n, want)
	}
}

// A column is found by place and tag alone, and a place has the column that occurs most.
func TestHotPlaces(t *testing.T) {
	const places, bits, cols = 80, 10, 1000
	rng := rand.New(rand.NewPCG(1, 2))
	m := &structure{Rows: 1, Cols: cols}
	count := make([]int, cols)
	for range 3000 {
		col := min(rng.IntN(cols), rng.IntN(cols))
		m.ColIdx, count[col] = append(m.ColIdx, int32(col)), count[col]+1
	}
	p := newHotPlaces(m, places, bits)
	for col := range cols {
		place, tag := placeOfColumn(col, places, bits)
		found := uint8(p.tags[place/4]>>(place%4*8)) == tag
		if holder := int(p.column[place]); found != (holder == col) || count[holder] < count[col] {
			t.Errorf("column %d occurs %d times; its place has column %d, which occurs %d times (found: %t)", col,
				count[col], holder, count[holder], found)
		}
	}
}

// Every core gives the rows of its share, wherever that begins.
func TestRowIndices(t *testing.T) {
	for name, m := range map[string]*structure{
		"none": rowsOfLength(), "empty": rowsOfLength(0, 0), "ends": rowsOfLength(0, 3, 0, 0, 1, 0),
		"long": rowsOfLength(0, 3*fewSteps+1, 0, 0, 2*fewSteps, 1, 0), "short": rowsOfLength(slices.Repeat([]int{0, 2}, 3*fewSteps)...),
	} {
		rows := rowIndices(m)
		for i := range m.Rows {
			for _, row := range rows[m.RowPtr[i]:m.RowPtr[i+1]] {
				testkit.Equal(t, int(row), i, "%s: row of a nonzero", name)
			}
		}
	}
}
