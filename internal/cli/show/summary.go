// SPDX-License-Identifier: Apache-2.0

// Package show prints how a sweep goes: its title, a progress line, downloads, a summary and
// the winners.
package show

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// MostFailures is how many failed trials are listed, and how many reasons for invalid ones.
const MostFailures = 10

// Title prints what a sweep is called.
func Title(w io.Writer, sweep *configs.Sweep) { fmt.Fprintln(w, TitleOf(sweep.Name, sweep.Title)) }

// TitleOf says what a sweep is called.
func TitleOf(name, title string) string {
	if title == "" {
		return name
	}
	return name + ": " + title
}

// Summary says what a run did. Problems with matrices were printed before.
func Summary(w io.Writer, s tuner.Summary) {
	fmt.Fprintln(w, measuredText(s))
	if s.LeaderReruns > 0 {
		fmt.Fprintf(w, "%s of the leaders, to pick the winner\n", term.Count(s.LeaderReruns, "repeat run", "repeat runs"))
	}
	if s.NoiseReruns > 0 {
		fmt.Fprintf(w, "%s of others, to see how far another run may be off\n",
			term.Count(s.NoiseReruns, "repeat run", "repeat runs"))
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

	Failures(w, s.Failed)
	if s.FailedBefore > 0 {
		fmt.Fprintf(w, "failed in an earlier run, not tried again: %s\n", term.Trials(s.FailedBefore))
	}
	if s.OutOfTime {
		fmt.Fprintln(w, "stopped: the sweep's time budget is used up; run it again to continue")
	}
}

// figures are what the messages of trials of one cause differ in.
var figures = regexp.MustCompile(`-?[0-9][0-9.]*(e[-+]?[0-9]+)?|NaN|[-+]?Inf|0x[0-9a-f]+`)

// Failures prints failed trials, those of a kernel that failed alike in one line.
func Failures(w io.Writer, failed []trial.Result) {
	type cause struct {
		status       trial.Status
		kernel, said string
	}
	groups := lists.Groups(failed, func(r trial.Result) cause {
		return cause{r.Status, r.Kernel, figures.ReplaceAllString(r.Message, "0")}
	})
	left := len(failed)
	for i, alike := range groups {
		if i == MostFailures {
			fmt.Fprintf(w, "… and %s, all in the report\n", term.Count(left, "more failed trial", "more failed trials"))
			return
		}
		more := ""
		if n := len(alike); n > 1 {
			more = fmt.Sprintf(" (and %s like it)", term.Count(n-1, "trial", "trials"))
		}
		fmt.Fprintf(w, "%s: %s: %s%s\n", alike[0].Status, alike[0].Config, alike[0].Message, more)
		left -= len(alike)
	}
}

// measuredText says how many trials this run and earlier ones measured.
func measuredText(s tuner.Summary) string {
	measured := 0
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(s.Measured)) {
		measured += s.Measured[status]
		parts = append(parts, fmt.Sprintf("%d %s", s.Measured[status], status))
	}

	if measured == 0 && s.Finished == s.Trials && s.Trials > 0 {
		return fmt.Sprintf("all %s measured already", term.Count(s.Trials, "trial is", "trials are"))
	}

	text := term.Trials(measured) + " measured"
	if s.Finished > 0 {
		text += fmt.Sprintf(", %s measured before", term.Count(s.Finished, "was", "were"))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// Skipped says how many configurations were skipped, by reason.
func Skipped(w io.Writer, skipped map[string]int) {
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Fprintf(w, "skipped: %s (%s)\n", term.Count(skipped[reason], "configuration", "configurations"), reason)
	}
}

// Effort says where the time of a run went, and what the time of an average trial was spent on.
func Effort(w io.Writer, e worker.TimeBreakdown) {
	if e.Trials == 0 {
		return
	}
	share := func(d time.Duration) string { return fmt.Sprintf("%.3g%%", 100*d.Seconds()/e.Wall.Seconds()) }
	each := func(d time.Duration) string { return fmt.Sprintf("%.3g ms", d.Seconds()*1e3/float64(e.Trials)) }
	fmt.Fprintf(w, "the device computed for %s of %.3g s\n", share(e.Busy), e.Wall.Seconds())
	fmt.Fprintf(w, "a trial took %s: %s in kernels, %s flushing caches and launching, %s in products to verify, %s verifying, "+
		"%s preparing, %s reading sensors, %s else, %s waiting for the next, %s loading matrices, %s starting processes, "+
		"%s not accounted for (%s)\n",
		each(e.Wall), each(e.Kernels), each(e.Launch), each(e.Check), each(e.Verify), each(e.Prepare), each(e.Sense), each(e.Own),
		each(e.Wait), each(e.Load), each(e.Start), each(e.Rest()), share(e.Rest()))
}
