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

// What run measures without the GPU is what is left of the other trials.
func TestPlanCountsWhatIsLeftWithoutGPU(t *testing.T) {
	p := planned{Trials: 10, Finished: 5, Absent: 6, absentFinished: 2}
	if got := p.sum(); !strings.HasSuffix(got, "\n6 of them are for the GPU, which is not here: here, run leaves them out "+
		"and measures 1") {
		t.Errorf("%q", got)
	}
	p = planned{Trials: 5, Absent: 1}
	if got := p.sum(); !strings.HasSuffix(got, "\n1 of them is for the GPU, which is not here: here, run leaves it out "+
		"and measures 4") {
		t.Errorf("%q", got)
	}
	p.Finished, p.absentFinished = 5, 1
	if got := p.sum(); got != "5 trials, all measured already" {
		t.Errorf("%q", got)
	}
}
