package sparse

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	good := func() *CSR[float64] {
		return &CSR[float64]{
			Rows: 3, Cols: 4,
			RowPtr: []int32{0, 2, 2, 4},
			ColIdx: []int32{0, 3, 1, 2},
			Val:    []float64{1, 2, 3, 4},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}

	for want, spoil := range map[string]func(m *CSR[float64]){
		"negative":                  func(m *CSR[float64]) { m.Cols = -1 },
		"32-bit":                    func(m *CSR[float64]) { m.Cols = MaxIndex + 1 },
		"row offsets for 3 rows":    func(m *CSR[float64]) { m.RowPtr = m.RowPtr[:3] },
		"4 columns but 3 values":    func(m *CSR[float64]) { m.Val = m.Val[:3] },
		"start at 1":                func(m *CSR[float64]) { m.RowPtr[0] = 1 },
		"end at 3":                  func(m *CSR[float64]) { m.RowPtr[3] = 3 },
		"row 1 ends at offset 1":    func(m *CSR[float64]) { m.RowPtr[2] = 1 },
		"row 0 ends at offset -9":   func(m *CSR[float64]) { m.RowPtr[1] = -9 },
		"row 2 has column 4":        func(m *CSR[float64]) { m.ColIdx[3] = 4 },
		"row 0 has column -1":       func(m *CSR[float64]) { m.ColIdx[0] = -1 },
		"row 2 has column 1 after":  func(m *CSR[float64]) { m.ColIdx[3] = 1 },
		"row 0 has column 0 after ": func(m *CSR[float64]) { m.ColIdx[0], m.ColIdx[1] = 3, 0 },
	} {
		m := good()
		spoil(m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
