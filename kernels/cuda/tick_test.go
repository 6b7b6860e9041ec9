package cuda

import (
	"math"
	"testing"
)

// The times are events' as drivers give them: ticks of 32 ns in milliseconds of float32.
func TestTickIsSeen(t *testing.T) {
	ticks := func(of ...float64) (seconds []float64) {
		for _, n := range of {
			seconds = append(seconds, float64(float32(n*32e-6))/1e3)
		}
		return seconds
	}

	for _, tt := range []struct {
		times []float64
		want  float64
	}{
		{ticks(40, 42, 41, 42, 47), 32e-9},
		{ticks(40, 44, 40, 44), 128e-9}, // no finer than what was seen
		{ticks(40, 40, 40), 5e-7},
		{ticks(40, 90), 5e-7},
		{[]float64{1e-6, 1e-6 + 1e-13, 1e-6 + 32e-9}, 32e-9},
	} {
		if got := tick(tt.times, 5e-7); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v: a tick of %g, want %g", tt.times, got, tt.want)
		}
	}
}
