package kernels

import "testing"

// Every place occurs once, and those of neighbours are far apart.
func TestScatter(t *testing.T) {
	for _, bits := range []int{1, 2, 3, 7, 12, 18} {
		n := uint32(1) << bits
		seen := make([]bool, n)
		near := 0
		last := n

		for i := range n {
			at := Scatter(i, bits)
			if at >= n || seen[at] {
				t.Fatalf("%d bits: place %d of %d occurs twice, or is none", bits, at, n)
			}
			seen[at] = true
			if d := int(at) - int(last); d > -16 && d < 16 {
				near++
			}
			last = at
		}

		// At random, 31 of n neighbours are so near.
		if bits > 10 && near > 100 {
			t.Errorf("%d bits: %d of %d neighbours are within 16 elements", bits, near, n)
		}
	}
}
