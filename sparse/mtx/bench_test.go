package mtx

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"spmvtune/sparse/internal/text"
)

// BenchmarkRead reads files in the page cache whose entries are in no order, the
// worst case for sorting. The issue gives reference figures for the first two.
func BenchmarkRead(b *testing.B) {
	const size, entries = 1_000_000, 8_000_000
	for _, c := range []struct {
		name, header string
		entries      int
		zipped       bool
	}{
		{"17 digits", "real general", entries, false},
		{"pattern symmetric", "pattern symmetric", entries, false},
		{"real symmetric", "real symmetric", entries / 2, false},
		{"gzip", "real general", entries / 4, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := randomFile(b, c.header, size, c.entries, c.zipped)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}

			b.SetBytes(info.Size())
			b.ReportAllocs()
			var m *text.Matrix
			for b.Loop() {
				m = nil
				runtime.GC() // as in a process that reads one matrix
				if m, err = readFile(path); err != nil {
					b.Fatal(err)
				}
			}

			result := 12*m.A.NNZ() + 4*len(m.A.RowPtr)
			b.ReportMetric(float64(result), "result-B")
			b.ReportMetric(float64(m.A.NNZ())/1e6/(b.Elapsed().Seconds()/float64(b.N)), "Mnnz/s")
			debug.FreeOSMemory()
		})
	}
}

func readFile(path string) (*text.Matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decode(f, path, text.DefaultOptions)
}

// randomFile writes a file of random entries, with 17 digits if they have values.
func randomFile(tb testing.TB, header string, size, entries int, zipped bool) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "random.mtx")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()

	out := bufio.NewWriterSize(f, 1<<20)
	defer out.Flush()
	if zipped {
		z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
		defer z.Close()
		writeRandom(z, header, size, entries)
	} else {
		writeRandom(out, header, size, entries)
	}

	return path
}

func writeRandom(w io.Writer, header string, size, entries int) {
	rng := rand.New(rand.NewPCG(11, 12))
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", header, size, size, entries)
	pattern := header[:7] == "pattern"
	symmetric := header[len(header)-9:] == "symmetric"
	var line []byte

	for range entries {
		i, j := 1+rng.IntN(size), 1+rng.IntN(size)
		if symmetric {
			i, j = max(i, j), min(i, j)
		}
		line = strconv.AppendInt(line[:0], int64(i), 10)
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(j), 10)

		if !pattern {
			line = append(line, ' ')
			line = strconv.AppendFloat(line, rng.Float64()*2-1, 'f', 17, 64)
		}
		w.Write(append(line, '\n'))
	}
}
