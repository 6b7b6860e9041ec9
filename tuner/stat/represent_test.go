package stat

import (
	"testing"

	"spmvtune/kernels"
)

func shape(block, grid int) kernels.Config {
	return kernels.Config{Kernel: "k", Block: block, Grid: grid}
}

// A time is averaged with those of the next shapes in each direction, as far as there are any.
func TestRobust(t *testing.T) {
	g := Grid{
		shape(128, 8): 1,
		shape(32, 8):  100, shape(64, 8): 2, shape(256, 8): 3, shape(512, 8): 100,
		shape(128, 2): 100, shape(128, 4): 4, shape(128, 16): 5, shape(128, 32): 100,
		shape(1024, 2): 6, shape(1024, 1): 7, shape(1024, 3): 8,
		shape(64, 4): 100, shape(256, 16): 100,
	}
	for _, tt := range []struct {
		at   kernels.Config
		want float64
	}{
		{shape(128, 8), (1 + 2 + 3 + 4 + 5) / 5.0},
		{shape(32, 8), (100 + 2) / 2.0},
		{shape(128, 32), (100 + 5) / 2.0},
		{shape(64, 4), (100 + 4 + 2) / 3.0},
		{shape(256, 16), (100 + 5 + 3) / 3.0},
		{shape(1024, 2), (6 + 7 + 8 + 100) / 4.0}, // grids next to each other
	} {
		if got := g.Robust(tt.at); !near(got, tt.want, 1e-12) {
			t.Errorf("%+v: %v, want %v", tt.at, got, tt.want)
		}
	}
}

// The same one of those that are as good is named, whatever the order and whoever is the
// fastest by less than half of the effect.
func TestRepresent(t *testing.T) {
	named := func(name string) kernels.Config { return kernels.Config{Kernel: name, Block: 64, Grid: 8} }
	params := func(text string) kernels.Config {
		return kernels.Config{Kernel: "k", Block: 64, Grid: 8, Params: kernels.Params(text)}
	}
	for _, tt := range []struct {
		why          string
		first, other kernels.Config
	}{
		{"nearer to 256, from below", shape(128, 8), shape(64, 8)},
		{"nearer to 256, from above", shape(512, 8), shape(64, 8)},
		{"as near, smaller", shape(128, 8), shape(512, 4)},
		{"without a block", shape(0, 8), shape(128, 8)},
		{"without a block, though 256 is as near", shape(0, 8), shape(256, 8)},
		{"256 itself", shape(256, 8), shape(255, 8)},
		{"smaller grid", shape(64, 4), shape(64, 8)},
		{"block before grid", shape(128, 8), shape(64, 4)},
		{"alphabet", named("a"), named("b")},
		{"grid before alphabet", kernels.Config{Kernel: "b", Block: 64, Grid: 4}, named("a")},
		{"alphabet of parameters", params("x=1"), params("x=2")},
	} {
		pair := []kernels.Config{tt.first, tt.other}
		if got := Represent(pair, []float64{1.009, 1}, 0.02); got != 0 {
			t.Errorf("%s: not named where it is slower by 0.9%%", tt.why)
		}
		if got := Represent(pair, []float64{1.011, 1}, 0.02); got != 1 {
			t.Errorf("%s: named where it is slower by 1.1%%", tt.why)
		}
		if got := Represent([]kernels.Config{tt.other, tt.first}, []float64{1, 1}, 0.02); got != 1 {
			t.Errorf("%s: not named where it comes last", tt.why)
		}
	}
}
