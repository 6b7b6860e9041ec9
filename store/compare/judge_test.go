package compare

import (
	"fmt"
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// pairs are n kernels, each on a matrix of its own, of four samples that all take longer in B:
// p = 2/70.
func pairs(n int) *Result {
	r := &Result{}
	for i := range n {
		p := Pair{A: &store.Good{}, B: &store.Good{}}
		p.A.Samples, p.B.Samples = []float64{1.00, 1.01, 1.02, 1.03}, []float64{1.10, 1.11, 1.12, 1.13}
		p.B.Trial = trial.Trial{Matrix: fmt.Sprint(i)}
		r.Pairs = append(r.Pairs, p)
	}
	return r
}

// Among many kernels that are the same some seem slower: what is enough to call one
// slower is not enough among ten.
func TestManyPairsAreCorrectedFor(t *testing.T) {
	for n, want := range map[int]Verdict{1: Slower, 10: Same} {
		r := pairs(n)
		r.judge(0.01)
		for _, p := range r.Pairs {
			if p.Verdict != want {
				t.Errorf("one of %d is %s (p = %.3f), want %s", n, p.Verdict, p.P, want)
			}
		}
	}
}
