package matrix

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// A twin is described by fields that say what it is a likeness of, as its section does, and
// its source says the same.
func TestTwins(t *testing.T) {
	inPlace := func(generator string, args map[string]any) configs.Matrix {
		return configs.Matrix{Name: "m", SuiteSparse: "MAWI/mawi_201512020330", Generate: generator, Args: args}.AsTwin()
	}
	for _, tt := range []struct {
		spec  configs.Matrix
		of    string
		scale float64
	}{
		{inPlace("twin", map[string]any{"of": "mawi_201512020330", "scale": 0.1}), "mawi_201512020330", 0.1},
		{inPlace("twin", map[string]any{"of": "mawi_201512020330"}), "mawi_201512020330", 1},
		{inPlace("grid_5pt", map[string]any{"nx": 3, "ny": 4}), "mawi_201512020330", 1},
		{configs.Matrix{Generate: "twin", Args: map[string]any{"of": "model7", "scale": int64(2)}}, "model7", 2},
		{configs.Matrix{Generate: "grid_5pt", Args: map[string]any{"nx": 3, "ny": 4}}, "", 0},
		{configs.Matrix{Name: "m (twin)", SuiteSparse: "HB/1138_bus", Path: "/a/1138_bus.tar.gz"}, "", 0},
		{configs.Matrix{Path: "/a/twin of x: twin(of=y).mtx"}, "", 0},
	} {
		m := Named(tt.spec)
		if m.TwinOf != tt.of || m.TwinScale != tt.scale {
			t.Errorf("%q: a twin of %q at scale %g, want %q, %g", m.Source, m.TwinOf, m.TwinScale, tt.of, tt.scale)
		}
		if of, scale := trial.LegacyTwin(m.Source); of != tt.of || scale != tt.scale {
			t.Errorf("by its source, %q is a twin of %q at scale %g", m.Source, of, scale)
		}
	}
}
