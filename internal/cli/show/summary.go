package show

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/term"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// MostFailures is how many failed trials are listed, and how many reasons why
// trials are invalid.
const MostFailures = 10

// Unite adds what one part of a sweep did to what the others did.
func Unite(sum *tuner.Summary, part tuner.Summary) {
	sum.Trials += part.Trials
	sum.Finished += part.Finished
	sum.OKBefore += part.OKBefore
	sum.FailedBefore += part.FailedBefore
	sum.Measured = added(sum.Measured, part.Measured)
	sum.Invalid = added(sum.Invalid, part.Invalid)
	sum.Skipped = added(sum.Skipped, part.Skipped)
	sum.Failed = append(sum.Failed, part.Failed...)
	sum.Effort.Add(part.Effort)
	sum.Finals += part.Finals
	sum.Interrupted = sum.Interrupted || part.Interrupted
	sum.OutOfTime = sum.OutOfTime || part.OutOfTime
	// A matrix is the same for every device.
	for _, f := range part.Failures {
		if !slices.ContainsFunc(sum.Failures, func(g tuner.Failure) bool { return g.Matrix == f.Matrix }) {
			sum.Failures = append(sum.Failures, f)
		}
	}
	for _, t := range part.Duplicates {
		if !slices.Contains(sum.Duplicates, t) {
			sum.Duplicates = append(sum.Duplicates, t)
		}
	}
}

// added returns the sums of the counts of a and b.
func added[K comparable](a, b map[K]int) map[K]int {
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[K]int{}
	}
	for k, n := range b {
		sum[k] += n
	}
	return sum
}

// printSummary says what a run did. What is wrong with matrices has been said.
func Summary(w io.Writer, s tuner.Summary) {
	measured := 0
	for _, n := range s.Measured {
		measured += n
	}
	switch {
	case measured == 0 && s.Finished == s.Trials && s.Trials > 0:
		fmt.Fprintf(w, "all %s measured already\n", term.Count(s.Trials, "trial is", "trials are"))
	default:
		fmt.Fprintf(w, "%s measured", term.Trials(measured))
		if s.Finished > 0 {
			fmt.Fprintf(w, ", %s measured before", term.Count(s.Finished, "was", "were"))
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
	if s.Finals > 0 {
		fmt.Fprintf(w, "%s of the fastest, to settle which to name\n", term.Count(s.Finals, "final", "finals"))
	}
	for _, t := range s.Duplicates {
		fmt.Fprintln(w, t)
	}
	Skipped(w, s.Skipped)
	for i, reason := range slices.Sorted(maps.Keys(s.Invalid)) {
		if i == MostFailures {
			fmt.Fprintf(w, "… and %d more reasons, all in the database\n", len(s.Invalid)-i)
			break
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", trial.Invalid, term.Trials(s.Invalid[reason]), reason)
	}
	for i, r := range s.Failed {
		if i == MostFailures {
			fmt.Fprintf(w, "… and %d more failed trials, all in the report\n", len(s.Failed)-i)
			break
		}
		fmt.Fprintf(w, "%s: %s: %s\n", r.Status, r.Config, r.Message)
	}
	if s.FailedBefore > 0 {
		fmt.Fprintf(w, "failed in an earlier run and not tried again: %s\n", term.Trials(s.FailedBefore))
	}
	if s.OutOfTime {
		fmt.Fprintln(w, "stopped: the sweep's budget of time is used up; run it again to go on")
	}
}

// printSkipped says which configurations are left out, by reason.
func Skipped(w io.Writer, skipped map[string]int) {
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(w, "left out: %s (%s)\n", term.Count(skipped[reason], "configuration", "configurations"), reason)
	}
}

// printEffort says where the time of trials went, on average.
func Effort(w io.Writer, e worker.Effort) {
	if e.Trials == 0 {
		return
	}
	each := func(d time.Duration) string { return fmt.Sprintf("%.3g ms", d.Seconds()*1e3/float64(e.Trials)) }
	fmt.Fprintf(w, "a trial took %s: %s in kernels, %s flushing caches and launching, %s verifying, %s preparing, %s reading sensors, %s for the rest\n",
		each(e.Wall), each(e.Kernels), each(e.Launch), each(e.Verify), each(e.Prepare), each(e.Sense), each(e.Rest()))
}

// printTitle begins a run.
func Title(w io.Writer, sweep *configs.Sweep) {
	title := sweep.Name
	if sweep.Title != "" {
		title += ": " + sweep.Title
	}
	fmt.Fprintln(w, title)
}
