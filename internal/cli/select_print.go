package cli

import (
	"fmt"
	"io"
	"strings"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/rule"
	"spmvtune/sparse"
)

// chooses says what chose.
var chooses = map[string]string{
	rule.ByFeatures: "the rule",
	rule.BySizes:    "a choice by sizes alone",
	rule.ByEnsemble: "the ensemble",
}

// printSelection prints what is chosen, and then what is to be known about it.
func printSelection(w io.Writer, chosen []selection, f sparse.Features, from string) error {
	fmt.Fprintf(w, "%s: %d rows × %d columns, %s, %s in a row\n", chosen[0].Matrix, f.Rows, f.Cols,
		term.Count(f.Nonzeros, "nonzero", "nonzeros"), term.Digits(f.RowMean))
	for _, c := range chosen {
		fmt.Fprintf(w, "\n%s\n", c.Config)
		item := func(format string, args ...any) {
			fmt.Fprintln(w, "  "+term.Wrap(fmt.Sprintf(format, args...), term.PageWidth-4, "    "))
		}
		if c.By != rule.ByEnsemble {
			item("%s", timeText(c.Forecast))
		}
		for _, step := range c.Path {
			item("because %s", step)
		}
		switch {
		case c.By == rule.ByEnsemble:
			item("because the ensemble expects %.0f%% of the best", 100*c.Expected)
		case c.Unknown != "":
			item("by its sizes: the whole rule asks for %s, which is not known", c.Unknown)
		case c.By == rule.BySizes && c.Pays > 0:
			item("by its sizes: other features pay from %d products", c.Pays)
		case c.By == rule.BySizes:
			item("by its sizes: other features would not pay")
		}
		if len(c.Path) == 0 && c.By != rule.ByEnsemble {
			item("whatever the matrix: the rule is a single configuration")
		}
		if len(c.Matrices) > 0 {
			item("learned from %s on %s", term.Some(c.Matrices, command.FewNames), c.Selector.Key())
		}
		if v := c.Validation; v.Matrices > 1 {
			item("on matrices held out, %s reaches %.0f%% of the best on average, %.0f%% at worst", chooses[c.By], 100*v.Mean, 100*v.Worst)
		}
	}
	printNotes(w, chosen)
	_, err := fmt.Fprintf(w, "\nrule: %s\n", from)
	return err
}

// printNotes prints what makes the selections doubtful, each note once; one that
// is not about all of them names the precisions.
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
		fmt.Fprintln(w, term.Wrap("note: "+note, term.PageWidth-2, "  "))
	}
}
