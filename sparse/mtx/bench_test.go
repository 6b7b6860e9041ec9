package mtx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkDecode reads files in memory whose entries are in no order, the worst
// case for sorting.
func BenchmarkDecode(b *testing.B) {
	const size, entries = 100_000, 500_000
	for _, c := range []struct{ name, header, format string }{
		{"17 digits", "real general", "%[1]d %[2]d %.16[3]e\n"},
		{"6 digits", "real general", "%[1]d %[2]d %.6[3]f\n"},
		{"pattern symmetric", "pattern symmetric", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(11, 12))
			var file bytes.Buffer
			fmt.Fprintf(&file, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", c.header, size, size, entries)
			for range entries {
				i, j := 1+rng.IntN(size), 1+rng.IntN(size)
				if c.name == "pattern symmetric" {
					fmt.Fprintf(&file, "%d %d\n", max(i, j), min(i, j))
					continue
				}
				fmt.Fprintf(&file, c.format, i, j, rng.Float64())
			}
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(bytes.NewReader(file.Bytes()), "f", DefaultOptions); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
