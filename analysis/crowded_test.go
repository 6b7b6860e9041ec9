package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A report says which sweep had a busy processor, on which matrices, how busy, and what helps.
func TestCrowded(t *testing.T) {
	row := func(matrix string, others float64) store.Row {
		r := synthetic.Timed(matrix, "cpu_csr", "", 64, 1)
		r.Sweep, r.Host = "mine", trial.HostUse{Cores: 4, Others: others, Own: 1, Load: 7.25}
		return r
	}
	d := analysis.New([]store.Row{row("free", 0), row("busy", 3), row("busy", 1), row("half", 1)}, nil, nil, nil)
	text := fmt.Sprint(d.Crowded())
	for _, want := range []string{"while mine measured 2 of 3 matrices", "(busy, half)",
		"on busy: other processes took 50% of its cores (load 7.2)", "--exclusive"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in %q", want, text)
		}
	}

	if free := analysis.New([]store.Row{row("free", 0)}, nil, nil, nil).Crowded(); len(free) > 0 {
		t.Errorf("of a free processor: %v", free)
	}
}
