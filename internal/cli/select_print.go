// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store/importer"
)

// choosers names what made a choice.
var choosers = map[string]string{
	rule.ByFeatures: "the rule",
	rule.BySizes:    "a choice by sizes alone",
	rule.ByEnsemble: "the ensemble",
}

// printSelection prints choices, first of all for which device, with reasons and doubts.
func printSelection(w io.Writer, chosen []selection, f sparse.Features, here, from string) {
	fmt.Fprintf(w, "%s: %s rows × %s columns, %s, %s in a row\n", chosen[0].Matrix, term.Grouped(f.Rows),
		term.Grouped(f.Cols), term.Count(f.Nonzeros, "nonzero", "nonzeros"), term.Digits(f.RowMean))
	last := ""
	for _, c := range chosen {
		on := "for " + c.Device
		if c.Cache != "" {
			on += ", " + c.Cache + " cache"
		}
		if on != last {
			fmt.Fprintln(w, on+here)
			last = on
		}
		fmt.Fprintf(w, "\n%s\n", c.Config)
		for _, reason := range c.reasons() {
			term.Item(w, reason)
		}
		c.printShortlist(w)
	}

	printNotes(w, chosen)
	fmt.Fprintf(w, "\nrule: %s\n", from)
}

// printShortlist prints what else is expected to be fast, if it was asked for.
func (c *selection) printShortlist(w io.Writer) {
	if len(c.Shortlist) < 2 {
		return
	}
	t := term.Table{Columns: []string{"rank", "configuration", "expected time"}}
	for i, r := range c.Shortlist {
		time := "unknown"
		if r.Seconds > 0 {
			time = term.Seconds(r.Seconds)
		}
		t.Add(i+1, r.Config.String(), time)
	}
	t.Print(w)
}

// reasons are the expected time of a choice, why it was made, and what it rests on.
func (c *selection) reasons() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	add("%s", timeText(c.Forecast))
	if c.By == rule.ByEnsemble {
		add("because the ensemble expects %.0f%% of the best", 100*c.Expected)
	}
	if c.Tree != nil {
		add("the tree, which gives reasons, would take %s", c.Tree)
	}
	if len(c.Path) > 0 {
		add("because %s", strings.Join(lists.Of(c.Path, rule.Step.String), ", "))
	}

	switch {
	case c.Unknown != "": // the ensemble, which is not sure then, either, has no say
		add("by its sizes: the whole rule needs %s, which is unknown", c.Unknown)
	case c.Unsure != "":
		add("by the tree: the ensemble is not sure, since %s", c.Unsure)
	case c.By != rule.BySizes && c.Pays > 1 && c.asked > 0:
		add("its features pay off from %s on", term.Count(c.Pays, "product", "products"))
	case c.By == rule.BySizes && c.Pays > 0:
		add("by its sizes: other features pay off from %d products on", c.Pays)
	case c.By == rule.BySizes:
		add("by its sizes: other features would not pay off")
	}

	if c.Instead != nil {
		add("instead of %s, which is not known to take this matrix", c.Instead.Kernel)
	}
	if len(c.Path) == 0 && c.By != rule.ByEnsemble {
		add("for every matrix: the rule is a single configuration")
	}
	if v := c.Validation; v.Matrices > 1 {
		tuned := ""
		if mean := v.SingleKernel; mean > v.Mean {
			tuned = fmt.Sprintf("; one kernel, tuned on each, reaches %.0f%%", 100*mean)
		}
		add("on matrices left out, %s reaches %.0f%% of the best in the geometric mean, %.0f%% at worst%s",
			choosers[c.By], 100*v.Mean, 100*v.Worst, tuned)
	}

	return list
}

// printNotes prints what makes the selections doubtful, each note once. A note that is not
// about all of them names the precisions.
func printNotes(w io.Writer, chosen []selection) {
	var notes []string
	about := map[string][]string{} // precisions, by note
	for _, c := range chosen {
		for _, note := range c.Warnings {
			if about[note] == nil {
				notes = append(notes, note)
			}
			about[note] = append(about[note], string(c.Precision))
		}
	}

	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range notes {
		if p := about[note]; len(p) < len(chosen) {
			note = strings.Join(p, ", ") + ": " + note
		}
		term.Print(w, "note: "+note)
	}
}

// changed says if the kernel of a choice is not the one that was measured. The sources of the
// processor's kernels and of vendors' libraries are known only where they run.
func changed(c rule.Choice) string {
	measured := c.Model.Sources[c.Kernel]
	k, known := kernels.Lookup(c.Kernel)
	switch {
	case measured == "" || measured == importer.Source:
		return ""
	case !known:
		return fmt.Sprintf("spmvtune's catalogue has no kernel %s: a sweep defines it, or the rule is of another version",
			c.Kernel)
	case k.Backend == "cuda" && cuda.Source(c.Kernel) != "" && cuda.Source(c.Kernel) != measured:
		return fmt.Sprintf("the source of %s has changed since the rule was learned: measure and learn again", c.Kernel)
	case k.Check(c.Config) != nil:
		return fmt.Sprintf("the rule is of another version: %v", k.Check(c.Config))
	default:
		return ""
	}
}

// timeText is the expected time of a product, and what it rests on.
func timeText(f *rule.Forecast) string {
	if f == nil {
		return "time unknown: nothing of this size was measured with it"
	}
	interval := fmt.Sprintf("time %s, from %s to %s in %.0f%% of cases", term.Seconds(f.Seconds), term.Seconds(f.Low),
		term.Seconds(f.High), 100*f.Share())
	switch f.Matrices {
	case 0:
		return interval + ", as on matrices left out"
	case 1:
		return fmt.Sprintf("time about %s, at the %s GB/s of the only matrix it was measured on (traffic as in CSR)",
			term.Seconds(f.Seconds), term.Digits(f.GBPS))
	}
	return fmt.Sprintf("%s: as fast as on the %d matrices of the leaf nearest in size (%s to %s GB/s, traffic as in CSR)",
		interval, f.Matrices, term.Digits(f.LowGBPS), term.Digits(f.HighGBPS))
}
