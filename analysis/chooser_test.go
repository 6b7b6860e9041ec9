package analysis

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/sparse/generate"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// Without a rule of its own a sweep goes by the one for the device, with its ensemble, if it has one; with the
// name of one by that, wherever it runs.
func TestChooserFollowsTheDevice(t *testing.T) {
	a, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 700, "ny": 700})
	if err != nil {
		t.Fatal(err)
	}
	m := trial.Matrix{Name: "grid", Features: sparse.Analyze(a)}
	for _, tt := range []struct{ named, device, rule string }{
		{"", "NVIDIA H100 80GB HBM3", "h100"}, {"", "NVIDIA H200", "h200"}, {"", "NVIDIA A30", "h200"},
		{"h100", "NVIDIA H200", "h100"}, {"h200", "NVIDIA H100 80GB HBM3", "h200"},
	} {
		r, _, err := rule.Open(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ask(r, rule.Key{Precision: kernels.Float32}, kernels.Device{}, &m.Features)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewChooser(t.Context(), &configs.Sweep{Search: configs.Search{Strategy: search.Rule, Rule: tt.named}})
		if err != nil {
			t.Fatal(err)
		}
		var among []kernels.Config
		for _, name := range search.Rules {
			other, _, err := rule.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			choice, err := ask(other, rule.Key{Precision: kernels.Float32}, kernels.Device{}, &m.Features)
			if err != nil {
				t.Fatal(err)
			}
			among = append(among, choice.Config)
		}
		got, err := c.choose(kernels.Device{Name: tt.device}, m, trial.Warm, among)
		if err != nil || got[0] != want.Config {
			t.Errorf("rule %q on %s: %v (%v), want %v", tt.named, tt.device, got, err, want.Config)
		}
	}
}

// A few choices are told one by one, in their order; of many those that lose most, after
// what all come to.
func TestFarthest(t *testing.T) {
	var far []distance
	for i := range mostChoices {
		far = append(far, distance{fmt.Sprintf("choice %d", i), 1})
	}
	if notes := farthest(far); len(notes) != mostChoices || notes[0].Error() != "choice 0" {
		t.Errorf("%q", notes)
	}
	far = append(far, distance{"bad", 0.25}, distance{"worst", 0.0625}, distance{"good", 1}, distance{"good", 1})
	notes := farthest(far)
	if len(notes) != mostChoices+1 || notes[1].Error() != "worst" || notes[2].Error() != "bad" ||
		notes[3].Error() != "choice 0" {
		t.Fatalf("%q", notes)
	}
	// 2^-6 over sixteen choices.
	if want := "16 choices reach 77.1%"; !strings.Contains(notes[0].Error(), want) {
		t.Errorf("%q does not say %q", notes[0], want)
	}
	if farthest(nil) != nil {
		t.Error("something is said of no choice")
	}
}
