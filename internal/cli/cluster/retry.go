package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
)

// retryCommand is the command retry.
type retryCommand struct {
	runCommand
	mem     string
	set     []string
	exclude []string
	// dependency is what the tasks wait for, as sbatch takes it.
	dependency string
}

func newRetry() *cobra.Command {
	var c retryCommand
	cmd := c.prepare(&cobra.Command{
		Use:   "retry RUN",
		Short: "Submit again what a run has not completed",
		Long: `retry submits the chunks of a run that are not complete and have no task that runs
or waits. It does not measure again what is measured.

A chunk whose task ran out of time or memory is sent with more if the sweep has several
steps (mem = ["4G", "8G", "16G"]) or --set says so. Otherwise a chunk that ran out of
time is split in two, and one that ran out of memory is not sent. All tasks that are
sent together ask for the same.

A node on which two tasks failed alike, and none elsewhere, is avoided from then on.
--set and --exclude hold for later retries, too; --set KEY= takes back what was set, and
--set exclude= makes all nodes good again.`,
		Example: `  spmvtune retry runs/block-size-20261121-k3fq7a
  spmvtune retry block-size-20261121 --set mem=64G --set time=2h --set partition=long
  spmvtune retry block-size-20261121 --exclude node05`,
		RunE: c.Run,
	})
	f := cmd.Flags()
	f.StringArrayVar(&c.set, "set", nil, "a key of [slurm] with another value: mem=64G, time=2h, partition=long")
	f.StringArrayVar(&c.exclude, "exclude", nil, "nodes that are not used any more: n1, n[3-5]")
	f.StringVar(&c.dependency, "dependency", "", "what the tasks wait for, in the form of sbatch: afterok:1234 "+
		"(default: as submit was told, if it sent nothing)")
	f.StringVar(&c.mem, "mem", "", "the same as --set mem=…: 64G")
	return cmd
}

// Run submits again what a run has not completed.
func (c *retryCommand) Run(cmd *cobra.Command, args []string) error {
	err := c.openToWrite(cmd, args[0], "measure the rest as a run of your own: `spmvtune submit SWEEP --adopt RUN`",
		slurm.LedgerFile)
	if err != nil {
		return err
	}
	sweep, err := c.run.TaskSweep()
	if err != nil {
		return err
	}
	opt, err := c.options()
	if err != nil {
		return command.Usage(err)
	}
	if cmd.Flags().Changed("dependency") {
		opt.Dependency = &c.dependency
	}
	r, err := submit.Retry(cmd.Context(), newClient(c.alarm), c.run, sweep.Slurm, opt)
	var refused *sbatch.RefusedError
	var incomplete *submit.IncompleteError
	if errors.As(err, &refused) && !errors.As(err, &incomplete) {
		err = command.WithHint(err, fmt.Sprintf("nothing is sent: `%s` asks for something else",
			onRun("retry", c.run, "--set", "KEY=VALUE")))
	}
	if err != nil {
		return errors.Join(err, c.printBroken(r))
	}

	if c.output.Data() {
		err = c.output.Write(c.w, r)
	} else {
		c.print(r)
	}
	n := len(r.OutOfMemory)
	if err != nil || n == 0 {
		return err
	}
	err = fmt.Errorf("%s used more memory than allowed, and %s not sent again", chunks(n), term.Noun(n, "was", "were"))
	return command.SomeFailed(err, fmt.Sprintf("`%s` gives their tasks more", onRun("retry", c.run, "--set", "mem=64G")))
}

// options reads the flags.
func (c *retryCommand) options() (submit.Options, error) {
	opt := submit.Options{Set: map[string]string{}, Exclude: c.exclude}
	if c.mem != "" {
		c.set = append(c.set, "mem="+c.mem)
	}
	for _, s := range c.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return opt, fmt.Errorf("--set %s has no value: write --set %s=VALUE", s, s)
		}
		if d, err := time.ParseDuration(value); key == "time" && err == nil { // 2h, as in the rest of a sweep
			value = sbatch.FormatTime(d)
		}
		if err := new(configs.Slurm).Set(key, value); err != nil {
			return opt, fmt.Errorf("--set %s: %w", s, err)
		}
		opt.Set[key] = value
	}
	return opt, nil
}

// printBroken says what a retry that failed had done before, if anything.
func (c *retryCommand) printBroken(r submit.Retried) error {
	if r.Round == nil && len(r.Recovered) == 0 {
		return nil
	}
	if c.output.Data() {
		return c.output.Write(c.w, r)
	}
	c.printRecovered(r.Recovered)
	if r.Round != nil {
		printJobs(c.w, r.Round.Jobs)
	}
	return nil
}

// printRecovered says what became of submissions that broke off.
func (c *retryCommand) printRecovered(recovered []slurm.Sent) {
	for _, s := range recovered {
		line := fmt.Sprintf("recovered the interrupted submission of %s: %s %s", s.Name, s.Outcome, s.ID)
		fmt.Fprintln(c.w, strings.TrimSpace(line))
	}
}

// print says what a retry did.
func (c *retryCommand) print(r submit.Retried) {
	c.printRecovered(r.Recovered)
	if len(r.Again) > 0 {
		fmt.Fprintf(c.w, "sent again: %s (%s)\n", chunks(len(r.Again)), term.Some(r.Again, command.FewNames))
	}
	for i, s := range r.Split {
		if i == show.MostFailures {
			fmt.Fprintf(c.w, "… and %s more\n", chunks(len(r.Split)-i))
			break
		}
		fmt.Fprintf(c.w, "split, because its task ran out of time: %s into %s\n", s.Chunk,
			strings.Join(s.Into, " and "))
	}

	for _, s := range r.OutOfMemory {
		fmt.Fprintf(c.w, "not sent, because it used more memory than allowed: %s (%s)\n",
			s.Chunk, term.Some(s.Matrices, command.FewNames))
	}

	for _, more := range r.More {
		fmt.Fprintf(c.w, "tasks ask for %s now, because there was too little\n", more)
	}
	for _, g := range r.Avoided {
		printHints(c.w, []string{fmt.Sprintf("%s is not used any more: the task of each of %s %s there; `%s` uses it again",
			g.Node, chunks(len(g.Chunks)), g.Why, onRun("retry", c.run, "--set", "exclude="))})
	}
	printHints(c.w, r.Notes)

	if n := len(r.Active); n > 0 {
		fmt.Fprintf(c.w, "left alone, because their tasks run, wait, or may do so: %s\n", chunks(n))
	}
	c.printNext(r)
}

func (c *retryCommand) printNext(r submit.Retried) {
	switch {
	case r.Round != nil:
		printJobs(c.w, r.Round.Jobs)
		printRest(c.w, *r.Round, c.run)
		fmt.Fprintf(c.w, "next: %s\n", onRun("status", c.run, "--watch"))
	case len(r.OutOfMemory) > 0:
	case len(r.Active) > 0:
		fmt.Fprintln(c.w, "nothing to do yet")
	default:
		fmt.Fprintf(c.w, "nothing to do: %s complete\n", allChunks(r.Done))
		fmt.Fprintf(c.w, "next: %s\n", onRun("merge", c.run))
	}
}

func allChunks(n int) string {
	if n == 1 {
		return "the only chunk is"
	}
	return fmt.Sprintf("all %d chunks are", n)
}
