package rule

import (
	"strings"
	"testing"

	"spmvtune/kernels"
)

// A key may leave out what a rule has only one of. Who asks for what is not there reads what is.
func TestFind(t *testing.T) {
	r := &Rule{Selectors: []Selector{
		{Device: "x", Precision: kernels.Float32, Cache: "warm"},
		{Device: "x", Precision: kernels.Float32, Cache: "cold"},
		{Device: "y", Precision: kernels.Float32, Cache: "cold"},
		{Device: "y", Precision: kernels.Float64, Cache: "cold"},
	}}
	for _, tt := range []struct {
		key   Key
		place int // of the selector, or the error
		err   string
	}{
		{key: Key{"x", kernels.Float32, "cold"}, place: 1},
		{key: Key{"y", kernels.Float32, ""}, place: 2},
		{key: Key{"", kernels.Float64, ""}, place: 3},
		{key: Key{"", kernels.Float32, "warm"}, place: 0},
		{key: Key{"x", kernels.Float32, ""},
			err: "x, float32 is ambiguous; available: x, float32, warm cache; x, float32, cold cache"},
		{key: Key{"", kernels.Float64, "warm"}, err: "the rule has nothing for any device, float64, warm cache; available: " +
			"x, float32, warm cache; x, float32, cold cache; y, float32, cold cache; y, float64, cold cache"},
		{key: Key{"y", "", ""}, err: "the rule has nothing for y, no precision; available: "},
	} {
		s, err := r.Find(tt.key)
		switch {
		case tt.err == "" && (err != nil || s != &r.Selectors[tt.place]):
			t.Errorf("%+v: found %+v, %v; want number %d", tt.key, s, err, tt.place)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: error is %v, want one with %q", tt.key, err, tt.err)
		}
	}
	if _, err := new(Rule).Find(Key{Device: "x", Precision: kernels.Float32}); err == nil ||
		!strings.HasSuffix(err.Error(), "available: nothing") {
		t.Errorf("error of an empty rule is %v", err)
	}
}
