package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// cached loads a matrix that reads x all over, which the last-level cache holds (2 MiB of
// x, 1 MiB of entries) but a core's own hardly.
func cached(t testing.TB) *product[float64] {
	t.Helper()
	b := open(t)
	const rows, each, cols = 1 << 12, 16, 1 << 18
	r := rand.New(rand.NewPCG(5, 6))
	a := &sparse.CSR[float64]{Rows: rows, Cols: cols, RowPtr: make([]int32, rows+1), Val: make([]float64, rows*each)}

	for i := range rows {
		row := make([]int32, each)
		for k := range row {
			row[k] = int32(cols/each*k + r.IntN(cols/each))
		}
		a.ColIdx = append(a.ColIdx, row...)
		a.RowPtr[i+1] = int32(len(a.ColIdx))
	}
	if err := b.Load(&kernels.Problem{A: a, X: make([]float64, cols)}); err != nil {
		t.Fatal(err)
	}

	return prepareConfig(t, b, config("cpu_csr", kernels.Float64, 0, 0)).(*product[float64])
}

// medians are the times of a product cold and warm, in seconds. Cold and warm samples
// take turns, so that other work on the machine meets both.
func medians(t testing.TB, p *product[float64], turns int) (cold, warm float64) {
	t.Helper()
	var times [2][]float64
	for range turns {
		for i, isCold := range []bool{true, false} {
			dst := make([]float64, 3)
			if err := p.Sample(dst, 1, isCold); err != nil {
				t.Fatal(err)
			}
			times[i] = append(times[i], dst[1:]...)
		}
	}

	for i := range times {
		slices.Sort(times[i])
	}
	return times[0][turns], times[1][turns]
}

// Every line of both buffers is reached, however many cores share them.
func TestEvictionReachesEveryLine(t *testing.T) {
	b := open(t)
	const lines = 101
	for _, cores := range []int{1, 3} {
		e := evictor{size: lines * cacheLine}
		e.evict(b.pool, cores)
		e.evict(b.pool, cores)
		for i := 0; i < len(e.written); i += cacheLine {
			if slices.Max(e.written[i:i+cacheLine]) == 0 {
				t.Errorf("%d cores leave line %d unwritten", cores, i/cacheLine)
			}
		}
		read := 0
		for _, n := range e.sums {
			read += n
		}
		if read < 2*lines || read > 2*(lines+cores) { // where two parts meet, both may read the line
			t.Errorf("%d cores read %d of %d lines", cores, read, 2*lines)
		}
	}
}

// A product that the cache could hold finds nothing of it there when it is cold.
func TestEvictionMakesColdSlower(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes fifty times as long as memory")
	}
	if cold, warm := medians(t, cached(t), 15); cold <= warm {
		t.Errorf("cold %g s, warm %g s", cold, warm)
	}
}

func BenchmarkColdOverWarm(b *testing.B) {
	p := cached(b)
	var cold, warm float64
	for b.Loop() {
		cold, warm = medians(b, p, 25)
	}
	b.ReportMetric(cold/warm, "cold/warm")
}
