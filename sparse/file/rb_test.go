// SPDX-License-Identifier: Apache-2.0

package file

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/internal/testing/triplets"
)

// small is a file of these parts: the counts of lines, type and sizes, formats,
// and the sections.
func small(counts, sizes, formats, sections string) string {
	return "1 title                                                                 key\n" + counts + "\n" + sizes +
		"\n" + formats + "\n" + sections
}

func TestRBParse(t *testing.T) {
	realPart := Options{Expand: true, Complex: RealPart}
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"no blanks between numbers", small("3 1 1 1", "rua 3 3 4 0", "(4I1)           (4I1)           (4F4.1)",
			"1345\n1233\n 1.5-2.5-3.5 4.5\n"), DefaultOptions, "1,1=1.5 2,1=-2.5 3,2=-3.5 3,3=4.5"},
		{"several lines", small("6 2 2 2", "RUA 3 3 4 0", "(3I4)           (2I4)           (1P,2D12.4)",
			"   1   3   4\n   5\n   1   2\n   3   3\n  1.5000D+00 -2.5000D+01\n  3.5000D-01  4.5000D+00\n"), DefaultOptions, "1,1=1.5 2,1=-25 3,2=0.35 3,3=4.5"},
		{"pattern, without a format of values", small("2 1 1 0", "pra 2 3 3 0", "(40I2) (40I2)", " 1 2 3 4\n 2 1 2\n"),
			DefaultOptions, "1,2=1 2,1=1 2,3=1"},
		{"values elsewhere", small("2 1 1 0", "qua 1 1 1", "(2I2) (2I2)", " 1 2\n 1\n"), DefaultOptions, "1,1=1"},
		{"integer", small("3 1 1 1", "iua 2 1 2 0", "(2I2) (2I2) (20I4)", " 1 3\n 1 2\n  -7 100\n"), DefaultOptions, "1,1=-7 2,1=100"},
		{"a column less than the format says", small("4 1 1 2", "rua 3 1 3 0", "(3I2) (3I2) (2E9.1)",
			" 1 4\n 1 2 3\n-1.5E+00 2.5E-01\n-3.5E+01\n"), DefaultOptions, "1,1=-1.5 2,1=0.25 3,1=-35"},
		{"symmetric", small("3 1 1 1", "rsa 2 2 3 0", "(3I2) (3I2) (3F4.0)", " 1 3 4\n 1 2 2\n  1.  2.  3.\n"),
			DefaultOptions, "1,1=1 1,2=2 2,1=2 2,2=3"},
		{"symmetric, not expanded", small("3 1 1 1", "rsa 2 2 3 0", "(3I2) (3I2) (3F4.0)",
			" 1 3 4\n 1 2 2\n  1.  2.  3.\n"), Options{}, "1,1=1 2,1=2 2,2=3"},
		{"pattern symmetric", small("2 1 1 0", "psa 2 2 2 0", "(3I2) (3I2)", " 1 3 3\n 1 2\n"), DefaultOptions, "1,1=1 1,2=1 2,1=1"},
		{"skew-symmetric", small("3 1 1 1", "rza 2 2 1 0", "(3I2) (3I2) (3F4.0)", " 1 2 2\n 2\n  3.\n"), DefaultOptions, "1,2=-3 2,1=3"},
		{"Hermitian", small("3 1 1 1", "cha 2 2 2 0", "(3I2) (3I2) (4F4.0)", " 1 3 3\n 1 2\n  1.  0.  2.  9.\n"),
			realPart, "1,1=1 1,2=2 2,1=2"},
		{"complex pairs over lines", small("5 1 1 3", "cua 3 1 3 0", "(3I2) (3I2) (2F4.0)",
			" 1 4\n 1 2 3\n  1. -1.\n  2. -2.\n  3. -3.\n"), realPart, "1,1=1 2,1=2 3,1=3"},
		{"complex pairs cut by lines", small("4 1 1 2", "cua 3 1 3 0", "(3I2) (3I2) (3F4.0)",
			" 1 4\n 1 2 3\n  1. -1.  2.\n -2.  3. -3.\n"), realPart, "1,1=1 2,1=2 3,1=3"},
		{"right-hand sides", small("3 1 1 1 1", "RUA 2 1 2 0",
			"(2I2) (2I2) (2F4.0) (2F4.0)\nF                          1             0",
			" 1 3\n 1 2\n  1.  2.\n  8.  9.\nand more\n"), DefaultOptions, "1,1=1 2,1=2"},
		{"duplicates are added up", small("3 1 1 1", "rua 2 1 3 0", "(2I2) (3I2) (3F4.0)",
			" 1 4\n 2 1 2\n  1.  2.  4.\n"), DefaultOptions, "1,1=2 2,1=5"},
		{"CR LF, no end of line, blank lines behind", strings.ReplaceAll(small("3 1 1 1", "rua 2 1 1 0",
			"(2I2) (3I2) (3F4.0)", " 1 2\n 2\n  4.\n \n"), "\n", "\r\n"), DefaultOptions, "2,1=4"},
		{"no end of line", small("3 1 1 1", "rua 2 1 1 0", "(2I2) (3I2) (3F4.0)", " 1 2\n 2\n  4."), DefaultOptions, "2,1=4"},
		{"no entries", small("1 1 0 0", "rua 2 3 0 0", "(4I2) (3I2) (3F4.0)", " 1 1 1 1\n"), DefaultOptions, ""},
		{"nothing", small("1 1 0 0", "pua 0 0 0 0", "(4I2) (3I2)", " 1\n"), DefaultOptions, ""},
		{"blank value, infinite, too large", small("3 1 1 1", "rua 5 1 5 0", "(4I2) (5I2) (5E6.0)",
			" 1 6\n 1 2 3 4 5\n         inf  -Inf1E+999   nan\n"), DefaultOptions, "1,1=0 2,1=+Inf 3,1=-Inf " +
			"4,1=+Inf 5,1=NaN"},
	} {
		for _, cores := range []int{1, 3} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				m, err := decodeRB(c.content, c.opt)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					return
				}

				testkit.Succeed(t, m.A.Validate())
				testkit.Equal(t, triplets.Text(m.A, 1), c.want, "%s: entries", c.name)
			}()
		}
	}
}

// Whatever the kind, the size and the cores, the matrix has the bits that one pass
// over the columns gives.
func TestRBBlocksMakeOneMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	kinds := []string{"rsa", "cha", "rua", "rra", "rza", "rha", "pua", "psa", "ira", "cua"}
	for _, kind := range kinds[:testkit.Draws(len(kinds))] {
		for _, size := range [][3]int{{5000, 300, 60_000}, {50_000, 50_000, 50_000}, {7, 5, 40}} {
			rows, cols, n := size[0], size[1], size[2]
			if k := kind[1]; k == 's' || k == 'z' || k == 'h' {
				cols = rows
			}
			f := random(rng, kind, rows, cols, n)
			content := f.String()

			for _, expand := range []bool{true, false} {
				want := f.matrix(t, expand)
				for _, cores := range []int{1, 5} {
					func() {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
						m := testkit.Must(decodeRB(content, Options{Expand: expand, Complex: RealPart}))

						testkit.EqualLists(t, []any{m.A.Hash(), m.Declared}, []any{want.Hash(), n}, "%s %v, expand %v, %d cores", kind, size, expand, cores)
					}()
				}
			}
		}
	}
}

func TestRBParseSaysWhatItRead(t *testing.T) {
	m, err := decodeRB(small("3 1 1 1", "rsa 3 3 4 0", "(4I2) (4I2) (4F4.0)", " 1 4 5 5\n 1 2 2 2\n  1. nan  3.  4.\n"),
		DefaultOptions)
	testkit.Succeed(t, err)

	m.A = nil
	want := Matrix{Format: "rutherford-boeing", Field: "real", Symmetry: "symmetric",
		Comment: "1 title                                                                 key", Declared: 4,
		Duplicates: 2, NonFinite: 1}
	testkit.Equal(t, *m, want, "it read")
}

// All that is allocated is the matrix, and one working copy of it.
func TestRBReadingTakesOneCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, c := range []struct {
		kind    string
		working int // bytes per entry of the matrix
	}{{"rua", 22}, {"rsa", 18}, {"pua", 14}, {"psa", 10}} {
		f := random(rng, c.kind, 20_000, 20_000, 400_000)
		content, want := f.String(), f.matrix(t, true)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := decodeRB(content, DefaultOptions)
		runtime.ReadMemStats(&after)
		testkit.Succeed(t, err)

		n := want.NNZ() + m.Duplicates
		most := (12+c.working)*n + 20*f.cols + 12*blockSize*runtime.GOMAXPROCS(0) + 1<<20
		got := int(after.TotalAlloc - before.TotalAlloc)
		testkit.Check(t, got <= most, "%s: %d bytes allocated for %d entries, want at most %d", c.kind, got, n, most)
	}
}

// FuzzRBParse holds the reader to three promises: it never panics, what it refuses
// it refuses with file and line, and what it reads is a valid matrix of the
// entries that the header declares.
func FuzzRBParse(f *testing.F) {
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
		opt := Options{Expand: expand, Complex: RealPart}
		// A header may ask for as many rows as memory holds; that is no bug, but
		// takes the fuzzer's time.
		if s, err := newSource(strings.NewReader(file), "f", rb.Extensions[0]); err == nil {
			if h, _, err := rb.Open(s, opt); err == nil && h.Rows > 1e5 {
				t.Skip("a large matrix")
			}
		}

		m, err := decodeRB(file, opt)
		if err != nil {
			testkit.Require(t, strings.HasPrefix(err.Error(), "f:"), "%v does not start with file and line", err)
			return
		}
		testkit.Succeed(t, m.A.Validate())

		if !expand && m.A.NNZ()+m.Duplicates != m.Declared {
			t.Fatalf("%d entries and %d duplicates of %d declared", m.A.NNZ(), m.Duplicates, m.Declared)
		}
	})
}
