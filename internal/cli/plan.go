package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
)

// planCommand is the command plan.
type planCommand struct {
	out     string
	offline bool
	output  command.Output
}

func newPlan() *cobra.Command {
	var p planCommand
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Show what a sweep would run, and for how long",
		Long: `plan checks a sweep file, applies its constraints, looks up which trials are measured
already, and measures nothing. It reads or generates small matrices, a few seconds in all,
and keeps none of them; larger ones that are neither cached nor measured it plans by the
sizes that they announce. It downloads nothing either: it lists matrices that are not here
yet, and plans with their twins if they have one.`,
		Example: `  spmvtune plan quickstart
  spmvtune plan my-sweep.toml --json`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              p.Run,
	}
	cmd.Flags().StringVarP(&p.out, "out", "o", "", "folder of the results (default "+command.OutRoot()+"/NAME)")
	p.output.Flags(cmd)
	cmd.Flags().BoolVar(&p.offline, "offline", false, "plan for run --offline")
	command.FlagFile(cmd, "out")
	return cmd
}

// Run plans a sweep.
func (p *planCommand) Run(cmd *cobra.Command, args []string) error {
	sweep, err := command.LoadSweep(args[0])
	if err != nil {
		return err
	}
	resolver, err := show.NewResolver(p.offline, nil)
	if err != nil {
		return err
	}

	out := cmp.Or(p.out, filepath.Join(command.OutRoot(), sweep.Name))
	stages := show.NewStages(cmd.ErrOrStderr())
	planned, err := preview(cmd.Context(), sweep, filepath.Join(out, analysis.DatabaseFile), resolver, stages)
	stages.Clear()
	if err != nil {
		return err
	}

	if p.output.Data() {
		err = p.output.Write(cmd.OutOrStdout(), planned)
	} else {
		err = planned.print(cmd.OutOrStdout())
	}
	if err == nil && len(planned.Failures) > 0 {
		err = fmt.Errorf("%s can't be used", term.Matrices(len(planned.Failures)))
	}
	return err
}

// print prints the plan for people.
func (p *planned) print(w io.Writer) error {
	fmt.Fprintf(w, "%s on %s\n", p.Sweep, strings.Join(p.Devices, " and "))
	if t := p.table(); len(t.Rows) > 0 {
		if err := t.Print(w); err != nil {
			return err
		}
	}

	p.printAnnounced(w)
	p.printMissing(w)
	for _, t := range p.Duplicates {
		fmt.Fprintln(w, t)
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
	_, err := fmt.Fprintln(w, p.sum())
	if n := p.Trials - p.Finished; n > 0 && p.Changed != "" {
		term.Print(w, show.NewTrials(p.Changed, n))
	}
	return err
}

// table has a row for each matrix, and for each twin that stands for a missing matrix.
func (p *planned) table() term.Table {
	t := term.Table{Columns: []string{"matrix", "rows", "cols", "nnz", "trials", "measured", "time left"}}
	several := len(p.Devices) > 1
	if several {
		t.Columns = append([]string{"device"}, t.Columns...)
	}
	for _, m := range slices.Concat(p.Matrices, p.Missing) {
		if m.Device == "" {
			continue
		}
		if m.SuiteSparse != "" {
			m.Matrix += " (as its twin)"
		}
		row := []any{m.Matrix, m.Rows, m.Cols, m.NNZ, m.Trials, m.Finished, term.Quantity(term.RoughSeconds(m.Seconds))}
		if several {
			row = append([]any{m.Device}, row...)
		}
		t.Add(row...)
	}
	return t
}

// printAnnounced says which matrices the plan does not know well.
func (p *planned) printAnnounced(w io.Writer) {
	names := map[string]bool{}
	for _, m := range p.Matrices {
		if m.Announced {
			names[m.Matrix] = true
		}
	}
	if n := len(names); n > 0 {
		term.Print(w, fmt.Sprintf("%s: %s not read or generated for the plan, so the nonzeros may be a few per cent off, "+
			"and equal content is not seen", term.Count(n, "matrix is planned by its announced size",
			"matrices are planned by their announced sizes"), term.Noun(n, "it was", "they were")))
	}
}

// printMissing says which matrices run downloads first.
func (p *planned) printMissing(w io.Writer) {
	var planned []string // matrices that are planned as their twins
	trials, seconds := 0, 0.0
	for _, m := range p.Missing {
		if m.Device == "" {
			fmt.Fprintf(w, "%s is not downloaded yet, so its size and its trials are unknown; "+
				"run or `spmvtune matrix get %s` downloads it\n", m.Matrix, m.SuiteSparse)
			continue
		}
		trials, seconds = trials+m.Trials, seconds+m.Seconds
		if !slices.Contains(planned, m.SuiteSparse) {
			planned = append(planned, m.SuiteSparse)
		}
	}
	if len(planned) == 0 {
		return
	}

	get := planned[0]
	if len(planned) > 1 {
		get = "Group/Name"
	}
	fmt.Fprintf(w, "%s; run or `spmvtune matrix get %s` downloads %s\n",
		term.Count(len(planned), "matrix is not downloaded yet", "matrices are not downloaded yet"), get,
		term.Noun(len(planned), "it", "them"))
	fmt.Fprintf(w, "  the plan has their twins instead: %s, about %s; the matrices themselves may be larger\n",
		term.Trials(trials), term.RoughSeconds(seconds))
}

// sum says how much is left, and what of it run would leave out here.
func (p *planned) sum() string {
	if p.Absent == 0 || p.Absent == p.Trials || p.Finished == p.Trials {
		return p.left()
	}
	return fmt.Sprintf("%s\n%d of them %s for the GPU, which is not here: here, run leaves %s out and measures %d",
		p.left(), p.Absent, term.Noun(p.Absent, "is", "are"), term.Noun(p.Absent, "it", "them"),
		p.Trials-p.Absent-(p.Finished-p.absentFinished))
}

// left says how much is left.
func (p *planned) left() string {
	trials, left := term.Trials(p.Trials), term.RoughSeconds(p.Seconds)
	switch {
	case p.Trials > 0 && p.Finished == p.Trials && p.Repeats > 0:
		return fmt.Sprintf("%s, all measured already, but at least %s; time left about %s", trials,
			term.Count(p.Repeats, "repeat run is missing", "repeat runs are missing"), left)
	case p.Trials > 0 && p.Finished == p.Trials:
		return trials + ", all measured already"
	case p.AtMost:
		return fmt.Sprintf("%s at most, %d measured already: the search (%s) picks trials and numbers of samples; "+
			"time left about %s, estimated from typical searches", trials, p.Finished, p.Strategy, left)
	default:
		return fmt.Sprintf("%s, %d measured already; time left about %s, %s", trials, p.Finished, left, p.basis())
	}
}

// basis says what the time left is estimated from.
func (p *planned) basis() string {
	switch left := p.Trials - p.Finished; {
	case p.Known == 0:
		return "estimated from the sizes and the sweep's budget for a trial"
	case p.Known == left:
		return "estimated from the times of these kernels on these matrices"
	default:
		return fmt.Sprintf("estimated from the times of the kernels of %d of them on the same matrices; "+
			"the rest is a guess", p.Known)
	}
}
