package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/store/compare"
)

// compareCommand is the command compare.
type compareCommand struct {
	config, threshold string
	all, asCSV        bool
	output            command.Output
	options           compare.Options
}

func newCompare() *cobra.Command {
	var c compareCommand
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "What became faster or slower from one run to another",
		Long: `compare tells, for each kernel on each matrix, by precision and cache state, whether it
takes longer in B than in A. A difference counts if it is larger than the threshold, and
if the interval of the ratio does not contain 1. That interval follows from those in
which another run finds the two times. Drift of a device that sentinels show is removed.
Measurements of a throttled device are listed but decide nothing.

compare takes each kernel in its fastest configuration of each database or, with
--config same, in the fastest configuration of A that both have.

Even if nothing changed, a hundredth of all pairs becomes slower. So compare exits with
4 only if there are more of them than that makes in 19 of 20 comparisons: one of five
pairs or fewer, 10 of 500.

Exit codes: 0 no more became slower than chance makes; 1 there is nothing to compare, or a
database can't be read; 2 the command line is wrong; 4 more became slower.

A and B are each a RUN; without B it is the last one. ` + command.RunHelp,
		Example: `  spmvtune compare before/results.db after/results.db
  spmvtune compare before                  # what the last run changed
  spmvtune compare before.db after.db --threshold 5% --format csv > changes.csv
  spmvtune compare h100.db a100.db --across-devices`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("compare needs two runs, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return command.CompleteRun(cmd, args[min(1, len(args)):], word)
		},
		RunE: c.Run,
	}
	f := cmd.Flags()
	f.StringVar(&c.config, "config", "best", "compare kernels in their best configurations, or in the same one")
	f.StringVar(&c.threshold, "threshold", "1%", "smallest difference that counts")
	f.BoolVar(&c.options.Across, "across-devices", false, "compare different devices")
	f.BoolVar(&c.all, "all", false, "also list what did not change")
	c.output.Flags(cmd)
	c.output.Paged(cmd)
	f.BoolVar(&c.asCSV, "csv", false, "print CSV")
	cobra.CheckErr(f.MarkHidden("csv")) // the former name of --format csv
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "format")
	command.FlagValues(cmd, "config", "best", "same")
	return cmd
}

// Run compares two databases.
func (c *compareCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if c.config != "best" && c.config != "same" {
		return command.Usage(fmt.Errorf("--config must be best or same, not %q", c.config))
	}
	c.options.Same = c.config == "same"
	if c.options.Threshold, err = parsePercent(c.threshold); err != nil {
		return command.Usage(fmt.Errorf("--threshold: %w", err))
	}

	a, _, err := command.OpenDatabase(cmd, args[0])
	if err != nil {
		return err
	}
	defer a.Close()
	b, _, err := command.DatabaseArg(cmd, args[1:])
	if err != nil {
		return err
	}
	defer b.Close()
	if len(args) == 1 && a.Path() == b.Path() {
		return command.Usage(fmt.Errorf("%s is the last run itself: name the run to compare with", args[0]))
	}
	r, err := compare.Compare(cmd.Context(), a, b, c.options)
	if errors.Is(err, compare.ErrDevices) {
		return command.WithHint(err, "--across-devices compares them anyway")
	}
	if err != nil {
		return err
	}

	w := cmd.OutOrStdout()
	if c.asCSV {
		c.output.Format = "csv"
	}
	if c.output.Data() {
		err = c.output.Write(w, comparedPairs(r.Pairs))
	} else {
		err = printCompared(w, r, c.all)
	}

	return errors.Join(err, slowerVerdict(r))
}

// parsePercent reads a fraction below 1, as 2% or 0.02.
func parsePercent(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 1) {
		return 0, fmt.Errorf("must be between 0 and 1, as 1%% or 0.01, not %q", s)
	}
	return v, nil
}
