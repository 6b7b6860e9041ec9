package trial

import "testing"

func TestLegacyTwin(t *testing.T) {
	for _, tt := range []struct {
		source, of string
		scale      float64
	}{
		{"twin of MAWI/mawi_201512020330: twin(of=mawi_201512020330, scale=0.1, seed=1)", "mawi_201512020330", 0.1},
		{"twin of MAWI/mawi_201512020330: twin(of=mawi_201512020330)", "mawi_201512020330", 1},
		{"twin of MAWI/mawi_201512020330: grid_5pt(nx=3, ny=4)", "mawi_201512020330", 1},
		{"twin(of=model7, scale=2)", "model7", 2},
		{"twin(of=model7, seed=1)", "model7", 1},
		{"grid_5pt(nx=3, ny=4)", "", 0},
		{"SuiteSparse HB/1138_bus", "", 0},
		{"/a/twin of x.mtx", "", 0},
		{"", "", 0},
	} {
		if of, scale := LegacyTwin(tt.source); of != tt.of || scale != tt.scale {
			t.Errorf("%q: %q %g, want %q %g", tt.source, of, scale, tt.of, tt.scale)
		}
	}
}
