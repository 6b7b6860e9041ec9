package plots

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/tuner/trial"
)

func TestMissedTargetIsSaid(t *testing.T) {
	d := synthetic.Coarse(map[trial.Stop]int{trial.StopBudget: 400, trial.StopSamples: 30, trial.StopTarget: 18})
	content, w := written(t, d, Options{Figures: []string{"speedup-over-baseline"}})
	const want = "430 of 448 trials did not reach the target of 2%: the median half-width of their 95% intervals within " +
		"the run is 5.1%"
	if len(w.Warnings) == 0 || !strings.HasPrefix(w.Warnings[0].Error(), want) ||
		!strings.Contains(w.Warnings[0].Error(), "trial_budget") {
		t.Errorf("warnings %v, want %q and what to raise", w.Warnings, want)
	}
	for name, texts := range map[string][]string{
		"report.html": {want, `<b>18 of 448</b> trials reached the target of 2%`, "5.1%</b> median half-width",
			"%</b> difference from which a configuration is called faster", `id="preparation-1"`},
		"tables/summary.md": {want, "## Precision", "reached the target"},
	} {
		for _, text := range texts {
			if !strings.Contains(string(content[name]), text) {
				t.Errorf("%s lacks %q", name, text)
			}
		}
	}
}
