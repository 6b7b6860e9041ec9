package mtx

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

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
func TestBlocksMakeOneMatrix(t *testing.T) {
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
		want, err := sparse.FromTriplets(c.rows, c.cols, row, col, val)
		if err != nil {
			t.Fatal(err)
		}

		for _, cores := range []int{1, 7} {
			for how, file := range map[string]string{"plain": content, "zipped": zipped(content)} {
				t.Run(fmt.Sprintf("%s %d×%d, %d cores, %s", c.header, c.rows, c.cols, cores, how), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
					m, err := decode(strings.NewReader(file), "f", text.DefaultOptions)
					if err != nil {
						t.Fatal(err)
					}

					if m.A.Hash() != want.Hash() {
						t.Errorf("read as %v, want %v", m.A, want)
					}
					if m.Duplicates != len(val)-want.NNZ() || m.Duplicates == 0 {
						t.Errorf("%d duplicates, want %d", m.Duplicates, len(val)-want.NNZ())
					}
				})
			}
		}
	}
}

func zipped(content string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	z.Write([]byte(content))
	z.Close()
	return b.String()
}

// Of several mistakes the first in the file is reported, wherever blocks end.
func TestFirstMistakeInTheFile(t *testing.T) {
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
		{"a bad line behind too many", 150_000, map[int]string{150_002: "x"},
			"f:150003: more entries than the 150000 declared in line 2"},
		{"a bad line before too many", 150_000, map[int]string{149_999: "x"}, `f:150002: "x"`},
		{"a bad line is one too many", 150_000, map[int]string{150_000: "x"}, "f:150003: more entries"},
		{"comments and blanks do not count", 150_000, map[int]string{5: "% c", 149_000: "", 150_002: "% c",
			150_003: " "}, "f:150007: more entries"},
		{"too few", n + 1, map[int]string{8: ""}, fmt.Sprintf("f:%d: the file ends after %d of %d", n+3, n-1, n+1)},
		{"a bad line before a long one", n, map[int]string{140_000: "x",
			250_000: strings.Repeat("y", text.BlockSize+5)}, `f:140003: "x"`},
		{"a long line before a bad one", n, map[int]string{140_000: strings.Repeat("y", text.BlockSize+5),
			250_000: "x"}, "f:140003: this line is longer"},
	} {
		body := lines()
		for k, content := range c.change {
			body[k] = content
		}
		content := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n999 999 %d\n%s\n", c.declared,
			strings.Join(body, "\n"))

		for range 2 {
			_, err := decode(strings.NewReader(content), "f", text.DefaultOptions)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s…", c.name, err, c.want)
			}
		}
	}

	body := lines()
	body[150_000] = "x"
	file := zipped(fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n999 999 %d\n%s\n", n,
		strings.Join(body, "\n")))

	for _, file := range []string{file, file[:len(file)-4]} {
		if _, err := decode(strings.NewReader(file), "f", text.DefaultOptions); err == nil ||
			!strings.HasPrefix(err.Error(), `f:150003: "x"`) {
			t.Errorf("got %v, want the bad line, not the damage behind it", err)
		}
	}
}

// All that is allocated is the matrix, one working copy of it (14 bytes an
// entry, 6 without values), and what cores need for a block or a band.
func TestReadingTakesOneCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, c := range []struct {
		header  string
		working int // bytes per entry
	}{{"real general", 14}, {"real symmetric", 14}, {"pattern symmetric", 6}} {
		const rows, entries = 20_000, 400_000
		content, _, _, val := longFile(rng, c.header, rows, rows, entries)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := decode(strings.NewReader(content), "f", text.DefaultOptions); err != nil {
			t.Fatal(err)
		}

		runtime.ReadMemStats(&after)
		most := (12+c.working)*len(val) + 5*text.BlockSize*runtime.GOMAXPROCS(0) + 1<<20
		if got := int(after.TotalAlloc - before.TotalAlloc); got > most {
			t.Errorf("%s: %d bytes allocated for %d entries, want at most %d", c.header, got, len(val), most)
		}
	}
}
