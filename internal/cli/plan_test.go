package cli

import (
	"strings"
	"testing"
)

// A sweep is not called measured while repeat runs are missing.
func TestPlanSaysWhichRepeatRunsAreMissing(t *testing.T) {
	p := planned{Trials: 4, Finished: 4}
	if got := p.sum(); got != "4 trials, all measured already" {
		t.Errorf("with nothing missing: %q", got)
	}
	for n, want := range map[int]string{1: "at least 1 repeat run is missing", 3: "at least 3 repeat runs are missing"} {
		p.Repeats = n
		if got := p.sum(); !strings.Contains(got, want) {
			t.Errorf("with %d missing: %q", n, got)
		}
	}
}
