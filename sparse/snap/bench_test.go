package snap

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"spmvtune/sparse/internal/text"
)

// BenchmarkRead reads files in the page cache whose edges are in no order, beside
// which package mtx reads its own.
func BenchmarkRead(b *testing.B) {
	const vertices, edges = 1_000_000, 8_000_000
	for _, c := range []struct {
		name   string
		number func(v int) uint64
	}{
		{"dense numbers", func(v int) uint64 { return uint64(v) }},
		{"far apart", func(v int) uint64 { return uint64(v+1) * 0x9e3779b97f4a7c15 >> 1 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "graph.txt")
			rng := rand.New(rand.NewPCG(45, 46))
			content := []byte("# Nodes: 1000000 Edges: 8000000\n")
			for range edges {
				content = strconv.AppendUint(content, c.number(rng.IntN(vertices)), 10)
				content = append(content, '\t')
				content = strconv.AppendUint(content, c.number(rng.IntN(vertices)), 10)
				content = append(content, '\n')
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				b.Fatal(err)
			}

			b.SetBytes(int64(len(content)))
			content = nil
			b.ReportAllocs()
			for b.Loop() {
				runtime.GC() // as in a process that reads one matrix
				file, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}

				s, err := text.NewSource(file, path)
				if err == nil {
					_, err = parse(s, text.DefaultOptions)
				}
				if err != nil {
					b.Fatal(err)
				}
				file.Close()
			}
			b.ReportMetric(edges/1e6/(b.Elapsed().Seconds()/float64(b.N)), "Mnnz/s")
		})
	}
}
