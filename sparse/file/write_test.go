// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
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
			for _, symmetric := range []bool{false, name == "grid"} {
				text := written(t, ext, m, Writing{Symmetric: symmetric})
				back, err := Decode(bytes.NewReader(text), "A"+ext, DefaultOptions)
				if err != nil || back.A.Hash() != m.Hash() || (back.Symmetry == "symmetric") != symmetric {
					t.Errorf("%s as %s: %v", name, ext, err)
				}
			}
		}
	}
}

// What is written reads back, by columns as Fortran would, and has lines that are no longer than a card.
func TestRutherfordBoeing(t *testing.T) {
	read := func(m *sparse.CSR[float64], opt Writing) (string, *Matrix) {
		text := string(written(t, ".rb", m, opt))
		for i, line := range strings.Split(text, "\n") {
			testkit.Check(t, len(line) <= 80, "line %d has %d characters", i+1, len(line))
		}
		return text, testkit.Must(Decode(strings.NewReader(text), "A.rb", Options{}))
	}
	for name, m := range examples(t) {
		text, back := read(m, Writing{Name: name, Comment: "a title that is\nlonger than a card: " + strings.Repeat("ü", 80)})
		testkit.Equal(t, back.A.Hash(), m.Hash(), "hash of %s, read from\n%.400s", name, text)
	}

	grid := examples(t)["grid"]
	_, low := read(grid, Writing{Symmetric: true})
	testkit.Equal(t, low.A.NNZ(), (grid.NNZ()+grid.Rows)/2, "entries in the triangle of %d", grid.NNZ())
	graph := made(t, "mycielskian", map[string]any{"order": 5})
	text, low := read(graph, Writing{Pattern: true, Symmetric: true})
	testkit.Says(t, "a symmetric pattern", text, "\npsa ")
	testkit.Equal(t, low.A.NNZ(), graph.NNZ()/2, "entries of a symmetric pattern")

	grid.Val[3] = math.Inf(1)
	f, _ := FormOf("A.rb")
	testkit.Fails(t, f.Write(new(bytes.Buffer), grid, Writing{}), "not finite", "infinity is written")
}

func TestNotSymmetric(t *testing.T) {
	for name, m := range examples(t) {
		for _, f := range Forms {
			err := f.Write(new(bytes.Buffer), m, Writing{Symmetric: true})
			if ok := (name == "grid") && f.format.Triangle; (err == nil) != ok {
				t.Errorf("%s as %s: %v", name, f.Extension, err)
			}
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
