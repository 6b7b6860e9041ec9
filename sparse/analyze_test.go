package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowFeatures computes the features by their definitions.
func slowFeatures(m *CSR[float64]) Features {
	f := Features{Rows: m.Rows, Cols: m.Cols, Nonzeros: m.NNZ()}
	var lengths []int
	used := map[int32]bool{}
	var distance float64
	for i := range m.Rows {
		cols, _ := m.Row(i)
		lengths = append(lengths, len(cols))
		if len(cols) == 0 {
			f.EmptyRows++
		}
		for _, j := range cols {
			used[j] = true
			d := max(int(j)-i, i-int(j))
			f.Bandwidth = max(f.Bandwidth, d)
			distance += float64(d)
		}
	}
	f.ColsUsed = len(used)
	if m.NNZ() > 0 {
		f.BandwidthMean = distance / float64(m.NNZ())
	}
	if m.Rows == 0 {
		return f
	}
	slices.Sort(lengths)
	f.RowMin, f.RowMax = lengths[0], lengths[m.Rows-1]
	f.RowMean = float64(m.NNZ()) / float64(m.Rows)
	for _, n := range lengths {
		f.RowStd += (float64(n) - f.RowMean) * (float64(n) - f.RowMean)
	}
	f.RowStd = math.Sqrt(f.RowStd / float64(m.Rows))
	quantile := func(p float64) int {
		return lengths[int(math.Ceil(p*float64(m.Rows)))-1]
	}
	f.RowP25, f.RowMedian, f.RowP75 = quantile(0.25), quantile(0.5), quantile(0.75)
	f.RowP90, f.RowP99 = quantile(0.9), quantile(0.99)
	return f
}

func TestAnalyze(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	build := func(rows, cols int, fill func(add func(i, j int))) *CSR[float64] {
		t.Helper()
		var row, col []int32
		var val []float64
		fill(func(i, j int) { row, col, val = append(row, int32(i)), append(col, int32(j)), append(val, 1) })
		m, err := FromTriplets(rows, cols, row, col, val)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, m := range map[string]*CSR[float64]{
		"nothing":    build(0, 0, func(func(i, j int)) {}),
		"no rows":    build(0, 9, func(func(i, j int)) {}),
		"no columns": build(9, 0, func(func(i, j int)) {}),
		"no entries": build(9, 9, func(func(i, j int)) {}),
		"one entry":  build(1, 1, func(add func(i, j int)) { add(0, 0) }),
		"even rows":  build(1000, 1000, func(add func(i, j int)) { forEach(1000, func(i int) { add(i, i); add(i, (i+7)%1000) }) }),
		"giant row": build(300, 200_000, func(add func(i, j int)) {
			forEach(300, func(i int) { add(i, i*3) })
			forEach(200_000, func(j int) { add(150, j) })
		}),
		"long and short rows": build(200, 5000, func(add func(i, j int)) {
			forEach(200, func(i int) {
				for range []int{0, 1, 30, 1023, 1024, 1025, 4000}[rng.IntN(7)] {
					add(i, rng.IntN(5000))
				}
			})
		}),
	} {
		t.Run(name, func(t *testing.T) {
			want := slowFeatures(m)
			var got Features
			onCores(1, func() { got = Analyze(m) })
			if d := got.RowStd - want.RowStd; math.Abs(d) > 1e-12*want.RowStd {
				t.Errorf("deviation %v, want %v", got.RowStd, want.RowStd)
			}
			same := got
			same.RowStd = want.RowStd
			if same != want {
				t.Errorf("got  %+v\nwant %+v", same, want)
			}
			onCores(5, func() {
				if many := Analyze(m); many != got {
					t.Errorf("on 5 cores %+v\non one     %+v", many, got)
				}
			})
		})
	}
}

func forEach(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}

// Rows of equal length must show no deviation at all, however many there are.
func TestAnalyzeDeviationDoesNotCancel(t *testing.T) {
	const rows = 300_000
	m := &CSR[float64]{Rows: rows, Cols: 3, RowPtr: make([]int32, rows+1), ColIdx: make([]int32, 3*rows), Val: make([]float64, 3*rows)}
	for k := range m.ColIdx {
		m.ColIdx[k] = int32(k % 3)
	}
	for i := range m.RowPtr {
		m.RowPtr[i] = int32(3 * i)
	}
	if f := Analyze(m); f.RowStd != 0 || f.RowMean != 3 {
		t.Errorf("mean %v, deviation %v, want 3 and 0", f.RowMean, f.RowStd)
	}
}
