package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/job"
	"spmvtune/internal/term"
)

func newPlan() *cobra.Command {
	var out string
	var asJSON, offline bool
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Say what a sweep would run, and for how long",
		Long: `plan checks a sweep file, loads its matrices, applies its constraints, looks up
what is measured already, and measures nothing. It downloads nothing either: of a
matrix that is not here yet it says so, and what is planned for its twin where it has one.`,
		Example: `  spmvtune plan quickstart
  spmvtune plan my-sweep.toml --json`,
		Args:              command.Needs("a sweep: a file, or the name of a shipped one such as quickstart"),
		ValidArgsFunction: command.CompleteSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			sweep, err := command.LoadSweep(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(command.OutRoot, sweep.Name)
			}
			settler, err := show.NewResolver(offline, nil)
			if err != nil {
				return err
			}
			p, err := preview(cmd, sweep, filepath.Join(out, job.DatabaseFile), settler)
			if err != nil {
				return err
			}
			if asJSON {
				err = term.WriteJSON(cmd.OutOrStdout(), p)
			} else {
				err = p.print(cmd.OutOrStdout())
			}
			if err == nil && len(p.Failures) > 0 {
				err = fmt.Errorf("%s can't be used", term.Matrices(len(p.Failures)))
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the results (default "+command.OutRoot+"/NAME)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&offline, "offline", false, "plan for `run --offline`")
	command.FlagFile(cmd, "out")
	return cmd
}
