package cuda

import (
	"math/rand/v2"
	"testing"
)

// checkGather checks that whichever element is the only one that is not 0 is read once: the
// sum of the thread that reads it is then 1, which is stored.
func checkGather(t *testing.T, e *emulator) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, bits := range []int{1, 5, 10} {
		for range 20 {
			x := make([]float64, 1<<bits)
			at := rng.IntN(len(x))
			x[at] = 1
			arrays := map[string][]byte{"x": packValues(x, 8), "sink": packValues([]float64{0}, 8)}
			gather := step{Entry: "roof_gather", Grid: 3, Block: 64,
				Args: []arg{{array: "x"}, {array: "sink"}, {value: int32(bits)}}}
			if got := unpackValues(e.launch(t, "gathering", arrays, []step{gather}, "sink", 1), 8)[0]; got != 1 {
				t.Errorf("%d bits: element %d adds %g to the sums that are 1, want 1", bits, at, got)
			}
		}
	}
}
