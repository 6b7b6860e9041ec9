package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"spmvtune/tuner"
)

// mostFailures is how many failed trials are listed; the report has them all.
const mostFailures = 10

// printSummary says what a run did.
func printSummary(w io.Writer, s tuner.Summary) {
	measured := 0
	for _, n := range s.Measured {
		measured += n
	}
	switch {
	case measured == 0 && s.Finished == s.Trials && s.Trials > 0:
		fmt.Fprintf(w, "all %d trials are already measured\n", s.Trials)
	default:
		fmt.Fprintf(w, "%d trials measured", measured)
		if s.Finished > 0 {
			fmt.Fprintf(w, ", %d were measured before", s.Finished)
		}
		var parts []string
		for _, status := range slices.Sorted(maps.Keys(s.Measured)) {
			parts = append(parts, fmt.Sprintf("%d %s", s.Measured[status], status))
		}
		if len(parts) > 0 {
			fmt.Fprintf(w, ": %s", strings.Join(parts, ", "))
		}
		fmt.Fprintln(w)
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		fmt.Fprintf(w, "left out: %d configurations (%s)\n", s.Skipped[reason], reason)
	}
	if s.FailedBefore > 0 {
		fmt.Fprintf(w, "failed in an earlier run and not tried again: %d trials\n", s.FailedBefore)
	}
	if s.OutOfTime {
		fmt.Fprintln(w, "stopped: the sweep's budget of time is used up; run it again to go on")
	}
	for _, f := range s.Failures {
		fmt.Fprintf(w, "matrix %s: %v\n", f.Matrix, f.Err)
	}
	for i, r := range s.Failed {
		if i == mostFailures {
			fmt.Fprintf(w, "… and %d more failed trials, all in the report\n", len(s.Failed)-i)
			break
		}
		fmt.Fprintf(w, "%s: %s: %s\n", r.Status, r.Config, r.Message)
	}
}
