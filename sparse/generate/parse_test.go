package generate

import (
	"reflect"
	"testing"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]map[string]any{
		"grid_5pt:nx=100,ny=2":                  {"nx": int64(100), "ny": int64(2)},
		"rmat( scale = 18 , edge_factor=15.5 )": {"scale": int64(18), "edge_factor": 15.5},
		"delaunay:points=1_000_000":             {"points": int64(1_000_000)},
		"delaunay:points=1e6":                   {"points": 1e6},
		"twin:of=mac_econ_fwd500,scale=0.1":     {"of": "mac_econ_fwd500", "scale": 0.1},
		"mycielskian":                           {}, "mycielskian:": {}, "mycielskian()": {},
	} {
		if _, got, err := ParseSpec(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}

	for _, text := range []string{"", ":nx=1", "(nx=1)", "g(nx=1", "g:nx", "g:nx=1,", "g:=1", "g:nx=ten",
		"g:nx=1,nx=2"} {
		if name, got, err := ParseSpec(text); err == nil {
			t.Errorf("%q is %s %v", text, name, got)
		}
	}
}

// What Spec writes is read back as the same matrix.
func FuzzParseSpec(f *testing.F) {
	f.Add("rmat(scale=5, seed=3)")
	f.Add("grid_5pt:nx=10,ny=1e1")
	f.Add("twin:of=webbase-1M,scale=0.5")
	f.Add("road:rows=5,degree=2.25")
	f.Fuzz(func(t *testing.T, text string) {
		name, args, err := ParseSpec(text)
		if err != nil || Check(name, args) != nil {
			return
		}
		spec := Spec(name, args)
		again, parsed, err := ParseSpec(spec)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}

		if s := Spec(again, parsed); s != spec {
			t.Errorf("%s is read as %s", spec, s)
		}
	})
}
