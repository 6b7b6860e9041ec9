package file

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
)

func made(t *testing.T, name string, args map[string]any) *sparse.CSR[float64] {
	t.Helper()
	return testkit.Must(generate.Build(t.Context(), name, args))
}

// examples have empty rows and columns, values of 17 digits, and no entries at all.
func examples(t *testing.T) map[string]*sparse.CSR[float64] {
	awkward := made(t, "uniform", map[string]any{"rows": 40, "cols": 70, "row_nnz": 1.5})
	for k := range awkward.Val {
		awkward.Val[k] = []float64{0.1 + 0.2, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0, 1e22, -1.0 / 3}[k%6]
	}
	return map[string]*sparse.CSR[float64]{
		"grid": made(t, "grid_5pt", map[string]any{"nx": 7, "ny": 9}), "awkward": awkward,
		"no entries": made(t, "uniform", map[string]any{"rows": 3, "cols": 2, "row_nnz": 0}),
		"no rows":    made(t, "uniform", map[string]any{"rows": 0, "cols": 2, "row_nnz": 0}),
		"rmat":       made(t, "rmat", map[string]any{"scale": 10}),
	}
}

func written(t *testing.T, extension string, m *sparse.CSR[float64], opt Writing) []byte {
	t.Helper()
	f, ok := FormOf("A" + extension)
	testkit.EqualLists(t, []any{ok, f.Extension}, []any{true, extension}, "%s", extension)

	var b bytes.Buffer
	testkit.Succeed(t, f.Write(&b, m, opt))
	return b.Bytes()
}

func TestMatrixMarketRoundTrip(t *testing.T) {
	for name, m := range examples(t) {
		for _, ext := range []string{".mtx", ".mtx.gz"} {
			back, err := Decode(bytes.NewReader(written(t, ext, m, Writing{})), "A"+ext, DefaultOptions)
			testkit.Check(t, err == nil && back.A.Hash() == m.Hash(), "%s as %s: %v", name, ext, err)
		}
	}
}

func TestEdges(t *testing.T) {
	for name, m := range examples(t) {
		var want strings.Builder
		fmt.Fprintf(&want, "# two\n# lines\n# Nodes: %d Edges: %d\n# FromNodeId\tToNodeId\n", max(m.Rows, m.Cols),
			m.NNZ())
		for i := range m.Rows {
			cols, _ := m.Row(i)
			for _, j := range cols {
				fmt.Fprintf(&want, "%d\t%d\n", i, j)
			}
		}

		testkit.Equal(t, string(written(t, ".txt", m, Writing{Comment: "two\nlines"})), want.String(), "%s", name)
	}
}
