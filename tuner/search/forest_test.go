package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A forest that has seen a third of a landscape orders the rest, and is surer where it
// has looked than where it has not.
func TestForest(t *testing.T) {
	space, times := landscape()
	rng := rand.New(rand.NewPCG(1, 1))
	var seen, unseen []int
	var values []float64
	for _, i := range rng.Perm(len(times)) {
		switch {
		case space.Configs[i].Kernel == "b":
		case rng.IntN(3) == 0:
			seen, values = append(seen, i), append(values, math.Log(times[i]))
		default:
			unseen = append(unseen, i)
		}
	}
	g := grower{space: space, rng: rng}
	f := g.grow(seen, values)
	var wrong, scatter, mean float64
	for _, i := range unseen {
		mean += math.Log(times[i]) / float64(len(unseen))
	}
	for _, i := range unseen {
		m, v := f.predict(space, i)
		if !(v >= 0) {
			t.Fatalf("variance %g", v)
		}
		wrong += (m - math.Log(times[i])) * (m - math.Log(times[i]))
		scatter += (mean - math.Log(times[i])) * (mean - math.Log(times[i]))
	}
	if wrong > 0.05*scatter {
		t.Errorf("the forest leaves %.2g of the variance unexplained", wrong/scatter)
	}
}

// The expected improvement is that of sampling.
func TestImprovement(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]float64{{0, 1}, {0.5, 0.3}, {-0.2, 0.1}, {0.1, 0}} {
		sum, n := 0.0, 200_000
		for range n {
			sum += max(0, -(c[0] + c[1]*rng.NormFloat64()))
		}
		if got, want := improvement(0, c[0], c[1]), sum/float64(n); math.Abs(got-want) > 0.005 {
			t.Errorf("mean %g, sigma %g: %g, sampled %g", c[0], c[1], got, want)
		}
	}
}

func BenchmarkModel(b *testing.B) {
	space, times := landscape()
	for b.Loop() {
		s, _ := New("model", space, 1)
		for step, more := s.Ask(); more; step, more = s.Ask() {
			s.Tell(Finding{Step: step, OK: true, Median: times[step.Config], Samples: []float64{times[step.Config]}})
		}
	}
}
