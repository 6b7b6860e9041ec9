package kernels

import "testing"

func TestParamsReadBack(t *testing.T) {
	for _, p := range []Params{"", "unroll=4", "long_row=warp tile=1024"} {
		got, err := ParseParams(p.String())
		if err != nil || got.String() != p.String() {
			t.Errorf("%q was read as %q (%v)", p, got, err)
		}
	}
	if _, err := ParseParams("unroll"); err == nil {
		t.Error("parameters without a value were accepted")
	}
}
