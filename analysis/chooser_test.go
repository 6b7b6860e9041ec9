// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
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
		testkit.Succeed(t, err)
		want := testkit.Must(r.Select(rule.Key{Precision: kernels.Float32}, m.Features, rule.Wanted{}))
		c := testkit.Must(NewChooser(t.Context(), &configs.Sweep{Search: configs.Search{Strategy: search.Rule, Rule: tt.named}}))
		var among []kernels.Config
		for _, name := range search.Rules {
			other, _, err := rule.Open(name)
			testkit.Succeed(t, err)
			choice := testkit.Must(other.Select(rule.Key{Precision: kernels.Float32}, m.Features, rule.Wanted{}))
			among = append(among, choice.Config)
		}
		got := testkit.Must(c.choose(kernels.Device{Name: tt.device}, m, trial.Warm, among))
		testkit.Equal(t, got[0], want.Config, "rule %q on %s", tt.named, tt.device)
	}
}

// What the rule expects is asked for each configuration of a sweep. Of one that only resembles those of the rule it is
// less sure, of a kernel that the rule does not know it expects nothing, and of a processor nothing at all.
func TestExpectationsOfASweep(t *testing.T) {
	a := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 700, "ny": 700}))
	m := trial.Matrix{Name: "grid", Features: sparse.Analyze(a)}
	c := testkit.Must(NewChooser(t.Context(), &configs.Sweep{Search: configs.Search{Strategy: search.Tune}}))
	r, _, err := rule.Open("h200")
	testkit.Succeed(t, err)
	known := testkit.Must(r.Expect(rule.Key{Precision: kernels.Float32}, m.Features, rule.Hardware{}))
	similar, unknown := known[0].Config, known[0].Config
	similar.Grid, unknown.Kernel = similar.Grid+1, "mine"
	h200 := kernels.Device{Name: "NVIDIA H200", Backend: "cuda"}
	got := c.expect(h200, m, trial.Warm, []kernels.Config{known[0].Config, similar, unknown})
	if len(got) != 3 || !(got[0].Seconds > 0) || got[1].Seconds != got[0].Seconds || got[1].Spread <= got[0].Spread ||
		got[2].Seconds != 0 {
		t.Errorf("it expects %+v", got)
	}
}
