package show

import (
	"strings"
	"testing"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A busy processor is in the progress once, with figures and with what helps.
func TestCrowded(t *testing.T) {
	busy := trial.HostUse{Cores: 20, Others: 6, Stolen: 1, Switches: 900, Own: 9, Load: 7.25}
	var log strings.Builder
	c := &tuner.Crowded{HostUse: busy, Launching: true}
	New(&log, &log).Observe(tuner.Event{Crowded: c})
	text := strings.Join(strings.Fields(log.String()), " ")
	for _, want := range []string{
		"processor is busy: other processes took 30% of its cores, the hypervisor took 5% (load 7.2)", "--exclusive",
		`launch = "graph"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in %q", want, text)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("in a log, it has %d lines", n)
	}
}
