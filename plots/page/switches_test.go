package page

import (
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// bothCaches is a report in both precisions and with both states of the caches.
func bothCaches() *analysis.Data {
	var rows []store.Row
	for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		for _, c := range []trial.Cache{trial.Cold, trial.Warm} {
			r := synthetic.Timed("cold", "csr_vector", "", 64, 1)
			r.Precision, r.Cache = p, c
			rows = append(rows, r)
		}
	}
	return analysis.New(rows, nil, nil, nil)
}

// What a picture is about stands in its name; a matrix may be called as anything.
func TestPictureTags(t *testing.T) {
	d := bothCaches()
	for name, want := range map[string]tagged{
		"fig-float64-warm-overlay":   {Precision: "float64", Cache: "warm"},
		"fig-warm-cold":              {Cache: "warm"},
		"fig-float32-cold-float64":   {Precision: "float32", Cache: "cold"},
		"fig":                        {},
		"fig-float32ish":             {},
		"fig-warm-cache-nvidia-h200": {Cache: "warm"},
	} {
		if got := pictureTags(d, "fig", &canvas.Picture{Name: name}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// A group without a part for both switches goes by one of them, and never shows nothing.
func TestTurnOn(t *testing.T) {
	d := bothCaches()
	for _, tt := range []struct {
		group []tagged
		on    []bool
	}{
		{[]tagged{{Precision: "float32", Cache: "cold"}, {Precision: "float64", Cache: "cold"},
			{Precision: "float32", Cache: "warm"}}, []bool{true, false, false}},
		{[]tagged{{Cache: "cold"}, {Cache: "warm"}}, []bool{true, false}},
		{[]tagged{{Precision: "float64", Cache: "cold"}, {Precision: "float64", Cache: "warm"}}, []bool{true, false}},
		{[]tagged{{Precision: "float32", Cache: "warm"}, {Precision: "float64", Cache: "warm"}}, []bool{true, false}},
		{[]tagged{{Precision: "float64", Cache: "warm"}}, []bool{true}},
		{[]tagged{{}, {Precision: "float64"}}, []bool{true, false}},
	} {
		var group []*tagged
		for i := range tt.group {
			group = append(group, &tt.group[i])
		}
		turnOn(d, group)
		for i, want := range tt.on {
			if tt.group[i].On != want {
				t.Errorf("%+v: the %d. is shown: %v", tt.group, i+1, !want)
			}
		}
	}
}

// Without a choice there is no switch.
func TestSwitches(t *testing.T) {
	if list := switches(bothCaches()); len(list) != 2 || list[0].Values[0] != "float32" || list[1].Values[0] != "cold" {
		t.Errorf("%+v", list)
	}
	if list := switches(synthetic.Gpu(1, 32).Report()); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}
