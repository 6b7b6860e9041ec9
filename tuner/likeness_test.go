package tuner

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/matrix"
)

// What a twin's source says is what its section said.
func TestLikeness(t *testing.T) {
	spec := func(generator string, args map[string]any) configs.Matrix {
		return configs.Matrix{Name: "m", SuiteSparse: "MAWI/mawi_201512020330", Generate: generator, Args: args}.AsTwin()
	}
	for _, tt := range []struct {
		spec configs.Matrix
		want Likeness
		twin bool
	}{
		{spec("twin", map[string]any{"of": "mawi_201512020330", "scale": 0.1}), Likeness{"mawi_201512020330", 0.1}, true},
		{spec("twin", map[string]any{"of": "mawi_201512020330"}), Likeness{"mawi_201512020330", 1}, true},
		{spec("grid_5pt", map[string]any{"nx": 3, "ny": 4}), Likeness{"mawi_201512020330", 1}, true},
		{configs.Matrix{Generate: "twin", Args: map[string]any{"of": "model7", "scale": 2}}, Likeness{"model7", 2}, true},
		{configs.Matrix{Generate: "grid_5pt", Args: map[string]any{"nx": 3, "ny": 4}}, Likeness{"", 1}, false},
		{configs.Matrix{SuiteSparse: "HB/1138_bus", Path: "/a/1138_bus.tar.gz"}, Likeness{"", 1}, false},
		{configs.Matrix{Path: "/a/twin of x.mtx"}, Likeness{"", 1}, false},
	} {
		source := matrix.Named(tt.spec).Source
		if got, twin := LikenessOf(source); twin != tt.twin || twin && got != tt.want {
			t.Errorf("%q: %+v, %v", source, got, twin)
		}
	}
}
