package rb

import (
	"strings"
	"testing"

	"spmvtune/sparse/internal/text"
)

// FuzzParse holds the reader to three promises: it never panics, what it refuses
// it refuses with file and line, and what it reads is a valid matrix of the
// entries that the header declares.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		small("3 1 1 1", "rua 3 3 4 0", "(4I1)           (4I1)           (4F4.1)", "1345\n1233\n 1.5-2.5-3.5 4.5\n"),
		small("6 2 2 2", "RUA 3 3 4 0", "(3I4)           (2I4)           (1P,2D12.4)",
			"   1   3   4\n   5\n   1   2\n   3   3\n  1.5000D+00 -2.5000D+01\n  3.5000D-01  4.5000D+00\n"),
		small("2 1 1 0", "psa 2 2 2 0", "(3I2) (3I2)", " 1 3 3\n 1 2\n"),
		small("3 1 1 1", "rza 2 2 1 0", "(3I2) (3I2) (3F4.0)", " 1 2 2\r\n 2\r\n  3.\r\n"),
		small("4 1 1 2", "cua 3 1 3 0", "(3I2) (3I2) (3F4.0)", " 1 4\n 1 2 3\n  1. -1.  2.\n -2.  3. -3.\n"),
		small("3 1 1 1 1", "RUA 2 1 2 0", "(2I2) (2I2) (2F4.0) (2F4.0)\nF                          1             0",
			" 1 3\n 1 2\n  1.  2.\n  8.  9.\n"),
		small("1 1 0 0", "pua 0 0 0 0", "(4I2) (3I2)", " 1\n"),
		small("3 1 1 1", "rua 2000000000 3 2000000000 0", "(4I1) (4I1) (4F4.1)", "1345\n1233\n"),
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}

	f.Fuzz(func(t *testing.T, file string, expand bool) {
		opt := text.Options{Expand: expand, Complex: text.RealPart}
		if s, err := text.NewSource(strings.NewReader(file), "f", Format.Extensions[0]); err == nil {
			// A header may ask for as many rows as memory holds; that is no bug, but
			// takes the fuzzer's time.
			if size, err := parseSize(s, opt); err == nil && size.Rows > 1e5 {
				t.Skip("a large matrix")
			}
		}

		m, err := decode(file, opt)
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
	})
}
