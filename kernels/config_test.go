package kernels

import (
	"encoding/json"
	"testing"
)

// Settings are in canonical form whatever order they come in, and read back as they were.
func TestParamsReadBack(t *testing.T) {
	want := Params("long_row=warp tile=1024")
	if p := Params("").With("tile", "1024").With("long_row", "warp"); p != want {
		t.Errorf("settings became %q", p)
	}
	for _, p := range []Params{"", "unroll=4", want} {
		data, err := json.Marshal(p)
		var got Params
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil || got != p {
			t.Errorf("%q was read from %s as %q (%v)", p, data, got, err)
		}
	}
	if err := new(Params).UnmarshalJSON([]byte(`{"unroll": "4 tile=8"}`)); err == nil {
		t.Error("a value that holds another setting was accepted")
	}
}
