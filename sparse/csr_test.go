// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// randomTriplets gives n entries with values that add without rounding, about a
// share of them at positions that occurred before.
func randomTriplets(rng *rand.Rand, rows, cols, n int) (row, col []int32, val []float64) {
	for k := range n {
		if k > 0 && rng.IntN(4) == 0 {
			again := rng.IntN(k)
			row, col = append(row, row[again]), append(col, col[again])
		} else {
			row, col = append(row, int32(rng.IntN(rows))), append(col, int32(rng.IntN(cols)))
		}
		val = append(val, float64(rng.IntN(201)-100))
	}

	return row, col, val
}

// fromTriplets is the matrix whose entry k is val[k] at (row[k], col[k]); those at one place are added up in their order.
func fromTriplets(rows, cols int, row, col []int32, val []float64) *CSR[float64] {
	order := make([]int, len(val))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(row[a], row[b]), cmp.Compare(col[a], col[b])) })
	m := &CSR[float64]{Rows: rows, Cols: cols, RowPtr: make([]int32, rows+1)}
	for n, k := range order {
		if n > 0 && row[k] == row[order[n-1]] && col[k] == col[order[n-1]] {
			m.Val[len(m.Val)-1] += val[k]
			continue
		}
		m.ColIdx, m.Val = append(m.ColIdx, col[k]), append(m.Val, val[k])
		m.RowPtr[row[k]+1]++
	}
	for i := range m.Rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	return m
}

// Through COO and back, and transposed twice, a matrix is the same.
func TestCOO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 5}, {1, 50, 30}, {50, 1, 30}, {7, 9, 200}, {30, 100, 1000}, {1000, 1000, 3}} {
		row, col, val := randomTriplets(rng, size[0], size[1], size[2])
		m := fromTriplets(size[0], size[1], row, col, val)
		testkit.Succeed(t, m.Validate())
		c := m.COO()
		if fromTriplets(c.Rows, c.Cols, c.Row, c.Col, c.Val).Hash() != m.Hash() || m.Transpose().Transpose().Hash() != m.Hash() {
			t.Errorf("%v: going through COO or through the transpose changed the matrix", size)
		}
	}
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	row, col, val := randomTriplets(rng, 20, 31, 200)
	m := fromTriplets(20, 31, row, col, val)

	want := fromTriplets(31, 20, col, row, val)
	testkit.Equal(t, m.Transpose().Hash(), want.Hash(), "hash of the transpose")
}

func TestValidate(t *testing.T) {
	good := func() *CSR[float64] {
		return &CSR[float64]{
			Rows: 3, Cols: 4,
			RowPtr: []int32{0, 2, 2, 4},
			ColIdx: []int32{0, 3, 1, 2},
			Val:    []float64{1, 2, 3, 4},
		}
	}
	testkit.Succeed(t, good().Validate())

	for want, spoil := range map[string]func(m *CSR[float64]){
		"negative":                 func(m *CSR[float64]) { m.Cols = -1 },
		"32-bit":                   func(m *CSR[float64]) { m.Cols = MaxIndex + 1 },
		"row offsets for 3 rows":   func(m *CSR[float64]) { m.RowPtr = m.RowPtr[:3] },
		"4 columns but 3 values":   func(m *CSR[float64]) { m.Val = m.Val[:3] },
		"start at 1":               func(m *CSR[float64]) { m.RowPtr[0] = 1 },
		"end at 3":                 func(m *CSR[float64]) { m.RowPtr[3] = 3 },
		"row 1 ends at offset 1":   func(m *CSR[float64]) { m.RowPtr[2] = 1 },
		"row 0 ends at offset -9":  func(m *CSR[float64]) { m.RowPtr[1] = -9 },
		"row 2 has column 4":       func(m *CSR[float64]) { m.ColIdx[3] = 4 },
		"row 0 has column -1":      func(m *CSR[float64]) { m.ColIdx[0] = -1 },
		"row 2 has column 1 after": func(m *CSR[float64]) { m.ColIdx[3] = 1 },
	} {
		m := good()
		spoil(m)
		testkit.Fails(t, m.Validate(), want, "got")
	}
}

// randomMatrix is large enough for several chunks of the hash and several
// workers.
func randomMatrix(t *testing.T) *CSR[float64] {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	row, col, val := randomTriplets(rng, 3000, 2000, 400_000)
	m := fromTriplets(3000, 2000, row, col, val)
	return m
}

// onCores runs f with that many cores.
func onCores(n int, f func()) {
	before := runtime.GOMAXPROCS(n)
	defer runtime.GOMAXPROCS(before)
	f()
}

func TestHashTellsApart(t *testing.T) {
	m := randomMatrix(t)
	seen := map[string]string{m.Hash(): "the matrix"}
	differs := func(what string, h string) {
		t.Helper()
		other, ok := seen[h]
		testkit.Check(t, !ok, "%s and %s have the same hash", what, other)
		seen[h] = what
	}

	for _, k := range []int{0, 131071, 131072, m.NNZ() - 1} { // both sides of a chunk's end
		old := m.Val[k]
		m.Val[k] = math.Nextafter(old, 1000)
		differs("one bit more", m.Hash())
		m.Val[k] = old
	}

	old := m.Val[7]
	m.Val[7] = 0
	differs("zero", m.Hash())
	m.Val[7] = math.Copysign(0, -1)
	differs("minus zero", m.Hash())
	m.Val[7] = old

	m.Cols++
	differs("one column more", m.Hash())
	m.Cols--
	single := &CSR[float32]{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, ColIdx: m.ColIdx,
		Val: make([]float32, m.NNZ())}
	for k, v := range m.Val {
		single.Val[k] = float32(v)
	}

	differs("float32", single.Hash())
	differs("the transpose", m.Transpose().Hash())
	for _, size := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 5}, {5, 5}} {
		empty := fromTriplets(size[0], size[1], nil, nil, nil)
		differs(empty.String(), empty.Hash())
	}
}

// The hash is in every database: it may not change with the machine or with a
// version of this program.
func TestHashIsStable(t *testing.T) {
	m := &CSR[float64]{
		Rows: 2, Cols: 3,
		RowPtr: []int32{0, 2, 3},
		ColIdx: []int32{0, 2, 1},
		Val:    []float64{1, -2.5, 1e-300},
	}
	const want = "7c2dbf929b99f7ff7f310f434cf4479ab050f292289762fa91bbb793c247f16b"

	testkit.Equal(t, m.Hash(), want, "hash")

	large := randomMatrix(t)
	var one string
	onCores(1, func() { one = large.Hash() })
	onCores(7, func() {
		testkit.Equal(t, large.Hash(), one, "hash on 7 cores")
	})
}

// A pattern united with its transpose is symmetric.
func TestSymmetricPattern(t *testing.T) {
	for name, m := range patterns(t) {
		if m.Rows != m.Cols || m.NNZ() == 0 {
			continue
		}
		both := pattern(t, m.Rows, m.Rows, func(add func(i, j int)) {
			for i := range m.Rows {
				cols, _ := m.Row(i)
				for _, j := range cols {
					add(i, int(j))
					add(int(j), i)
				}
			}
		})

		testkit.Equal(t, Analyze(both).PatternSymmetry, 1, "%s: symmetry of the symmetric pattern", name)
	}
}

func TestFeaturesEqual(t *testing.T) {
	f := Analyze(patterns(t)["few random"])
	old, less := f, f
	old.RowSimilarity = math.NaN() // not known
	less.EmptyRows--
	if !f.Equal(f) || !old.Equal(old) || f.Equal(old) || old.Equal(f) || f.Equal(less) {
		t.Error("features are equal where they differ, or differ where they are equal")
	}
}

// Exactly returns row similarity and pattern symmetry from all entries of m, and the bound
// of the standard error that Analyze keeps to.
func Exactly[V Float](m *CSR[V]) (similarity, symmetry, deviation float64) {
	if count, _ := sampleSize(m.NNZ()); count < MaxIndex {
		deviation = 0.5 / math.Sqrt(float64(count))
	}
	if m.Rows == m.Cols {
		symmetry = patternSymmetry(m.RowPtr, m.ColIdx, MaxIndex)
	}
	return rowSimilarity(m.RowPtr, m.ColIdx, MaxIndex, MaxIndex), symmetry, deviation
}

// Cores share the columns, and the first wrong row is named.
func TestValidateNamesTheFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	m := randomMatrix(t)
	testkit.Succeed(t, m.Validate())
	for _, row := range []int{2999, 1100, 1099} {
		m.ColIdx[m.RowPtr[row]] = 2000
		testkit.Fails(t, m.Validate(), fmt.Sprintf("row %d has column 2000", row), "row %d is wrong", row)
	}
}
