package plots

import (
	"strings"
	"testing"
	"time"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// coarse is a database whose trials ended as given.
func coarse(stops map[trial.Stop]int) *data {
	s := processor()
	s.matrices = s.matrices[:1]
	d := s.data()
	d.sweeps = []store.Sweep{{Name: "quick", Hash: "h", Protocol: "warmup=1 samples=6..100 target=0.02 budget=40ms",
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	for _, stop := range []trial.Stop{trial.StopBudget, trial.StopSamples, trial.StopSlow, trial.StopClock, trial.StopTarget} {
		for i := range stops[stop] {
			half := 0.051
			if stop == trial.StopTarget {
				half = 0.01 + float64(i)*1e-6
			}
			d.precisions = append(d.precisions, store.Precision{Sweep: "quick", Hash: "h", Stop: stop, HalfWidth: half})
		}
	}
	return d
}

func TestMissedTargetIsSaid(t *testing.T) {
	d := coarse(map[trial.Stop]int{trial.StopBudget: 400, trial.StopSamples: 30, trial.StopTarget: 18})
	content, w := written(t, d, nil, Options{Figures: []string{"speedup-over-baseline"}})
	const want = "430 of 448 trials did not reach the target of 2%: the median half-width of their 95% intervals is 5.1%"
	if len(w.Warnings) == 0 || !strings.HasPrefix(w.Warnings[0].Error(), want) || !strings.Contains(w.Warnings[0].Error(), "trial_budget") {
		t.Errorf("warnings %v, want %q and what to raise", w.Warnings, want)
	}
	for name, texts := range map[string][]string{
		"report.html":       {want, `<b>18 of 448</b> trials reached the target of 2%`, "5.1%</b> median half-width"},
		"tables/summary.md": {want, "## Precision", "reached it"},
	} {
		for _, text := range texts {
			if !strings.Contains(string(content[name]), text) {
				t.Errorf("%s lacks %q", name, text)
			}
		}
	}
}

func TestReachedTargetIsNoWarning(t *testing.T) {
	// Trials that more samples would not have helped count for nothing.
	d := coarse(map[trial.Stop]int{trial.StopBudget: 3, trial.StopTarget: 5, trial.StopSlow: 90, trial.StopClock: 20})
	if w := d.missed(); len(w) > 0 {
		t.Errorf("5 of 8 reached it, warnings %v", w)
	}
	if f := aimFacts(d); f[0].Value != "5 of 8" || f[0].Bad {
		t.Errorf("facts %+v", f)
	}
	d.sweeps = nil // the target is not known
	if f := aimFacts(d); len(f) != 2 || strings.Contains(f[0].Name, "NaN") || strings.Contains(f[0].Name, missing) {
		t.Errorf("facts %+v", f)
	}
}
