// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// slowFeatures computes the features by their definitions, from all entries.
func slowFeatures(m *CSR[float64]) Features {
	f := Features{Rows: m.Rows, Cols: m.Cols, Nonzeros: m.NNZ()}
	var lengths []int
	var distance, span, gaps, neighbours, similarity, off, mirrored float64
	used, diagonals, stored := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}
	above := map[int]float64{}
	var full []int

	for i := range m.Rows {
		cols, _ := m.Row(i)
		lengths = append(lengths, len(cols))
		if len(cols) == 0 {
			f.EmptyRows++
			continue
		}

		full = append(full, i)
		span += float64(cols[len(cols)-1] - cols[0])
		gaps += float64(len(cols) - 1)
		f.Profile += float64(max(0, i-int(cols[0])))

		for _, limit := range []int{32, 256, 1024} {
			if len(cols) > limit {
				above[limit] += float64(len(cols))
			}
		}

		for _, j := range cols {
			j := int(j)
			used[j], diagonals[j-i], stored[[2]int{i, j}] = true, true, true
			d := max(j-i, i-j)
			f.Bandwidth = max(f.Bandwidth, d)
			distance += float64(d)
		}
	}

	for at := range stored {
		i, j := at[0], at[1]
		for _, beside := range []int{j - 1, j + 1} {
			if stored[[2]int{i, beside}] {
				neighbours++
			}
		}

		if i != j {
			off++
			if stored[[2]int{j, i}] {
				mirrored++
			}
		}
	}

	for n, i := range full {
		if n+1 == len(full) {
			break
		}
		cols, _ := m.Row(i)
		near := 0.0

		for _, j := range cols {
			l := full[n+1]
			if stored[[2]int{l, int(j) - 1}] || stored[[2]int{l, int(j)}] || stored[[2]int{l, int(j) + 1}] {
				near++
			}
		}
		similarity += near / float64(len(cols))
	}

	over := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	nonzeros := float64(m.NNZ())

	f.ColsUsed, f.Diagonals = len(used), float64(len(diagonals))
	f.BandwidthMean, f.NeighbourRate = over(distance, nonzeros), over(neighbours, nonzeros)
	f.RowSpanMean, f.ColGapMean = over(span, float64(m.Rows)), over(span, gaps)
	f.RowSimilarity = over(similarity, float64(len(full)))
	f.ShareAbove32, f.ShareAbove256, f.ShareAbove1024 = over(above[32], nonzeros), over(above[256],
		nonzeros), over(above[1024], nonzeros)
	if m.Rows == m.Cols && m.NNZ() > 0 {
		f.PatternSymmetry = 1
		if off > 0 {
			f.PatternSymmetry = mirrored / off
		}
	}

	if m.Rows == 0 {
		return f
	}
	slices.Sort(lengths)
	f.RowMin, f.RowMax = lengths[0], lengths[m.Rows-1]
	f.RowMean = nonzeros / float64(m.Rows)
	f.RowMaxOverMean = over(float64(f.RowMax), f.RowMean)

	var gini float64
	for k, n := range lengths {
		d := float64(n) - f.RowMean
		f.RowStd += d * d
		f.RowSkewness += d * d * d
		gini += float64(2*(k+1)-m.Rows-1) * float64(n)
	}

	f.RowStd = math.Sqrt(f.RowStd / float64(m.Rows))
	f.RowSkewness = over(f.RowSkewness/float64(m.Rows), f.RowStd*f.RowStd*f.RowStd)
	f.RowGini = over(gini, float64(m.Rows)*nonzeros)
	quantile := func(p float64) int {
		return lengths[int(math.Ceil(p*float64(m.Rows)))-1]
	}
	f.RowP25, f.RowMedian, f.RowP75 = quantile(0.25), quantile(0.5), quantile(0.75)
	f.RowP90, f.RowP99 = quantile(0.9), quantile(0.99)

	return f
}

// sameFeatures compares got with want, field by field. What is estimated from a
// sample may be off by five standard errors, everything else by rounding.
func sameFeatures(t *testing.T, got, want Features) {
	t.Helper()
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if a.Field(i).CanInt() {
			testkit.Equal(t, a.Field(i).Int(), b.Field(i).Int(), "%s", name)
			continue
		}

		x, y := a.Field(i).Float(), b.Field(i).Float()
		off := 1e-9 * (1 + math.Abs(y))
		if (name == "RowSimilarity" || name == "PatternSymmetry") && want.Nonzeros > exactBelow {
			off = 5 * 0.016
		}

		testkit.Near(t, x, y, off, "%s", name)
	}
}

// pattern builds a matrix of ones from what fill adds, in any order.
func pattern(t *testing.T, rows, cols int, fill func(add func(i, j int))) *CSR[float64] {
	t.Helper()
	var row, col []int32
	var val []float64
	fill(func(i, j int) { row, col, val = append(row, int32(i)), append(col, int32(j)), append(val, 1) })
	m := fromTriplets(rows, cols, row, col, val)
	return m
}

// patterns are matrices of many kinds.
func patterns(t *testing.T) map[string]*CSR[float64] {
	rng := rand.New(rand.NewPCG(7, 8))
	return map[string]*CSR[float64]{
		"nothing":    pattern(t, 0, 0, func(func(i, j int)) {}),
		"no rows":    pattern(t, 0, 9, func(func(i, j int)) {}),
		"no columns": pattern(t, 9, 0, func(func(i, j int)) {}),
		"no entries": pattern(t, 9, 9, func(func(i, j int)) {}),
		"one entry":  pattern(t, 1, 1, func(add func(i, j int)) { add(0, 0) }),
		"last entry": pattern(t, 70, 90, func(add func(i, j int)) { add(69, 89) }),
		"one row":    pattern(t, 1, 200_000, func(add func(i, j int)) { forEach(200_000, func(j int) { add(0, j) }) }),
		"one column": pattern(t, 200_000, 1, func(add func(i, j int)) { forEach(200_000, func(i int) { add(i, 0) }) }),
		"even rows": pattern(t, 1000, 1000, func(add func(i, j int)) {
			forEach(1000, func(i int) { add(i, i); add(i, (i+7)%1000) })
		}),
		"hardly a row": pattern(t, 3000, 3000, func(add func(i, j int)) {
			forEach(20, func(i int) { add(i*i*7, i*140); add(i*i*7, i*140+1); add(i*i*7, 2999) })
		}),
		"giant row": pattern(t, 300, 200_000, func(add func(i, j int)) {
			forEach(300, func(i int) { add(i, i*3) })
			forEach(200_000, func(j int) { add(150, j) })
		}),
		"arrow": pattern(t, 40_000, 40_000, func(add func(i, j int)) {
			forEach(40_000, func(i int) { add(i, i); add(0, i); add(i, 0) })
		}),
		"half symmetric": pattern(t, 20_000, 20_000, func(add func(i, j int)) {
			forEach(60_000, func(int) {
				i, j := rng.IntN(20_000), rng.IntN(20_000)
				add(i, j)
				if rng.IntN(3) == 0 {
					add(j, i)
				}
			})
		}),
		"few random": pattern(t, 500, 700, func(add func(i, j int)) {
			forEach(5000, func(int) { add(rng.IntN(500), rng.IntN(700)) })
		}),
		"long and short rows": pattern(t, 200, 5000, func(add func(i, j int)) {
			forEach(200, func(i int) {
				for range []int{0, 1, 30, 33, 257, 1023, 1024, 1025, 4000}[rng.IntN(9)] {
					add(i, rng.IntN(5000))
				}
			})
		}),
	}
}

func TestAnalyze(t *testing.T) {
	for name, m := range patterns(t) {
		t.Run(name, func(t *testing.T) {
			var one Features
			onCores(1, func() { one = Analyze(m) })
			sameFeatures(t, one, slowFeatures(m))
			for cores := 2; cores <= 8; cores++ {
				onCores(cores, func() {
					testkit.Equal(t, Analyze(m), one, "on %d cores", cores)
				})
			}
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
	m := &CSR[float64]{Rows: rows, Cols: 3, RowPtr: make([]int32, rows+1), ColIdx: make([]int32, 3*rows),
		Val: make([]float64, 3*rows)}
	for k := range m.ColIdx {
		m.ColIdx[k] = int32(k % 3)
	}

	for i := range m.RowPtr {
		m.RowPtr[i] = int32(3 * i)
	}
	f := Analyze(m)
	testkit.Check(t, f.RowStd == 0 && f.RowMean == 3, "mean %v, deviation %v, want 3 and 0", f.RowMean, f.RowStd)
}

// A matrix done by hand:
//
//	· 1 1 · ·
//	· · · · ·
//	1 · 1 · 1
//	· · · · 1
//	· · 1 1 ·
func TestAnalyzeByHand(t *testing.T) {
	at := [][2]int{{0, 1}, {0, 2}, {2, 0}, {2, 2}, {2, 4}, {3, 4}, {4, 2}, {4, 3}}
	m := pattern(t, 5, 5, func(add func(i, j int)) {
		for _, e := range at {
			add(e[0], e[1])
		}
	})
	sameFeatures(t, Analyze(m), Features{
		Rows: 5, Cols: 5, Nonzeros: 8,
		RowMean: 1.6, RowStd: math.Sqrt(5.2 / 5), RowMin: 0, RowP25: 1, RowMedian: 2, RowP75: 2, RowP90: 3, RowP99: 3, RowMax: 3, EmptyRows: 1,
		ColsUsed: 5, Bandwidth: 2, BandwidthMean: 11.0 / 8,
		// Deviations −1.6, −0.6, 0.4, 0.4, 1.4.
		RowSkewness:     (-4.096 - 0.216 + 0.064 + 0.064 + 2.744) / 5 / math.Pow(5.2/5, 1.5),
		RowGini:         (-4*0 - 2*1 + 0*2 + 2*2 + 4*3) / (5 * 8.0),
		RowMaxOverMean:  3 / 1.6,
		RowSpanMean:     (1 + 0 + 4 + 0 + 1) / 5.0,
		Profile:         2 + 2,
		ColGapMean:      6 / 4.0,
		NeighbourRate:   4 / 8.0,                         // {1, 2} of row 0, {2, 3} of row 4
		RowSimilarity:   (2/2.0 + 1/3.0 + 1/1.0 + 0) / 4, // rows 0 and 2, 2 and 3, 3 and 4; row 4 has no next
		Diagonals:       5,                               // 1, 2, −2, 0, −1
		PatternSymmetry: 6 / 7.0,                         // (0, 1) is alone
	})
}

func TestRowLengths(t *testing.T) {
	for _, tt := range []struct {
		lengths []int32
		want    []LengthBin
	}{
		{nil, []LengthBin{}},
		{[]int32{0}, []LengthBin{{0, 0, 1, 0}}},
		{[]int32{3, 4, 2}, []LengthBin{{2, 3, 2, 5}, {4, 7, 1, 4}}},
		{[]int32{0, 1, 9, 0}, []LengthBin{{0, 0, 2, 0}, {1, 1, 1, 1}, {2, 3, 0, 0}, {4, 7, 0, 0}, {8, 15, 1, 9}}},
		{[]int32{MaxIndex}, []LengthBin{{1 << 30, MaxIndex, 1, MaxIndex}}},
	} {
		m := &CSR[float64]{Rows: len(tt.lengths), RowPtr: []int32{0}} // no entries: lengths are enough
		for i, n := range tt.lengths {
			m.RowPtr = append(m.RowPtr, m.RowPtr[i]+n)
		}
		got := RowLengths(m)
		testkit.Check(t, reflect.DeepEqual(got, tt.want) || len(got)+len(tt.want) == 0, "%v: %v, want %v", tt.lengths, got, tt.want)
	}
}

// ofRows makes a matrix of 1,000 columns from the columns of its rows.
func ofRows(rows ...[]int32) *CSR[float64] {
	m := &CSR[float64]{Rows: len(rows), Cols: 1000, RowPtr: make([]int32, 1, len(rows)+1)}
	for _, row := range rows {
		m.ColIdx = append(m.ColIdx, row...)
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}
	m.Val = make([]float64, len(m.ColIdx))
	return m
}

// every returns count columns from first on, step apart.
func every(first, step, count int32) []int32 {
	columns := make([]int32, count)
	for k := range columns {
		columns[k] = first + int32(k)*step
	}
	return columns
}

func TestSectorsPer32(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *CSR[float64]
		want float64
	}{
		{"no entries", ofRows(nil, nil), 0},
		{"side by side", ofRows(every(64, 1, 32)), 4},
		{"side by side, across a border", ofRows(every(4, 1, 32)), 5},
		{"pairs", ofRows(every(0, 4, 32)), 16},
		{"far apart", ofRows(every(3, 8, 32)), 32},
		{"two groups", ofRows(every(0, 1, 32), every(0, 8, 32)), (4 + 32) / 2.0},
		{"equal rows of one group", ofRows(every(0, 8, 16), every(0, 8, 16)), 16},
		{"a row between equal ones", ofRows(every(0, 8, 8), every(400, 1, 16), every(0, 8, 8)), 8 + 2},
		{"the next row in the same sector", ofRows(every(0, 8, 31), every(247, 1, 1)), 32 - 1},
		{"a last group of fewer left out", ofRows(every(0, 1, 32), every(0, 8, 20)), 4},
		{"a group of fewer alone", ofRows(every(0, 8, 20)), 20},
	} {
		testkit.Equal(t, SectorsPer32(c.m), c.want, "%s: sectors", c.name)
	}
}

// TestSectorsPer32Sampled holds the sample of a large matrix against all groups, on any
// number of cores.
func TestSectorsPer32Sampled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := &CSR[float64]{Rows: 1 << 13, Cols: 1 << 20, RowPtr: make([]int32, 1)}
	for i := range m.Rows { // from dense to scattered
		step, j := int32(1+30*i/m.Rows), int32(r.IntN(8))
		for range 320 {
			m.ColIdx = append(m.ColIdx, j)
			j += 1 + r.Int32N(step)
		}
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}

	exact, groups := 0, m.NNZ()/32
	testkit.Require(t, groups > mostGroups, "all %d groups are looked at", groups)
	for g := range groups {
		seen := map[int32]bool{}
		for _, j := range m.ColIdx[32*g : 32*g+32] {
			seen[j/8] = true
		}
		exact += len(seen)
	}

	want := float64(exact) / float64(groups)
	var one, four float64
	onCores(1, func() { one = SectorsPer32(m) })
	onCores(4, func() { four = SectorsPer32(m) })
	testkit.Check(t, one == four && math.Abs(one-want) <= 3*0.061, "%v on one core, %v on four, %v of all groups", one, four, want)
}
