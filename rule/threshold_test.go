package rule

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestThresholds(t *testing.T) {
	for _, tt := range []struct{ low, high, want float64 }{
		{2.1, 9, 4},
		{4.98, 5.02, 5},
		{5, 5.2, 5.1},
		{8.4, 9.1, 8.7},
		{1000, 1_000_000, 30_000},
		{0, 1, 0.5},
		{1, 2, 1.4},
		{4_996_000, 4_996_001, 4_996_000.5},
		{0.3, math.Nextafter(0.3, 1), 0.3},
	} {
		if got := threshold(tt.low, tt.high); got != tt.want {
			t.Errorf("between %v and %v: %v, want %v", tt.low, tt.high, got, tt.want)
		}
	}
}

// A readable threshold must part the same matrices as any other in the gap.
func TestThresholdsKeepThePartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	long := 0
	for range 20_000 {
		low := math.Exp(20*rng.Float64() - 3)
		high := low * (1 + math.Exp(-12*rng.Float64()))
		if rng.IntN(10) == 0 {
			low = 0
		}

		if rng.IntN(10) == 0 {
			high = math.Nextafter(low, math.Inf(1))
		}
		got := threshold(low, high)
		if !(low <= got && got < high) {
			t.Fatalf("between %v and %v: %v", low, high, got)
		}

		if high/low > 1.1 && len(strconv.FormatFloat(got, 'e', -1, 64)) > len("1.23e+00") {
			long++
		}
	}

	if long > 0 {
		t.Errorf("%d thresholds in gaps of 10%% or more need more than 3 digits", long)
	}
}
