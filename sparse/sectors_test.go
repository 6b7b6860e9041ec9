package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
		if got := SectorsPer32(c.m); got != c.want {
			t.Errorf("%s: %v sectors, not %v", c.name, got, c.want)
		}
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
	if groups <= mostGroups {
		t.Fatalf("all %d groups are looked at", groups)
	}
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
	if one != four || math.Abs(one-want) > 3*0.061 {
		t.Errorf("%v on one core, %v on four, %v of all groups", one, four, want)
	}
}
