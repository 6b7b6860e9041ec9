package sparse_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// TestDiagonals decodes what was packed: every row must come back in its order.
func TestDiagonals(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		d, err := sparse.NewDiagonals(m, 1+len(m.Val)%9, 1<<30)
		if err != nil {
			if !strings.Contains(err.Error(), "255 diagonals") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err := decodeDiagonals(d, m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func decodeDiagonals(d *sparse.Diagonals, m *sparse.CSR[float64]) error {
	used := 0
	for i := range m.Rows {
		slot, distances := d.Slice(i/32, nil)
		if len(distances)%d.Turn != 0 {
			return fmt.Errorf("row %d: %d slots in turns of %d", i, len(distances), d.Turn)
		}
		next := m.RowPtr[i]
		for k, distance := range distances {
			n := d.Order[(slot+k)*32+i%32]
			if n < 0 {
				continue
			}
			if n != next || n >= m.RowPtr[i+1] || m.ColIdx[n] != int32(i)+distance {
				return fmt.Errorf("row %d: nonzero %d at distance %d, want nonzero %d", i, n, distance, next)
			}
			next++
			used++
		}
		if next != m.RowPtr[i+1] {
			return fmt.Errorf("row %d ends at nonzero %d, want %d", i, next, m.RowPtr[i+1])
		}
	}

	for _, n := range d.Order {
		if n >= 0 {
			used--
		}
	}
	if used != 0 || len(d.Order) != 32*d.Slots {
		return fmt.Errorf("%d entries too few or too many in %d slots", used, d.Slots)
	}
	return nil
}

// Slices of a stencil share their distances, on any number of cores.
func TestDiagonalsShare(t *testing.T) {
	m, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 320, "ny": 200})
	if err != nil {
		t.Fatal(err)
	}
	one := slices.Repeat([]*sparse.Diagonals{nil}, 2)
	for i, cores := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		if one[i], err = sparse.NewDiagonals(m, 5, 2*m.NNZ()); err != nil {
			t.Fatal(err)
		}
	}
	// The first line lacks one distance, the last another. Turns of 5 have 8 places.
	want := []int32{-1, 0, 1, 320, 0, 0, 0, 0, -320, -1, 0, 1, 320, 0, 0, 0, -320, -1, 0, 1, 0, 0, 0, 0}
	if !slices.Equal(one[0].Distances, want) {
		t.Errorf("distances %d, want %d", one[0].Distances, want)
	}
	if !slices.Equal(one[0].Distances, one[1].Distances) || !slices.Equal(one[0].Heads, one[1].Heads) ||
		!slices.Equal(one[0].Order, one[1].Order) {
		t.Error("the number of cores changes the result")
	}
}

func TestDiagonalsRefused(t *testing.T) {
	m, err := generate.Build(t.Context(), "uniform", map[string]any{"rows": 3200, "cols": 3200, "row_nnz": 3.0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewDiagonals(m, 5, 2*m.NNZ()); err == nil || !strings.Contains(err.Error(), "more than the") {
		t.Errorf("scattered columns: %v", err)
	}
	if m, err = generate.Build(t.Context(), "giant_row", map[string]any{"rows": 300, "giant": 300}); err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewDiagonals(m, 5, 1<<20); err == nil || !strings.Contains(err.Error(), "255 diagonals") {
		t.Errorf("a long row: %v", err)
	}
}
