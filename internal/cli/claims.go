// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis/claims"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/store"
)

// claimsCommand is the command claims.
type claimsCommand struct {
	verbose bool
	output  command.Output
}

func newClaims() *cobra.Command {
	var c claimsCommand
	cmd := &cobra.Command{
		Use:   "claims [RUN]",
		Short: "Which claims of the papers hold on your devices",
		Long: `claims judges each of the papers' claims on each device of the database: it holds, it
does not hold, or there is not enough data (too few matrices, or intervals that reach
across a bound). -v shows the figures behind each verdict and what was published. A twin
counts as the matrix that it imitates, and is marked as a twin.

` + command.RunHelp,
		Example: `  spmvtune claims
  spmvtune claims results/a30/results.db -v
  spmvtune claims --json`,
	}
	command.WithDatabase(cmd, c.Run)
	cmd.Flags().BoolVarP(&c.verbose, "verbose", "v", false, "show the figures behind each verdict and those published")
	c.output.Flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("verbose", "json", "format")
	return cmd
}

// Run judges the claims.
func (c *claimsCommand) Run(cmd *cobra.Command, db *store.DB, _ string) error {
	matrices, err := db.Features(cmd.Context())
	if err != nil {
		return err
	}

	judged, err := claims.Judge(cmd.Context(), db, matrices)
	if err != nil {
		return err
	}

	w := cmd.OutOrStdout()
	switch {
	case c.output.Data():
		return c.output.Write(w, judged)
	case len(judged) == 0:
		fmt.Fprintln(w, "no trial measured yet")
		return nil
	case c.verbose:
		printFindings(w, judged)
	default:
		printClaims(w, judged)
	}

	show.Twins(w, matrices)
	return nil
}

// printClaims prints a table for each device. Claims without data are one line.
func printClaims(w io.Writer, judged []claims.Judgement) {
	textWidth := 74
	if width := term.Columns(w); width > 0 {
		textWidth = max(20, min(textWidth, width-26)) // beside number and verdict
	}
	for _, part := range lists.Groups(judged, onDevice) {
		t := term.Table{Columns: []string{"no.", "verdict", "claim"}}
		var bare []int
		for _, j := range part {
			if j.Bare() {
				bare = append(bare, j.Number)
				continue
			}
			text := term.Wrap(j.Text, textWidth, "")
			if j.Verdict == claims.Unknown {
				text += "\n" + term.Wrap(j.Lacks(), textWidth, "")
			}
			t.Add(j.Number, string(j.Verdict), text)
		}
		fmt.Fprintln(w, part[0].Device)
		if len(t.Rows) > 0 {
			t.Print(w)
		}
		if len(bare) > 0 {
			term.Print(w, fmt.Sprintf("no data on %s of %d (%s): -v names the sweeps that measure them",
				term.Count(len(bare), "claim", "claims"), len(part), spans(bare)))
		}
	}
}

// spans lists rising numbers, runs of them by their ends: "2, 4 to 7".
func spans(numbers []int) string {
	var list []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		text := strconv.Itoa(numbers[i])
		if end > i {
			text += " to " + strconv.Itoa(numbers[end])
		}
		list, i = append(list, text), end+1
	}
	return strings.Join(list, ", ")
}

// printFindings prints each claim with the figures behind it.
func printFindings(w io.Writer, judged []claims.Judgement) {
	for _, part := range lists.Groups(judged, onDevice) {
		fmt.Fprintln(w, part[0].Device)
		for _, j := range part {
			fmt.Fprintf(w, "\n%2d  %s\n    %s\n    %s, %s\n", j.Number, j.Verdict,
				term.Wrap(j.Text, term.PageWidth-4, "    "), j.Paper, j.Section)
			if j.Verdict == claims.Unknown {
				fmt.Fprintf(w, "    %s\n", term.Wrap(j.Lacks(), term.PageWidth-4, "    "))
			}
			for n := range j.Parts {
				printFinding(w, &j.Parts[n])
			}
		}
	}
}

func onDevice(j claims.Judgement) string { return j.Device }

func printFinding(w io.Writer, f *claims.Finding) {
	const indent = "      "
	line := func(text string) {
		fmt.Fprintf(w, "%s%s\n", indent, term.Wrap(text, term.PageWidth-len(indent), indent))
	}
	fmt.Fprintf(w, "    - %s\n", term.Wrap(f.Says+".", term.PageWidth-len(indent), indent))
	line(fmt.Sprintf("%s: %s; asked for: %s", f.Verdict, f.Words(), f.Rule))

	for i := range f.Cases {
		c := &f.Cases[i]
		words := lists.Where([]string{c.Name(), c.Precision, c.Cache, c.Note}, func(s string) bool { return s != "" })
		text := strings.Join(words, ", ") + ": " + claims.Figure(c.Value, c.Low, c.High)
		if c.Position != claims.Inside {
			text += ", " + c.Position.Words()
		}
		if c.Published != nil {
			text += fmt.Sprintf("; published %.3g", *c.Published)
		}
		line("  " + text)
	}

	if words := f.PublishedWords(); words != "" {
		line("published: " + words)
	}
	for _, c := range f.Caveats() {
		line("caveat: " + c)
	}
}
