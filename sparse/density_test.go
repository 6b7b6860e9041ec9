// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// slowDensity counts by the definition.
func slowDensity(m *CSR[float64], height, width int) *Density {
	d := &Density{Height: min(height, m.Rows), Width: min(width, m.Cols)}
	if d.Height == 0 || d.Width == 0 {
		return &Density{}
	}
	d.Count = make([]uint32, d.Height*d.Width)

	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			at := i*d.Height/m.Rows*d.Width + int(j)*d.Width/m.Cols
			d.Count[at]++
			d.Most = max(d.Most, d.Count[at])
		}
	}

	return d
}

// seen are matrices whose pictures differ: random ones, one giant row and one giant
// column among empty ones, a diagonal at the ends of the index range, and none at all.
func seen(t testing.TB) map[string]*CSR[float64] {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	list := map[string]*CSR[float64]{}
	add := func(name string, rows, cols int, row, col []int32) {
		m := fromTriplets(rows, cols, row, col, make([]float64, len(row)))
		list[name] = m
	}

	for name, size := range map[string][3]int{
		"square": {1000, 1000, 200_000}, "wide": {3, 100_000, 150_000}, "tall": {100_000, 3, 150_000},
		"small": {5, 7, 12}, "one": {1, 1, 1}, "no rows": {0, 9, 0}, "no columns": {9, 0, 0}, "no entries": {9, 9, 0},
	} {
		row, col, _ := randomTriplets(rng, size[0], size[1], size[2])
		add(name, size[0], size[1], row, col)
	}

	var row, col []int32
	for j := range int32(150_000) {
		row, col = append(row, 40_000), append(col, j)
	}
	add("giant row", 99_991, 150_000, row, col)
	add("giant column", 150_000, 99_991, col, row)
	far := &CSR[float64]{Rows: 1, Cols: MaxIndex, ColIdx: []int32{0}}

	for k := range int64(1000) { // both sides of where a bin may begin
		at := int32((k+1)*MaxIndex/1001) - 1
		far.ColIdx = append(far.ColIdx, at, at+1)
	}
	far.ColIdx = append(far.ColIdx, MaxIndex-2, MaxIndex-1)
	far.RowPtr, far.Val = []int32{0, int32(far.NNZ())}, make([]float64, far.NNZ())
	list["far columns"] = far

	return list
}

func TestDensity(t *testing.T) {
	for name, m := range seen(t) {
		for _, bins := range [][2]int{{1, 1}, {7, 13}, {128, 128}, {1001, 1001}, {1 << 20, 30}} {
			want := slowDensity(m, bins[0], bins[1])
			for _, cores := range []int{1, 3, 8} {
				onCores(cores, func() {
					if got := NewDensity(m, bins[0], bins[1]); !reflect.DeepEqual(got, want) {
						t.Errorf("%s in %v bins on %d cores: %d×%d bins, most %d, want %d×%d, %d",
							name, bins, cores, got.Height, got.Width, got.Most, want.Height, want.Width, want.Most)
					}
				})
			}
		}
	}
}

func TestThumbnail(t *testing.T) {
	for name, m := range seen(t) {
		want := NewDensity(m, ThumbnailSide, ThumbnailSide)
		packed := NewThumbnail(m)
		testkit.Check(t, len(packed) <= 17_000, "%s takes %d bytes", name, len(packed))

		got, err := packed.Density()
		testkit.Require(t, err == nil, "%s: %v", name, err)
		testkit.Equal(t, [2]int{got.Height, got.Width}, [2]int{want.Height, want.Width}, "%s: bins", name)

		for i, n := range want.Count {
			if off := float64(got.Count[i]) - float64(n); (n <= 1 && off != 0) ||
				max(off, -off) > 0.045*float64(n)+0.5 {
				t.Errorf("%s: bin %d has %d entries, not %d", name, i, got.Count[i], n)
			}
		}
	}
}

// Bins of every possible count make the largest thumbnail there can be, and the
// largest count comes back.
func TestThumbnailBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := &Density{Height: ThumbnailSide, Width: ThumbnailSide, Count: make([]uint32, ThumbnailSide*ThumbnailSide)}
	for i := range d.Count {
		d.Count[i] = rng.Uint32N(1<<31) >> rng.IntN(31)
	}

	d.Count[0] = MaxIndex
	packed := d.pack()
	testkit.Check(t, len(packed) <= 17_000, "%d bytes", len(packed))

	testkit.Equal(t, testkit.Must(packed.Density()).Count[0], MaxIndex, "the first count")
}

func FuzzThumbnail(f *testing.F) {
	for _, m := range seen(f) {
		f.Add([]byte(NewThumbnail(m)))
	}
	f.Add([]byte{1, 2, 2})
	f.Add([]byte{1, 0x80, 0x80, 0x80, 0x80, 0x08, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Thumbnail(data).Density()
		if err != nil {
			return
		}
		if len(d.Count) != d.Height*d.Width || d.Height > ThumbnailSide || d.Width > ThumbnailSide {
			t.Fatalf("%d counts in %d×%d bins", len(d.Count), d.Height, d.Width)
		}

		again := testkit.Must(d.pack().Density())
		testkit.Check(t, bytes.Equal(again.pack(), d.pack()), "packed twice, it is another one")
	})
}
