package page

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// facts says how far the report is to be trusted.
func facts(d *analysis.Data) []fact {
	states := map[trial.Status]int{}
	for i := range d.Rows {
		states[d.Rows[i].Status]++
	}

	var list []fact
	order := make([]trial.Status, 0, len(states))
	for s := range states {
		if s != trial.OK {
			order = append(order, s)
		}
	}

	slices.Sort(order)
	for _, s := range order {
		list = append(list, fact{Value: term.Grouped(states[s]), Name: string(s), Bad: true})
	}
	if len(d.Drifts) > 0 {
		worst, factor := analysis.LargestDrift(d.Drifts)
		list = append(list, fact{Value: term.Change(factor), Name: "largest drift, " + analysis.Counting(worst, factor),
			Bad: worst.Significant})
	}

	return slices.Concat(list, tieFacts(d), aimFacts(d))
}

// tieFacts says what is not called a win.
func tieFacts(d *analysis.Data) []fact {
	r := d.Resolution()
	if !(r.Usual > 0) {
		return nil
	}
	list := []fact{{Value: r.Limit(), Name: "difference from which a configuration is called faster" + r.Caveat(), Bad: !r.Repeated}}
	tied := 0
	for i := range d.Best {
		if len(d.Tied(&d.Best[i])) > 0 {
			tied++
		}
	}

	if tied > 0 {
		list = append(list, fact{Value: term.Grouped(tied) + " of " + term.Grouped(len(d.Best)),
			Name: "places (matrix and setup) where other kernels are tied with the named one"})
	}
	return list
}

// method says how the numbers were measured.
func method(d *analysis.Data) []string {
	text := []string{
		"Every trial ran y = A·x on random x, and its whole result was checked against a reference of higher " +
			"precision before it was timed. Row i passes if it is off by at most u·(8·√nᵢ + 8)·Sᵢ: u is the unit " +
			"roundoff, nᵢ the row's nonzeros, Sᵢ the sum of the magnitudes of its products. A result outside of that " +
			"bound is listed as wrong and never wins.",
		"A time is the median of samples of the whole product, zeroing y included where the kernel needs it. Of " +
			"a trial that was repeated it is the mean of the repeat runs, without the one that made it a leader. " +
			"Its interval is the one in which another run finds the median, 95 times of 100: it includes how " +
			"much repeated trials differ. Cold: caches flushed before every sample. Warm: products back to back. " +
			"Trials ran in random order. Building a kernel's format from CSR is not part of its time.",
		"GB/s is compulsory traffic divided by time: each array of the kernel's format once, the columns of x that " +
			"occur once, y once. The roof is the highest of a read, a copy and a triad measured on the device; at " +
			"random, float64 elements are read one by one from all over memory. GFLOP/s counts two operations per " +
			"nonzero.",
	}

	var few, many int
	var first, last time.Time
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Status == trial.OK {
			if few == 0 || r.Taken < few {
				few = r.Taken
			}
			many = max(many, r.Taken)
		}
		if first.IsZero() || r.At.Before(first) {
			first = r.At
		}
		if r.At.After(last) {
			last = r.At
		}
	}

	if !first.IsZero() {
		text = append(text, fmt.Sprintf("Measured from %s to %s, with %d to %d samples a trial.", moment(first),
			moment(last), few, many))
	}

	return text
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
			Name: "trials of " + a.Sweep + " reached " + target + "; their intervals are ±\u202f" + term.ShortPercent(a.Half) +
				" in the median", Bad: 2*a.Reached() < a.Wanted()})
	}
	return list
}

// A fact is a number of the summary, such as "8 matrices".
type fact struct {
	Value, Name string
	Bad         bool
}

// described returns the sweeps with their protocols in words.
func described(d *analysis.Data) []store.Sweep {
	list := slices.Clone(d.Sweeps)
	for i := range list {
		list[i].ProtocolText = d.ProtocolWords(&list[i])
	}
	for i, s := range d.Sweeps { // those of one name are told apart
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

func headlineOf(d *analysis.Data) []htmlPart {
	var list []htmlPart
	for _, p := range analysis.Headline(d) {
		list = append(list, htmlPart{tagged{Device: p.Device, Cache: string(p.Cache)}, p.On, p.Sentences})
	}
	var group []*tagged
	for i := range list {
		group = append(group, &list[i].tagged)
	}
	turnOn(d, group)
	return list
}

// byLine says what was measured where and when, and by which program.
func byLine(c *Content) string {
	d := c.Report
	var devices, caches, parts []string
	matrices, kernels := map[string]bool{}, map[string]bool{}
	good, unseen := 0, 0
	var last time.Time
	for i := range d.Rows {
		r := &d.Rows[i]
		if name := d.DeviceWords(r.Device); !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
		if !slices.Contains(caches, string(r.Cache)) {
			caches = append(caches, string(r.Cache))
		}
		matrices[r.Matrix], kernels[r.Kernel] = true, true
		switch {
		case r.Status == trial.OK && r.Verified():
			good++
		case r.Status == trial.OK:
			unseen++
		}
		if r.At.After(last) {
			last = r.At
		}
	}
	if len(d.Rows) > 0 {
		slices.Sort(caches)
		parts = append(devices, strings.Join(caches, " and ")+" cache", term.Matrices(len(matrices)),
			term.Count(len(kernels), "kernel", "kernels"), term.GroupedCount(good, "verified trial", "verified trials"))
		if unseen > 0 {
			parts = append(parts, term.GroupedCount(unseen, "trial that is not", "trials that are not"))
		}
		parts = append(parts, last.UTC().Format(time.DateOnly))
	}
	return strings.Join(append(parts, strings.TrimSpace("spmvtune "+c.Version)), " · ")
}
