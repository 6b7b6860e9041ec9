package cluster

import (
	"errors"
	"fmt"
	"strconv"

	"spmvtune/slurm/submit"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
)

func newThrottle() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "throttle RUN N",
		Short: "Let at most N tasks of a submitted run measure at once",
		Long: `throttle changes how many tasks of a run Slurm starts at once, while the run goes
on: 0 is as many as there is room for. Tasks that run already go on, and what retry
sends later keeps to it. What a sweep starts with is throttle in its [slurm] section.`,
		Example: `  spmvtune throttle runs/block-size-20261121-k3fq7a 4`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("throttle needs %s, and a number of tasks", aRun)
			}
			return nil
		},
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseUint(args[1], 10, 31)
			if errors.Is(err, strconv.ErrRange) {
				return command.Usage(fmt.Errorf("%s tasks are more than Slurm can count; 0 is as many as there is room for", args[1]))
			}
			if err != nil {
				return command.Usage(fmt.Errorf("%q is not a number of tasks", args[1]))
			}
			run, err := openRun(root, args[0])
			if err != nil {
				return err
			}
			arrays, err := submit.Throttle(cmd.Context(), newClient(cmd.ErrOrStderr()), run, int(n))
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if asJSON {
				ids := make([]string, len(arrays))
				for i, a := range arrays {
					ids[i] = a.ID
				}
				return term.WriteJSON(w, map[string]any{"run": run.JobName(), "dir": run.Dir, "throttle": n, "arrays": ids})
			}
			switch {
			case len(arrays) == 0:
				_, err = fmt.Fprintln(w, "nothing to throttle: no task of the run waits or runs")
			case n == 0:
				_, err = fmt.Fprintln(w, "as many tasks run at once as there is room for")
			case len(arrays) == 1:
				_, err = fmt.Fprintf(w, "at most %s at once\n", term.Count(int(n), "task runs", "tasks run"))
			default:
				_, err = fmt.Fprintf(w, "at most %s at once, of each of %d arrays\n", term.Count(int(n), "task runs", "tasks run"), len(arrays))
			}
			return err
		},
	}
	flagRuns(cmd, &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
