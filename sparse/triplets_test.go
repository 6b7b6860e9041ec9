package sparse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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

// dense adds up triplets the obvious way.
func dense(row, col []int32, val []float64) map[[2]int32]float64 {
	d := map[[2]int32]float64{}
	for k := range val {
		d[[2]int32{row[k], col[k]}] += val[k]
	}
	return d
}

func TestFromTriplets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ rows, cols, n int }{
		{1, 1, 5}, {1, 50, 30}, {50, 1, 30}, {7, 9, 200}, {100, 30, 60}, {30, 100, 1000}, {1000, 1000, 3},
	} {
		for _, order := range []string{"random", "by rows", "by columns"} {
			t.Run(fmt.Sprintf("%d×%d %s", size.rows, size.cols, order), func(t *testing.T) {
				row, col, val := randomTriplets(rng, size.rows, size.cols, size.n)
				if order != "random" {
					sortTriplets(row, col, val, order == "by rows")
				}
				before := [][]int32{slices.Clone(row), slices.Clone(col)}
				m, err := FromTriplets(size.rows, size.cols, row, col, val)
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}

				if !slices.Equal(before[0], row) || !slices.Equal(before[1], col) {
					t.Error("the inputs were changed")
				}
				want := dense(row, col, val)
				if m.NNZ() != len(want) {
					t.Errorf("%d entries, want %d distinct positions", m.NNZ(), len(want))
				}

				c := m.COO()
				for k, v := range c.Val {
					if want[[2]int32{c.Row[k], c.Col[k]}] != v {
						t.Fatalf("entry (%d, %d) is %v, want %v", c.Row[k], c.Col[k], v,
							want[[2]int32{c.Row[k], c.Col[k]}])
					}
				}

				back, err := FromTriplets(c.Rows, c.Cols, c.Row, c.Col, c.Val)
				if err != nil {
					t.Fatal(err)
				}
				if back.Hash() != m.Hash() || m.Transpose().Transpose().Hash() != m.Hash() {
					t.Error("going through COO or through the transpose changed the matrix")
				}
			})
		}
	}
}

func sortTriplets(row, col []int32, val []float64, byRows bool) {
	order := make([]int, len(val))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if byRows {
			return int(row[a] - row[b])
		}
		return int(col[a] - col[b])
	})

	r, c, v := slices.Clone(row), slices.Clone(col), slices.Clone(val)
	for k, from := range order {
		row[k], col[k], val[k] = r[from], c[from], v[from]
	}
}

// Duplicates are added in input order wherever they stand, so that a file gives
// the same bits however its other entries are sorted.
func TestFromTripletsAddsInInputOrder(t *testing.T) {
	val := []float64{1, 1e100, 1, -1e100}
	sum := ((val[0] + val[1]) + val[2]) + val[3]
	for _, other := range []int32{0, 2} { // before and after: one fast, one slow path
		m, err := FromTriplets(1, 3, []int32{0, 0, 0, 0, 0}, []int32{1, 1, 1, 1, other}, append(slices.Clone(val), 7))
		if err != nil {
			t.Fatal(err)
		}
		cols, vals := m.Row(0)
		if k := slices.Index(cols, 1); len(cols) != 2 || vals[k] != sum {
			t.Errorf("row is %v %v, want the sum %v in column 1", cols, vals, sum)
		}
	}
}

func TestFromTripletsRefuses(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		row, col   []int32
		val        []float64
		want       string
	}{
		{-1, 2, nil, nil, nil, "negative"},
		{MaxIndex + 1, 2, nil, nil, nil, "32-bit"},
		{2, 2, []int32{0}, []int32{0, 1}, []float64{1, 2}, "unequal length"},
		{2, 2, []int32{0, 2}, []int32{0, 0}, []float64{1, 2}, "entry 1 at (2, 0)"},
		{2, 2, []int32{0}, []int32{-1}, []float64{1}, "entry 0 at (0, -1)"},
		{0, 0, []int32{0}, []int32{0}, []float64{1}, "outside"},
	} {
		if _, err := FromTriplets(c.rows, c.cols, c.row, c.col, c.val); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want one with %q", c, err, c.want)
		}
	}
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	row, col, val := randomTriplets(rng, 20, 31, 200)
	m, err := FromTriplets(20, 31, row, col, val)
	if err != nil {
		t.Fatal(err)
	}

	want, err := FromTriplets(31, 20, col, row, val)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Transpose(); got.Hash() != want.Hash() {
		t.Errorf("transpose is %v, want %v", got, want)
	}
}
