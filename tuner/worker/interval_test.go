package worker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The ranks are those of the classical tables of the sign-test interval, e.g.
// n = 10: the 2nd and the 9th of the sorted samples (97.9%).
func TestMedianRanks(t *testing.T) {
	for _, tt := range []struct {
		n, low, high int // ranks from 1
		mid          float64
	}{
		{1, 1, 1, 1}, {2, 1, 2, 1.5}, {5, 1, 5, 3}, {6, 1, 6, 3.5}, {8, 1, 8, 4.5},
		{9, 2, 8, 5}, {10, 2, 9, 5.5}, {20, 6, 15, 10.5}, {50, 18, 33, 25.5}, {100, 40, 61, 50.5},
	} {
		sorted := make([]float64, tt.n)
		for i := range sorted {
			sorted[i] = float64(i + 1)
		}
		mid, low, high, covered := median(sorted)
		if mid != tt.mid || low != float64(tt.low) || high != float64(tt.high) {
			t.Errorf("n = %d: median %v in [%v, %v], want %v in [%d, %d]", tt.n, mid, low, high, tt.mid, tt.low, tt.high)
		}
		if (covered >= confidence) != (tt.n >= 6) {
			t.Errorf("n = %d: interval said to cover %.3f", tt.n, covered)
		}
	}
}

// Over many experiments with a known median the interval misses it in at most
// 5% of them, though the distribution is as skewed as that of times.
func TestMedianCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const experiments = 4000
	for _, n := range []int{6, 11, 40} {
		missed := 0
		for range experiments {
			s := make([]float64, n)
			for i := range s {
				s[i] = rng.ExpFloat64() // median ln 2
			}
			slices.Sort(s)
			if _, low, high, _ := median(s); 0.6931471805599453 < low || 0.6931471805599453 > high {
				missed++
			}
		}
		if limit := experiments * 58 / 1000; missed > limit {
			t.Errorf("n = %d: the interval missed the median %d times of %d, at most %d expected", n, missed, experiments, limit)
		}
	}
}

// More samples than any protocol takes still have an interval, and a narrower one.
func TestMedianOfMany(t *testing.T) {
	for n := 6; n < 3000; n++ {
		k, missed := cut(n)
		more, at := 0.0, 0.0
		if k+1 < (n+1)/2 {
			b := distuv.Binomial{N: float64(n), P: 0.5}
			more, at = 2*b.CDF(float64(k+1)), 1-confidence
		}
		if missed > 1-confidence || more < at {
			t.Fatalf("n = %d: cutting %d misses in %.3f, %d in %.3f", n, k, missed, k+1, more)
		}
	}
}

func BenchmarkMedian(b *testing.B) {
	sorted := make([]float64, 200)
	for b.Loop() {
		median(sorted)
	}
}
