package file

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
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

// cards reads Rutherford-Boeing by its formats, as Fortran would: by columns of the
// widths that the header gives.
func cards(t *testing.T, text string) *sparse.CSR[float64] {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		testkit.Check(t, len(l) <= 80, "line %d has %d characters", i+1, len(l))
	}

	counts := strings.Fields(lines[1])
	shape := strings.Fields(lines[2])
	number := func(s string) int {
		return testkit.Must(strconv.Atoi(strings.TrimSpace(s)))
	}

	rest := lines[4:]
	testkit.Equal(t, number(counts[0]), len(rest), "announced lines")
	formats := regexp.MustCompile(`\((\d+)[IE](\d+)`).FindAllStringSubmatch(lines[3], -1)
	take := func(part, n int) (words []string) {
		perLine, width := number(formats[part][1]), number(formats[part][2])
		for range number(counts[part+1]) {
			for at := 0; at < len(rest[0]); at += width {
				words = append(words, rest[0][at:at+width])
			}
			rest = rest[1:]
		}

		if len(words) != n || perLine*width > 80 {
			t.Fatalf("%d numbers of part %d, want %d", len(words), part, n)
		}
		return words
	}

	rows, cols, n := number(shape[1]), number(shape[2]), number(shape[3])
	c := &sparse.CSR[float64]{Rows: cols, Cols: rows}
	for _, w := range take(0, cols+1) {
		c.RowPtr = append(c.RowPtr, int32(number(w)-1))
	}

	for _, w := range take(1, n) {
		c.ColIdx = append(c.ColIdx, int32(number(w)-1))
	}
	if shape[0][0] == 'p' {
		c.Val = slices.Repeat([]float64{1}, n)
		return c.Transpose()
	}

	for _, w := range take(2, n) {
		v := testkit.Must(strconv.ParseFloat(strings.TrimSpace(w), 64))
		c.Val = append(c.Val, v)
	}

	return c.Transpose()
}

func TestRutherfordBoeing(t *testing.T) {
	for name, m := range examples(t) {
		text := string(written(t, ".rb", m, Writing{Name: name, Comment: "a title that is\nlonger than a card: " +
			strings.Repeat("ü", 80)}))
		back := testkit.Must(Decode(strings.NewReader(text), "A.rb", DefaultOptions))
		testkit.Equal(t, back.A.Hash(), m.Hash(), "hash of %s", name)

		testkit.Equal(t, cards(t, text).Hash(), m.Hash(), "hash of %s, read from\n%.400s", name, text)
	}

	grid := examples(t)["grid"]
	low := cards(t, string(written(t, ".rb", grid, Writing{Symmetric: true})))
	testkit.Equal(t, low.NNZ(), (grid.NNZ()+grid.Rows)/2, "entries in the triangle of %d", grid.NNZ())

	graph := made(t, "mycielskian", map[string]any{"order": 5})
	text := string(written(t, ".rb", graph, Writing{Pattern: true, Symmetric: true}))
	testkit.Says(t, "a symmetric pattern", text, "\npsa ")
	testkit.Equal(t, cards(t, text).NNZ(), graph.NNZ()/2, "entries of a symmetric pattern")

	grid.Val[3] = math.Inf(1)
	var b bytes.Buffer
	f, _ := FormOf("A.rb")
	testkit.Fails(t, f.Write(&b, grid, Writing{}), "not finite", "infinity is written")
}

func TestNotSymmetric(t *testing.T) {
	for name, m := range examples(t) {
		for _, f := range Forms {
			var b bytes.Buffer
			err := f.Write(&b, m, Writing{Symmetric: true})
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

// array reads a member as the documentation of NumPy's format has it.
func npyArray[T any](t *testing.T, z *zip.Reader, name, head string, n int) []T {
	t.Helper()
	r := testkit.Must(z.Open(name + ".npy"))

	data := testkit.Must(io.ReadAll(r))
	length := int(binary.LittleEndian.Uint16(data[8:]))
	text := string(data[10 : 10+length])
	if string(data[:8]) != "\x93NUMPY\x01\x00" || (10+length)%64 != 0 || !strings.HasSuffix(text, "\n") ||
		!strings.Contains(text, head) {
		t.Errorf("%s begins with %q", name, data[:10+length])
	}

	list := make([]T, n)
	if err := binary.Read(bytes.NewReader(data[10+length:]), binary.LittleEndian, list); err != nil ||
		binary.Size(list) != len(data)-10-length {
		t.Errorf("%s: %v", name, err)
	}
	return list
}

func TestNPZ(t *testing.T) {
	for name, m := range examples(t) {
		b := written(t, ".npz", m, Writing{})
		z := testkit.Must(zip.NewReader(bytes.NewReader(b), int64(len(b))))

		shape := npyArray[int64](t, z, "shape", "'descr': '<i8', 'fortran_order': False, 'shape': (2,)", 2)
		format := npyArray[byte](t, z, "format", "'descr': '|S3', 'fortran_order': False, 'shape': ()", 3)
		testkit.Equal(t, string(format), "csr", "format")

		back := &sparse.CSR[float64]{
			Rows: int(shape[0]), Cols: int(shape[1]),
			RowPtr: npyArray[int32](t, z, "indptr", fmt.Sprintf("'<i4', 'fortran_order': False, 'shape': (%d,)", m.Rows+1),
				m.Rows+1),
			ColIdx: npyArray[int32](t, z, "indices", fmt.Sprintf("(%d,)", m.NNZ()), m.NNZ()),
			Val:    npyArray[float64](t, z, "data", "'<f8'", m.NNZ()),
		}

		testkit.Equal(t, back.Hash(), m.Hash(), "%s is another matrix", name)
	}
}
