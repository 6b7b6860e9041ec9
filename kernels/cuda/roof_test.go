package cuda

import (
	"math/rand/v2"
	"testing"
)

// Whichever element is the only one that is not 0, it is read once: the sum of the thread
// that reads it is 1 then, which is stored.
func TestGatherReadsEachElementOnce(t *testing.T) {
	e := newEmulator(t, "roof")
	rng := rand.New(rand.NewPCG(7, 8))
	for _, bits := range []int{1, 5, 10} {
		for range 20 {
			x := make([]float64, 1<<bits)
			at := rng.IntN(len(x))
			x[at] = 1
			arrays := map[string][]byte{"x": packValues(x, 8), "sink": packValues([]float64{0}, 8)}
			gather := step{Entry: "roof_gather", Grid: 3, Block: 64, Args: []arg{{array: "x"}, {array: "sink"}, {value: int32(bits)}}}
			if got := unpackValues(e.launch(t, "gathering", arrays, []step{gather}, "sink", 1), 8)[0]; got != 1 {
				t.Errorf("%d bits: element %d adds %g to the sums that are 1, want 1", bits, at, got)
			}
		}
	}
}
