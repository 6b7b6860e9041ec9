package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/tuner"
)

func (p *planned) print(w io.Writer) error {
	fmt.Fprintf(w, "%s on %s\n", p.Sweep, strings.Join(p.Devices, " and "))
	g := term.Table{Columns: []string{"matrix", "rows", "cols", "nnz", "trials", "measured", "time left"}}
	several := len(p.Devices) > 1
	if several {
		g.Columns = append([]string{"device"}, g.Columns...)
	}
	for _, m := range p.Matrices {
		row := []any{m.Matrix, m.Rows, m.Cols, m.NNZ, m.Trials, m.Finished, term.Quantity(term.RoughSeconds(m.Seconds))}
		if several {
			row = append([]any{m.Device}, row...)
		}
		g.Rows = append(g.Rows, row)
	}
	var asTwins []string
	asTwinTrials, asTwinSeconds := 0, 0.0
	for _, m := range p.Missing {
		if m.Device == "" {
			continue
		}
		row := []any{m.Matrix + " (as its twin)", m.Rows, m.Cols, m.NNZ, m.Trials, 0, term.Quantity(term.RoughSeconds(m.Seconds))}
		if several {
			row = append([]any{m.Device}, row...)
		}
		g.Rows = append(g.Rows, row)
		asTwinTrials, asTwinSeconds = asTwinTrials+m.Trials, asTwinSeconds+m.Seconds
		if !slices.Contains(asTwins, m.SuiteSparse) {
			asTwins = append(asTwins, m.SuiteSparse)
		}
	}
	if len(g.Rows) > 0 {
		if err := g.Print(w); err != nil {
			return err
		}
	}
	for _, m := range p.Missing {
		if m.Device == "" {
			fmt.Fprintf(w, "%s is not downloaded yet, so its size and its trials are unknown: run does it, or `spmvtune matrix get %s`\n", m.Matrix, m.SuiteSparse)
		}
	}
	if len(asTwins) > 0 {
		get := asTwins[0]
		if len(asTwins) > 1 {
			get = "Group/Name"
		}
		fmt.Fprintf(w, "%s: run does it, or `spmvtune matrix get %s`\n", term.Count(len(asTwins), "matrix is not downloaded yet", "matrices are not downloaded yet"), get)
		fmt.Fprintf(w, "  shown is what their twins would take: %s, about %s; the matrices themselves may be larger\n", term.Trials(asTwinTrials), term.RoughSeconds(asTwinSeconds))
	}
	for _, t := range p.Duplicates {
		fmt.Fprintln(w, tuner.Duplicate(t))
	}
	show.Skipped(w, p.Skipped)
	for _, f := range p.Failures {
		fmt.Fprintf(w, "can't be used: %s: %s\n", f.Matrix, f.Message)
	}
	if len(p.Missing) > 0 && p.Trials == 0 {
		return nil
	}
	if len(p.Missing) > 0 {
		fmt.Fprint(w, "of the others: ")
	}
	if p.Trials > 0 && p.Finished == p.Trials {
		_, err := fmt.Fprintf(w, "%s, all measured already\n", term.Trials(p.Trials))
		return err
	}
	if p.AtMost {
		_, err := fmt.Fprintf(w, "%s at most, %d measured already: the search (%s) decides which, and with how many samples; time left about %s, a guess from what searches usually take\n",
			term.Trials(p.Trials), p.Finished, p.Strategy, term.RoughSeconds(p.Seconds))
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %d measured already; time left about %s, %s\n",
		term.Trials(p.Trials), p.Finished, term.RoughSeconds(p.Seconds), p.basis())
	return err
}

// basis says what the time that is left is estimated from.
func (p *planned) basis() string {
	switch left := p.Trials - p.Finished; {
	case p.Known == 0:
		return "a guess from the sizes and the sweep's budget of a trial"
	case p.Known == left:
		return "from what these kernels took on these matrices"
	default:
		return fmt.Sprintf("from what the kernels of %d of them took on the same matrices; the rest is a guess", p.Known)
	}
}
