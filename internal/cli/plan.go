package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/job"
	"spmvtune/internal/term"
)

// planCommand is the command plan.
type planCommand struct {
	out             string
	asJSON, offline bool
}

func newPlan() *cobra.Command {
	var p planCommand
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Show what a sweep would run, and for how long",
		Long: `plan checks a sweep file, loads its matrices, applies its constraints, looks up which
trials are measured already, and measures nothing. It downloads nothing either: it lists
matrices that are not here yet, and plans with their twins if they have one.`,
		Example: `  spmvtune plan quickstart
  spmvtune plan my-sweep.toml --json`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              p.Run,
	}
	cmd.Flags().StringVarP(&p.out, "out", "o", "", "folder of the results (default "+command.OutRoot+"/NAME)")
	cmd.Flags().BoolVar(&p.asJSON, "json", false, "print JSON")
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

	out := cmp.Or(p.out, filepath.Join(command.OutRoot, sweep.Name))
	planned, err := preview(cmd.Context(), sweep, filepath.Join(out, job.DatabaseFile), resolver)
	if err != nil {
		return err
	}

	if p.asJSON {
		err = term.WriteJSON(cmd.OutOrStdout(), planned)
	} else {
		err = planned.print(cmd.OutOrStdout())
	}
	if err == nil && len(planned.Failures) > 0 {
		err = fmt.Errorf("%s can't be used", term.Matrices(len(planned.Failures)))
	}
	return err
}
