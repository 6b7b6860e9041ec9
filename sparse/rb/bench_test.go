package rb

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"spmvtune/sparse/internal/text"
)

// BenchmarkRead reads files in the page cache whose rows are in no order within a
// column, beside which package mtx reads its own.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name, kind string
		entries    int
	}{{"real", "rua", 8_000_000}, {"pattern symmetric", "psa", 8_000_000}, {"real symmetric", "rsa", 4_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "random.rb")
			f := random(rand.New(rand.NewPCG(39, 40)), c.kind, 1_000_000, 1_000_000, c.entries)
			f.ind = "(10I8)"
			content := f.String()
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				b.Fatal(err)
			}

			b.SetBytes(int64(len(content)))
			f, content = nil, ""
			b.ReportAllocs()
			var m *text.Matrix

			for b.Loop() {
				m = nil
				runtime.GC() // as in a process that reads one matrix
				file, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}

				s, err := text.NewSource(file, path)
				if err == nil {
					m, err = parse(s, text.DefaultOptions)
				}
				if err != nil {
					b.Fatal(err)
				}
				file.Close()
			}

			b.ReportMetric(float64(m.A.NNZ())/1e6/(b.Elapsed().Seconds()/float64(b.N)), "Mnnz/s")
			debug.FreeOSMemory()
		})
	}
}
