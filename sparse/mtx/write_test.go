package mtx

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

func TestWriteRoundTrip(t *testing.T) {
	val := []float64{1, -2.5, 0, math.Copysign(0, -1), 0.1, 1.0 / 3, 1e15, 123456789012345678, 1e300, 5e-324,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	m := &sparse.CSR[float64]{Rows: 3, Cols: len(val), RowPtr: []int32{0, 0, int32(len(val)), int32(len(val))},
		Val: val}
	for j := range val {
		m.ColIdx = append(m.ColIdx, int32(j))
	}

	var file bytes.Buffer
	if err := write(&file, m, text.Writing{Comment: "two lines\nof comment"}); err != nil {
		t.Fatal(err)
	}
	got, err := decode(bytes.NewReader(file.Bytes()), "f", text.DefaultOptions)
	if err != nil {
		t.Fatalf("%v in\n%s", err, &file)
	}

	if got.A.Hash() != m.Hash() {
		t.Errorf("read back %v %v, want %v", got.A, got.A.Val, m.Val)
	}
	if got.Comment != "two lines\nof comment" {
		t.Errorf("comment %q", got.Comment)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestWriteReportsErrors(t *testing.T) {
	m := &sparse.CSR[float64]{Rows: 1, Cols: 1, RowPtr: []int32{0, 1}, ColIdx: []int32{0}, Val: []float64{1}}
	if err := write(fullDisk{}, m, text.Writing{Comment: "c"}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
