package mtx

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// FuzzDecode holds the reader to three promises: it never panics, what it reads
// is a valid matrix, and that matrix survives being written and read again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"%%MatrixMarket matrix coordinate real general\n% c\n2 3 2\n1 1 1.5\n2 3 -2e-3\n",
		"%%MatrixMarket matrix coordinate real symmetric\r\n3 3 3\r\n1 1 .5\r\n3 1 2.\r\n1 3 1\r\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 9223372036854775807\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n\n3 3",
		"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1D2 -3\n",
		"%%MatrixMarket matrix array real general\n2 2\n1 nan\n-inf\n1e400\n",
		"%%MatrixMarket matrix array complex skew-symmetric\n3 3\n1 2\n3 4 5\n6\n",
		"%%matrixmarket\tMATRIX array double Symmetric\n2 2\n1\n2\n3\n",
		"%%MatrixMarket matrix coordinate real general\n0 0 0\n",
		"%%MatrixMarket matrix coordinate real general\n1 1 2000000000\n1 1 1\n",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
		"version https://git-lfs.github.com/spec/v1\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}

	f.Fuzz(func(t *testing.T, file []byte, expand bool) {
		// A header may ask for as many rows as memory holds; that is no bug, but
		// takes the fuzzer's time.
		if s, err := text.NewSource(bytes.NewReader(file), "f"); err == nil {
			if h, err := readHeader(s); err == nil && max(h.rows, h.cols) > 1e5 {
				t.Skip("a large matrix")
			}
		}

		m, err := decode(bytes.NewReader(file), "f", text.Options{Expand: expand, Complex: text.RealPart})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("%v does not start with file and line", err)
			}
			return
		}
		if err := m.A.Validate(); err != nil {
			t.Fatal(err)
		}

		if !expand && m.A.NNZ()+m.Duplicates != m.Declared {
			t.Fatalf("%d entries and %d duplicates of %d declared", m.A.NNZ(), m.Duplicates, m.Declared)
		}
		var out bytes.Buffer
		if err := write(&out, m.A, text.Writing{Comment: m.Comment}); err != nil {
			t.Fatal(err)
		}

		back, err := decode(&out, "f", text.DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}
		if plain(back.A).Hash() != plain(m.A).Hash() {
			t.Fatalf("wrote %v, read back %v", m.A, back.A)
		}
	})
}

// plain gives all NaNs the same bits, which a text file can't tell apart.
func plain(m *sparse.CSR[float64]) *sparse.CSR[float64] {
	for k, v := range m.Val {
		if v != v {
			m.Val[k] = math.NaN()
		}
	}
	return m
}
