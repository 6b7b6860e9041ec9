package kernels

import "testing"

// Devices differ in what they stream fastest.
func TestHighestRoof(t *testing.T) {
	for _, r := range []Roof{{Read: 3, Copy: 2, Triad: 1}, {Read: 1, Copy: 3, Triad: 2}, {Read: 2, Copy: 1, Triad: 3}} {
		r.Gather = 9 // is no streaming
		if got := r.Highest(); got != 3 {
			t.Errorf("the highest of %+v is %v, want 3", r, got)
		}
	}
}
