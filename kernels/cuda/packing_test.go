package cuda

import (
	"slices"
	"testing"
	"time"

	"spmvtune/sparse"
)

// Configurations that share a packing must share its memory: the device's copy
// is found by it.
func TestPackIsSharedPerMatrixAndKey(t *testing.T) {
	defer forget()
	a, b := &sparse.CSR[float64]{}, &sparse.CSR[float64]{}
	built := 0
	get := func(m *structure, key any) []int32 {
		return pack(m, key, func() ([]int32, int64) { built++; return []int32{int32(built)}, 4 })
	}
	type key struct{ tile int }

	first := get(a, key{64})
	if again := get(a, key{64}); &first[0] != &again[0] || built != 1 {
		t.Errorf("the same packing was built %d times", built)
	}
	if other := get(a, key{128}); slices.Equal(first, other) {
		t.Error("two keys share a packing")
	}

	if other := get(b, key{64}); slices.Equal(first, other) {
		t.Error("two matrices share a packing")
	}
}

func TestPackKeepsWithinItsLimit(t *testing.T) {
	defer forget()
	m := &sparse.CSR[float64]{}
	built := 0
	get := func(key int) {
		pack(m, key, func() (int, int64) { built++; return key, packingLimit/2 + 1 })
	}
	get(1)

	get(2) // drops 1
	get(2)
	if built != 2 {
		t.Errorf("the newest packing was built again")
	}

	get(1)
	if built != 3 {
		t.Errorf("a packing beyond the limit was kept")
	}
}

// A configuration that finds its packing made is charged what that once cost.
func TestPackTellsTheCostOfReuse(t *testing.T) {
	defer forget()
	m := &sparse.CSR[float64]{}
	const cost = 2 * time.Millisecond
	get := func() { pack(m, 1, func() (int, int64) { time.Sleep(cost); return 0, 8 }) }
	before := reusedCost()
	get()
	if d := reusedCost() - before; d != 0 {
		t.Errorf("the first use is charged %v beside the time that it took", d)
	}

	get()
	if d := reusedCost() - before; d < cost {
		t.Errorf("reuse is charged %v, making it took %v", d, cost)
	}
}
