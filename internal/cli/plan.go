package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

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
