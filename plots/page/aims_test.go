package page

import (
	"strings"
	"testing"

	"spmvtune/internal/base/term"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/tuner/trial"
)

func TestReachedTargetIsNoWarning(t *testing.T) {
	// Trials that more samples would not have helped count for nothing.
	d := synthetic.Coarse(map[trial.Stop]int{trial.StopBudget: 3, trial.StopTarget: 5, trial.StopSlow: 90,
		trial.StopClock: 20})
	if w := d.Missed(); len(w) > 0 {
		t.Errorf("5 of 8 reached it, warnings %v", w)
	}
	if f := aimFacts(d); f[0].Value != "5 of 8" || f[0].Bad {
		t.Errorf("facts %+v", f)
	}
	d = synthetic.Coarse(map[trial.Stop]int{trial.StopBudget: 3})
	for i := range d.Precisions {
		d.Precisions[i].HalfWidth = 0.01
	}
	if w := d.Missed(); len(w) > 0 {
		t.Errorf("all are narrower than the target, warnings %v", w)
	}
	d.Sweeps = nil // the target is not known
	if f := aimFacts(d); len(f) != 2 || strings.Contains(f[0].Name, "NaN") ||
		strings.Contains(f[0].Name, term.Missing) {
		t.Errorf("facts %+v", f)
	}
}
