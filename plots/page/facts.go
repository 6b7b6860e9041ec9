// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A fact is a number with what it is of, as "3 wrong".
type fact struct {
	Value, Name string
	Bad         bool
}

// facts says how far the report is to be trusted.
func facts(d *analysis.Data) (list []fact) {
	states := map[trial.Status]int{}
	for i := range d.Rows {
		states[d.Rows[i].Status]++
	}
	for _, s := range slices.Sorted(maps.Keys(states)) {
		if s != trial.OK {
			list = append(list, fact{Value: term.Grouped(states[s]), Name: string(s), Bad: true})
		}
	}
	if len(d.Drifts) > 0 {
		worst, factor := analysis.LargestDrift(d.Drifts)
		list = append(list, fact{Value: term.Change(factor), Name: "largest drift, " + analysis.Counting(worst, factor),
			Bad: worst.Significant})
	}
	if r := d.Resolution(); r.Usual > 0 {
		list = append(list, fact{Value: r.Limit(), Name: "difference from which a configuration is called faster" + r.Caveat(),
			Bad: !r.Repeated})
	}
	return append(list, aimFacts(d)...)
}

// measured says when the trials were measured, and with how many samples, "" if none was.
func measured(d *analysis.Data) string {
	if len(d.Rows) == 0 {
		return ""
	}
	var at []time.Time
	var taken []int
	for i := range d.Rows {
		at = append(at, d.Rows[i].At)
		if d.Rows[i].Status == trial.OK {
			taken = append(taken, d.Rows[i].Taken)
		}
	}
	text := fmt.Sprintf("Measured from %s to %s", moment(slices.MinFunc(at, time.Time.Compare)),
		moment(slices.MaxFunc(at, time.Time.Compare)))
	if len(taken) > 0 {
		text += fmt.Sprintf(", with %d to %d samples a trial", slices.Min(taken), slices.Max(taken))
	}
	return text + "."
}

// moment prints a time to the minute.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// aimFacts says how precise the trials are, of each sweep.
func aimFacts(d *analysis.Data) (list []fact) {
	for _, a := range d.Aims() {
		target := "their target"
		if !math.IsNaN(a.Target) {
			target = "the target of " + term.ShortPercent(a.Target)
		}
		list = append(list, fact{Value: term.Grouped(a.Reached()) + " of " + term.Grouped(a.Wanted()),
			Name: "trials of " + a.Sweep + " reached " + target + "; their intervals are ±\u202f" + term.Difference(a.Half) +
				" in the median", Bad: 2*a.Reached() < a.Wanted()})
	}
	return list
}

// described returns the sweeps. Their protocols say how many runs repeated a trial, and those of one name are told apart.
func described(d *analysis.Data) []store.Sweep {
	list := slices.Clone(d.Sweeps)
	for i, s := range d.Sweeps {
		list[i].ProtocolText += "; " + term.Count(s.LeaderReruns+s.NoiseReruns, "repeat run", "repeat runs")
		if slices.ContainsFunc(d.Sweeps, func(o store.Sweep) bool { return o.Name == s.Name && o.Hash != s.Hash }) {
			list[i].Name += fmt.Sprintf(" of %s (digest %.8s)", moment(s.Started), s.Hash)
		}
	}
	return list
}

// An htmlPart is a part of the headline.
type htmlPart struct {
	tagged
	Title     string
	Sentences []analysis.Sentence
}

func headlineOf(d *analysis.Data) (list []htmlPart) {
	for _, p := range analysis.Headline(d) {
		list = append(list, htmlPart{tagged{Cache: string(p.Cache)}, p.On, p.Sentences})
	}
	turnOn(d, list)
	return list
}

// By says what was measured where and when, and by which program.
func (c *Content) By() string {
	d := c.Report
	devices, caches, matrices := map[string]bool{}, map[string]bool{}, map[string]bool{}
	verified := map[bool]int{} // good trials, by whether their output was verified
	var last time.Time
	for i := range d.Rows {
		r := &d.Rows[i]
		devices[d.DeviceWords(r.Device)], caches[string(r.Cache)], matrices[r.Matrix] = true, true, true
		if r.Status == trial.OK {
			verified[r.Verified()]++
		}
		if r.At.After(last) {
			last = r.At
		}
	}
	var parts []string
	if len(d.Rows) > 0 {
		parts = append(slices.Sorted(maps.Keys(devices)), strings.Join(slices.Sorted(maps.Keys(caches)), " and ")+" cache",
			term.Matrices(len(matrices)), term.Count(len(analysis.KernelsOf(d.Panels)), "kernel", "kernels"),
			term.Count(verified[true], "verified trial", "verified trials"))
		if verified[false] > 0 {
			parts = append(parts, term.Count(verified[false], "trial that is not", "trials that are not"))
		}
		parts = append(parts, last.UTC().Format(time.DateOnly))
	}
	return strings.Join(append(parts, strings.TrimSpace("spmvtune "+c.Version)), " · ")
}
