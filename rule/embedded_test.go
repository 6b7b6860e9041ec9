package rule

import (
	"maps"
	"slices"
	"testing"

	"spmvtune/tuner/search"
)

// The rule for a device is that of its model, or else the newest one.
func TestNameFor(t *testing.T) {
	for device, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "h100", "NVIDIA H100-SXM": "h100", "h100": "h100", "NVIDIA H200": "h200",
		"NVIDIA A30": "h200", "NVIDIA XH1000": "h200", "": "h200",
	} {
		if got := NameFor(device); got != want {
			t.Errorf("%q: %s, want %s", device, got, want)
		}
	}
}

// Sweep files may name each of the rules.
func TestEmbeddedNamesOfSweeps(t *testing.T) {
	if names := slices.Sorted(maps.Keys(embedded)); !slices.Equal(names, search.Rules) {
		t.Errorf("the program has %v, sweeps know %v", names, search.Rules)
	}
}
