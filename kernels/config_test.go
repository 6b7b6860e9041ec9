package kernels

import "testing"

func TestParamsReadBack(t *testing.T) {
	for _, p := range []Params{nil, {"unroll": "4"}, {"tile": "1024", "long_row": "warp"}} {
		got, err := ParseParams(p.String())
		if err != nil || got.String() != p.String() {
			t.Errorf("%q was read as %q (%v)", p, got, err)
		}
	}
	if _, err := ParseParams("unroll"); err == nil {
		t.Error("parameters without a value were accepted")
	}
}
