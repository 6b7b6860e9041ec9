package cluster

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// throttleCommand is the command throttle.
type throttleCommand struct{ runCommand }

func newThrottle() *cobra.Command {
	var c throttleCommand
	return c.prepare(&cobra.Command{
		Use:   "throttle RUN N",
		Short: "Let at most N tasks of a submitted run measure at once",
		Long: `throttle changes how many tasks of a run Slurm starts at once, while the run is in
progress: 0 removes the bound. Running tasks go on, and the bound applies to what
retry sends later, too. A sweep starts with throttle in its [slurm] section.`,
		Example: `  spmvtune throttle runs/block-size-20261121-k3fq7a 4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("throttle needs %s, and a number of tasks", aRun)
			}
			return nil
		},
		RunE: c.Run,
	})
}

// Run throttles a run.
func (c *throttleCommand) Run(cmd *cobra.Command, args []string) error {
	n, err := strconv.ParseUint(args[1], 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return command.Usage(fmt.Errorf("%s tasks are more than Slurm can count; 0 removes the bound", args[1]))
	}
	if err != nil {
		return command.Usage(fmt.Errorf("%q is not a number of tasks", args[1]))
	}
	if err := c.openToWrite(cmd, args[0], "ask an operator of Slurm"); err != nil {
		return err
	}

	client := newClient(c.alarm)
	arrays, err := submit.Throttle(cmd.Context(), client, c.run, int(n))
	if err != nil {
		return err
	}
	left, err := submit.Hidden(cmd.Context(), client, c.run)
	if err != nil {
		return errors.Join(c.print(arrays, int(n)), err)
	}
	if len(arrays) == 0 && len(left) > 0 && !c.output.Data() {
		return leftAlone("throttle", c.run, left)
	}
	return errors.Join(c.print(arrays, int(n)), leftAlone("throttle", c.run, left))
}

func (c *throttleCommand) print(arrays []sbatch.JobID, n int) (err error) {
	if c.output.Data() {
		ids := make([]string, len(arrays))
		for i, a := range arrays {
			ids[i] = a.ID
		}
		return c.output.Write(c.w, map[string]any{"run": c.run.JobName(), "dir": c.run.Dir, "throttle": n,
			"arrays": ids})
	}

	tasks := term.Count(n, "task runs", "tasks run")
	switch {
	case len(arrays) == 0:
		_, err = fmt.Fprintln(c.w, "nothing to throttle: no task of the run waits or runs")
	case n == 0:
		_, err = fmt.Fprintln(c.w, "the number of tasks that run at once is not bounded")
	default:
		_, err = fmt.Fprintf(c.w, "at most %s at once\n", tasks)
	}

	return err
}
