package cluster

import (
	"fmt"

	"spmvtune/slurm/submit"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
)

func newCancel() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel all jobs of a run, and keep what was measured",
		Long: `cancel cancels all jobs of a run that have not ended. A task that runs ends its
trial first, if Slurm leaves it the time (KillWait, usually 30 seconds). What was
measured is kept: merge brings it into the database, retry goes on with the rest.`,
		Example:           `  spmvtune cancel runs/block-size-20261121-k3fq7a`,
		Args:              command.Needs(aRun),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := openRun(root, args[0])
			if err != nil {
				return err
			}
			jobs, err := submit.Cancel(cmd.Context(), newClient(cmd.ErrOrStderr()), run)
			if err != nil {
				return err
			}
			tasks := 0
			for _, j := range jobs {
				if j.Task >= 0 {
					tasks++
				}
			}
			w := cmd.OutOrStdout()
			if asJSON {
				return term.WriteJSON(w, map[string]any{"run": run.JobName(), "dir": run.Dir, "jobs": len(jobs), "tasks": tasks})
			}
			if len(jobs) == 0 {
				_, err := fmt.Fprintln(w, "nothing to cancel: no job of the run waits or runs")
				return err
			}
			fmt.Fprintf(w, "cancelled: %s\n", term.Count(tasks, "task", "tasks"))
			fmt.Fprintf(w, "what was measured is kept: `%s` brings it into the database, `%s` goes on\n", onRun("merge", run), onRun("retry", run))
			return nil
		},
	}
	flagRuns(cmd, &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
