package canvas

import (
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	names := func(s Scale) string {
		var list []string
		for _, k := range s.Ticks {
			if k.Value < s.Min || k.Value > s.Max {
				t.Errorf("tick %v outside of %v to %v", k.Value, s.Min, s.Max)
			}
			if k.Label != "" {
				list = append(list, k.Label)
			}
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{"zero to 33", names(FromZero(33, 4)), "0 10 20 30"},
		{"zero to 0.7", names(FromZero(0.7, 4)), "0.0 0.2 0.4 0.6"},
		{"zero to 3000", names(FromZero(3000, 4)), "0 1000 2000 3000"},
		{"no data", names(FromZero(0, 4)), "0.0 0.5 1.0"},
		{"two workers", names(Sizes([]int{2, 1, 2}, 6)), "1 2"},
		{"one size", names(Sizes([]int{256}, 6)), "256"},
		{"powers of two", names(Sizes([]int{32, 64, 128, 256, 512, 1024}, 6)), "32 64 128 256 512 1024"},
		{"thinned", names(Sizes([]int{1, 4096}, 5)), "1 8 64 512 4096"},
		{"far", names(Sizes([]int{64, 65536}, 6)), "64 256 1Ki 4Ki 16Ki 64Ki"},
		{"every warp", names(Sizes([]int{32, 64, 96, 128, 160, 192, 224, 256, 1024}, 5)), "32 128 512"},
		{"ratios", names(Ratios(0.5, 9)), "0.5× 1× 2× 5×"},
		{"close ratios", names(Ratios(0.95, 1.3)), "1× 1.25×"},
		{"a decade and more", names(LogBetween(0.3, 30, 6)), "0.5 1 2 5 10 20"},
		{"many decades", names(LogBetween(0.05, 5e4, 6)), "0.1 1 10 100 1000 10000"},
		{"within a decade", names(LogBetween(0.12, 0.26, 6)), "0.15 0.20 0.25"},
		{"far ratios", names(Ratios(0.01, 900)), "0.01× 0.1× 1× 10× 100× 1000×"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// An axis over no sizes, as of imported times that have no bytes, is an axis without ticks.
func TestSizesOfNothing(t *testing.T) {
	if s := Sizes(nil, 5); len(s.Ticks) > 0 || !(s.Max > s.Min) {
		t.Errorf("%+v", s)
	}
}
