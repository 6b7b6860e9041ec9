// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/internal/testing/triplets"
	"example.org/spmvtune/sparse"
)

func TestMTXWriteRoundTrip(t *testing.T) {
	val := []float64{1, -2.5, 0, math.Copysign(0, -1), 0.1, 1.0 / 3, 1e15, 123456789012345678, 1e300, 5e-324,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	m := &sparse.CSR[float64]{Rows: 3, Cols: len(val), RowPtr: []int32{0, 0, int32(len(val)), int32(len(val))},
		Val: val}
	for j := range val {
		m.ColIdx = append(m.ColIdx, int32(j))
	}

	var file bytes.Buffer
	testkit.Succeed(t, writeMTX(&file, m, Writing{Comment: "two lines\nof comment"}))
	got, err := decodeMTX(bytes.NewReader(file.Bytes()), "f", DefaultOptions)
	testkit.Succeed(t, err)

	testkit.Equal(t, got.A.Hash(), m.Hash(), "hash of what was read back")
	testkit.Equal(t, got.Comment, "two lines\nof comment", "comment")
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestMTXWriteReportsErrors(t *testing.T) {
	m := &sparse.CSR[float64]{Rows: 1, Cols: 1, RowPtr: []int32{0, 1}, ColIdx: []int32{0}, Val: []float64{1}}
	testkit.Is(t, writeMTX(fullDisk{}, m, Writing{Comment: "c"}), errFull, "a full disk")
}

// longFile writes a coordinate file of several blocks, with comments, blank lines
// and positions that occur more than once, and gives its entries, mirrored. The
// values are such that their sum depends on the order.
func longFile(rng *rand.Rand, header string, rows, cols, entries int) (content string, row, col []int32,
	val []float64) {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", header, rows, cols, entries)
	field, symmetry, _ := strings.Cut(header, " ")
	var lastI, lastJ int32

	for k := range entries {
		switch rng.IntN(50) {
		case 0:
			fmt.Fprintf(&b, "%% comment %d\n", k)
		case 1:
			b.WriteString(" \t\r\n")
		}

		i, j, v := int32(rng.IntN(rows)), int32(rng.IntN(cols)), 1.0
		if rng.IntN(20) == 0 {
			i, j = lastI, lastJ
		}
		lastI, lastJ = i, j
		fmt.Fprintf(&b, "%d %d", i+1, j+1)
		if field != "pattern" {
			v = rng.NormFloat64() * 1e3
			fmt.Fprintf(&b, " %.17g", v)
		}

		b.WriteByte('\n')
		row, col, val = append(row, i), append(col, j), append(val, v)
		if symmetry != "general" && i != j {
			if symmetry == "skew-symmetric" {
				v = -v
			}
			row, col, val = append(row, j), append(col, i), append(val, v)
		}
	}

	return b.String(), row, col, val
}

// However many cores read a file, and in whatever order its blocks are finished,
// the matrix has the bits that one pass over the file gives.
func TestMTXBlocksMakeOneMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, c := range []struct {
		header              string
		rows, cols, entries int
	}{
		{"real general", 5000, 300, 80_000},
		{"real general", 3, 100_000, 90_000}, // long rows
		{"real general", 200_000, 200_000, 90_000},
		{"real symmetric", 20_000, 20_000, 70_000},
		{"real skew-symmetric", 700, 700, 70_000},
		{"pattern general", 40, 100_000, 150_000},
		{"pattern symmetric", 30_000, 30_000, 150_000},
	} {
		content, row, col, val := longFile(rng, c.header, c.rows, c.cols, c.entries)
		want := triplets.CSR(c.rows, c.cols, row, col, val)

		for how, file := range map[string]string{"plain": content, "zipped": gzipped(content)} {
			for _, cores := range []int{1, 7} {
				t.Run(fmt.Sprintf("%s %d×%d, %d cores, %s", c.header, c.rows, c.cols, cores, how), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
					m := testkit.Must(decodeMTX(strings.NewReader(file), "f", DefaultOptions))

					testkit.Equal(t, m.A.Hash(), want.Hash(), "hash of what was read")
					if m.Duplicates != len(val)-want.NNZ() || m.Duplicates == 0 {
						t.Errorf("%d duplicates, want %d", m.Duplicates, len(val)-want.NNZ())
					}
				})
			}
		}
	}
}

// Of several mistakes the first in the file is reported, wherever blocks end.
func TestMTXFirstMistakeInTheFile(t *testing.T) {
	const n = 300_000 // lines of three blocks
	lines := func() []string {
		out := make([]string, n)
		for k := range out {
			out[k] = fmt.Sprintf("%d 7 2.5", k%9+1)
		}
		return out
	}

	for _, c := range []struct {
		name     string
		declared int
		change   map[int]string // by position behind the size line, from 0
		want     string
	}{
		{"two bad lines", n, map[int]string{290_000: "x", 100_001: "1 y 1"}, `f:100004: "1 y 1"`},
		{"too many", 150_000, map[int]string{5: "% c", 149_000: ""},
			"f:150005: there are more entries than the 150000 of line 2"},
		{"a bad line behind too many", 150_000, map[int]string{150_002: "x"}, "f:150003: there are more entries"},
		{"too few", n + 1, map[int]string{8: ""}, fmt.Sprintf("f:%d: the file ends after %d of %d", n+3, n-1, n+1)},
		{"a long line before a bad one", n, map[int]string{140_000: strings.Repeat("y", blockSize+5),
			250_000: "x"}, "f:140003: this line is longer"},
	} {
		body := lines()
		for k, content := range c.change {
			body[k] = content
		}
		content := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n999 999 %d\n%s\n", c.declared,
			strings.Join(body, "\n"))

		for range 2 {
			_, err := decodeMTX(strings.NewReader(content), "f", DefaultOptions)
			testkit.Fails(t, err, c.want, c.name)
		}
	}

	body := lines()
	body[150_000] = "x"
	file := gzipped(fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n999 999 %d\n%s\n", n,
		strings.Join(body, "\n")))

	for _, file := range []string{file, file[:len(file)-4]} {
		_, err := decodeMTX(strings.NewReader(file), "f", DefaultOptions)
		testkit.Fails(t, err, `f:150003: "x"`, "the bad line, not the damage behind it")
	}
}

// All that is allocated is the matrix, one working copy of it (14 bytes an
// entry, 6 without values), and what cores need for a block or a band.
func TestMTXReadingTakesOneCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, c := range []struct {
		header  string
		working int // bytes per entry
	}{{"real general", 14}, {"real symmetric", 14}, {"pattern symmetric", 6}} {
		const rows, entries = 20_000, 400_000
		content, _, _, val := longFile(rng, c.header, rows, rows, entries)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testkit.Must(decodeMTX(strings.NewReader(content), "f", DefaultOptions))

		runtime.ReadMemStats(&after)
		most := (12+c.working)*len(val) + 5*blockSize*runtime.GOMAXPROCS(0) + 1<<20
		got := int(after.TotalAlloc - before.TotalAlloc)
		testkit.Check(t, got <= most, "%s: %d bytes allocated for %d entries, want at most %d", c.header, got, len(val), most)
	}
}

// FuzzMTXDecode holds the reader to three promises: it never panics, what it reads
// is a valid matrix, and that matrix survives being written and read again.
func FuzzMTXDecode(f *testing.F) {
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
		if s, err := newSource(bytes.NewReader(file), "f"); err == nil {
			if h, err := mtxHeader(s, Options{Complex: RealPart}); err == nil && max(h.Rows, h.Cols) > 1e5 {
				t.Skip("a large matrix")
			}
		}

		m, err := decodeMTX(bytes.NewReader(file), "f", Options{Expand: expand, Complex: RealPart})
		if err != nil {
			testkit.Require(t, strings.HasPrefix(err.Error(), "f:"), "%v does not start with file and line", err)
			return
		}
		testkit.Succeed(t, m.A.Validate())

		if !expand && m.A.NNZ()+m.Duplicates != m.Declared {
			t.Fatalf("%d entries and %d duplicates of %d declared", m.A.NNZ(), m.Duplicates, m.Declared)
		}
		var out bytes.Buffer
		testkit.Succeed(t, writeMTX(&out, m.A, Writing{Comment: m.Comment}))

		back := testkit.Must(decodeMTX(&out, "f", DefaultOptions))
		testkit.Equal(t, plain(back.A).Hash(), plain(m.A).Hash(), "hash of what was read back")
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

// BenchmarkRead reads files in memory whose entries are in no order, the worst case for sorting. The issue gives
// reference figures for the first two.
func BenchmarkRead(b *testing.B) {
	const size, entries = 1_000_000, 8_000_000
	for _, c := range []struct {
		name, header string
		entries      int
		pack         func(string) string
	}{
		{"17 digits", "real general", entries, strings.Clone},
		{"pattern symmetric", "pattern symmetric", entries, strings.Clone},
		{"real symmetric", "real symmetric", entries / 2, strings.Clone},
		{"gzip", "real general", entries / 4, gzipped},
	} {
		b.Run(c.name, func(b *testing.B) {
			content, _, _, _ := longFile(rand.New(rand.NewPCG(11, 12)), c.header, size, size, c.entries)
			file := c.pack(content)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			var m *Matrix
			for b.Loop() {
				m = nil
				runtime.GC() // as in a process that reads one matrix
				m = testkit.Must(decodeMTX(strings.NewReader(file), "f", DefaultOptions))
			}

			result := 12*m.A.NNZ() + 4*len(m.A.RowPtr)
			b.ReportMetric(float64(result), "result-B")
			b.ReportMetric(float64(m.A.NNZ())/1e6/(b.Elapsed().Seconds()/float64(b.N)), "Mnnz/s")
			debug.FreeOSMemory()
		})
	}
}
