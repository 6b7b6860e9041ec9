package sparse

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// randomMatrix is large enough for several chunks of the hash and several
// workers.
func randomMatrix(t *testing.T) *CSR[float64] {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	row, col, val := randomTriplets(rng, 3000, 2000, 400_000)
	m, err := FromTriplets(3000, 2000, row, col, val)
	if err != nil {
		t.Fatal(err)
	}
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
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", what, other)
		}
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
		empty, err := FromTriplets[float64](size[0], size[1], nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
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

	if got := m.Hash(); got != want {
		t.Errorf("hash is %s, want %s", got, want)
	}

	large := randomMatrix(t)
	var one string
	onCores(1, func() { one = large.Hash() })
	onCores(7, func() {
		if many := large.Hash(); many != one {
			t.Errorf("hash is %s on 7 cores and %s on one", many, one)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	const n = 1 << 22
	m := &CSR[float64]{Rows: 1, Cols: n, RowPtr: []int32{0, n}, ColIdx: make([]int32, n), Val: make([]float64, n)}
	b.SetBytes(12 * n)
	for b.Loop() {
		m.Hash()
	}
}
