package analysis

import (
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
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
	a := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 700, "ny": 700}))
	m := trial.Matrix{Name: "grid", Features: sparse.Analyze(a)}
	for _, tt := range []struct{ named, device, rule string }{
		{"", "NVIDIA H100 80GB HBM3", "h100"}, {"", "NVIDIA H200", "h200"}, {"", "NVIDIA A30", "h200"},
		{"h100", "NVIDIA H200", "h100"}, {"h200", "NVIDIA H100 80GB HBM3", "h200"},
	} {
		r, _, err := rule.Open(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		want := testkit.Must(ask(r, rule.Key{Precision: kernels.Float32}, kernels.Device{}, &m.Features))
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
			choice := testkit.Must(ask(other, rule.Key{Precision: kernels.Float32}, kernels.Device{}, &m.Features))
			among = append(among, choice.Config)
		}
		got, err := c.choose(kernels.Device{Name: tt.device}, m, trial.Warm, among)
		if err != nil || got[0] != want.Config {
			t.Errorf("rule %q on %s: %v (%v), want %v", tt.named, tt.device, got, err, want.Config)
		}
	}
}

// How far choices are from the best is judged where more than they was measured.
func TestChoicesAreJudged(t *testing.T) {
	a := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 70, "ny": 70}))
	features := sparse.Analyze(a)
	c, err := NewChooser(t.Context(), &configs.Sweep{Search: configs.Search{Strategy: search.Rule, Rule: "h200", Top: 1}})
	if err != nil {
		t.Fatal(err)
	}
	named := testkit.Must(ask(c.named.rule, rule.Key{Precision: kernels.Float32}, kernels.Device{}, &features))
	another := named.Config
	another.Kernel = "mine"
	seen := func(matrix string, of kernels.Config, ms float64) rule.Observation {
		return rule.Observation{Device: "d", Matrix: matrix, Cache: trial.Warm, Config: of, Features: &features, Seconds: ms / 1e3}
	}
	alone := seen("alone", named.Config, 1)
	if note := c.judge([]rule.Observation{alone}); note != nil {
		t.Errorf("of the choice alone it says %v", note)
	}
	note := c.judge([]rule.Observation{alone, seen("a", named.Config, 4), seen("a", another, 1), seen("b", named.Config, 1),
		seen("b", another, 2)})
	if note == nil || !strings.Contains(note.Error(), "first choice reaches 50.0% of") ||
		!strings.Contains(note.Error(), "(geometric means of 2); at worst 25.0%, on a float32 warm") {
		t.Errorf("it says %v", note)
	}
}

// What the rule expects is asked for each configuration of a sweep. Of one that only resembles those of the rule it is
// less sure, of a kernel that the rule does not know it expects nothing, and of a processor nothing at all.
func TestExpectationsOfASweep(t *testing.T) {
	a, err := generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 700, "ny": 700})
	if err != nil {
		t.Fatal(err)
	}
	m := trial.Matrix{Name: "grid", Features: sparse.Analyze(a)}
	c, err := NewChooser(t.Context(), &configs.Sweep{Search: configs.Search{Strategy: search.Tune}})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := rule.Open("h200")
	if err != nil {
		t.Fatal(err)
	}
	known, err := r.Expect(rule.Key{Precision: kernels.Float32}, m.Features, rule.Hardware{})
	if err != nil {
		t.Fatal(err)
	}
	similar, unknown := known[0].Config, known[0].Config
	similar.Grid, unknown.Kernel = similar.Grid+1, "mine"
	h200 := kernels.Device{Name: "NVIDIA H200", Backend: "cuda"}
	got := c.expect(h200, m, trial.Warm, []kernels.Config{known[0].Config, similar, unknown})
	if len(got) != 3 || !(got[0].Seconds > 0) || got[1].Seconds != got[0].Seconds || got[1].Spread <= got[0].Spread ||
		got[2].Seconds != 0 {
		t.Errorf("it expects %+v", got)
	}
}
