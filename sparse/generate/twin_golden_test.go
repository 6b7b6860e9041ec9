package generate

import "testing"

// TestTwinsStay pins the bytes of every twin as they were before there were two forms of some:
// what was measured of them stays comparable.
func TestTwinsStay(t *testing.T) {
	pinned := []struct {
		name  string
		scale float64
		want  string
	}{
		{"F1", 0.01, "21c4cb1dde3a559d"},
		{"Freescale1", 0.01, "ef38c5b1dc3f42e6"},
		{"Ga41As41H72", 0.01, "5599f1f1d0950f6e"},
		{"Hamrle3", 0.01, "e1de14b77601c9b9"},
		{"Si41Ge41H72", 0.01, "35eb1d8443601c0e"},
		{"Stanford_Berkeley", 0.01, "b9d8208285ccfc26"},
		{"cage14", 0.01, "b4b5fb0827fd3c22"},
		{"cant", 0.01, "bbe320b270b82a6d"},
		{"circuit5M_dc", 0.01, "b8da551a037780ca"},
		{"consph", 0.01, "504d9a7d0dc8ff30"},
		{"crankseg_1", 0.01, "37d9f7718fb329d0"},
		{"delaunay_n23", 0.001, "3629013f82dd0a56"},
		{"ecology1", 0.001, "fc3907fbedbb8fc3"},
		{"europe_osm", 0.001, "d51e31ac5faa4ae6"},
		{"hugetrace-00000", 0.001, "545ae0ba4b7e20cd"},
		{"inline_1", 0.001, "8a5c361e48b0adb0"},
		{"lp_ganges", 1, "78c9f10e7b2ff629"},
		{"mac_econ_fwd500", 0.01, "d681c25139580444"},
		{"mawi_201512012345", 0.001, "0923b21f84d9c9bd"},
		{"mawi_201512020330", 0.001, "7a91a1abe5ef1e83"},
		{"mc2depi", 0.001, "262ab04ae92c9bd3"},
		{"model7", 1, "f09ad7b97524998f"},
		{"mouse_gene", 0.01, "9e0a4d1c0ce32183"},
		{"mycielskian16", 0.001, "d496ef5c9b995a88"},
		{"pdb1HYS", 0.01, "ea4833653ba27df4"},
		{"pwtk", 0.01, "f5817a2963e06196"},
		{"rail4284", 0.01, "99f40cec5be80c57"},
		{"sx-stackoverflow", 0.001, "4edaaa105b67cde5"},
		{"torso2", 0.01, "b537495f5f42830e"},
		{"webbase-1M", 0.01, "33b8399e8f48b994"},
	}
	if len(pinned) != len(twins) {
		t.Errorf("%d of %d twins are pinned", len(pinned), len(twins))
	}

	for _, c := range pinned {
		args := map[string]any{"of": c.name, "scale": c.scale}
		if twinNamed(t, c.name).local != nil {
			args["locality"] = "scattered"
		}
		if got := digest(build(t, "twin", args)); got != c.want {
			t.Errorf("%s has digest %s, not %s", Spec("twin", args), got, c.want)
		}
	}
}
