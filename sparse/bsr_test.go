package sparse_test

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

// Every nonzero is in the block of its row and column, and nothing else is; blocks are in order and
// not empty.
func TestBSR(t *testing.T) {
	for name, m := range slicedMatrices(t) {
		for _, size := range []int{1, 2, 3, 4, 6} {
			b, err := sparse.NewBSR(m, size, sparse.MaxIndex)
			if m.Rows%size != 0 || m.Cols%size != 0 {
				if err == nil || !strings.Contains(err.Error(), "not a multiple") {
					t.Errorf("%s, %d: %v", name, size, err)
				}
				continue
			}
			if err == nil {
				err = decodeBSR(b, m)
			}
			if err != nil {
				t.Errorf("%s, %d: %v", name, size, err)
			}
		}
	}
}

func decodeBSR(b *sparse.BSR, m *sparse.CSR[float64]) error {
	size, found := b.Size, 0
	if len(b.Starts) != m.Rows/size+1 || len(b.Order) != len(b.Columns)*size*size {
		return fmt.Errorf("%d starts, %d columns, %d values", len(b.Starts), len(b.Columns), len(b.Order))
	}
	for row := range m.Rows / size {
		for k := b.Starts[row]; k < b.Starts[row+1]; k++ {
			if k > b.Starts[row] && b.Columns[k] <= b.Columns[k-1] {
				return fmt.Errorf("block row %d has column %d after %d", row, b.Columns[k], b.Columns[k-1])
			}
			before := found
			for i, from := range b.Order[int(k)*size*size:][:size*size] {
				if from < 0 {
					continue
				}
				at, column := row*size+i/size, b.Columns[k]*int32(size)+int32(i%size)
				if from < m.RowPtr[at] || from >= m.RowPtr[at+1] || m.ColIdx[from] != column {
					return fmt.Errorf("nonzero %d is put at row %d, column %d", from, at, column)
				}
				found++
			}
			if found == before {
				return fmt.Errorf("block %d is empty", k)
			}
		}
	}
	if found != m.NNZ() {
		return fmt.Errorf("%d of %d nonzeros are in blocks", found, m.NNZ())
	}
	return nil
}

// Blocks that would be filled with too many zeros are refused.
func TestBSRRefused(t *testing.T) {
	m, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 12, "ny": 12})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sparse.NewBSR(m, 3, sparse.MaxIndex)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.NewBSR(m, 3, len(b.Order)); err != nil {
		t.Errorf("as many values as are allowed: %v", err)
	}
	if _, err := sparse.NewBSR(m, 3, len(b.Order)-1); err == nil || !strings.Contains(err.Error(), "more values") {
		t.Errorf("one value more than is allowed: %v", err)
	}
}
