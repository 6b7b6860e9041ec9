package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// compareCommand is the command compare.
type compareCommand struct {
	config, threshold  string
	all, asJSON, asCSV bool
	options            compare.Options
}

func newCompare() *cobra.Command {
	var c compareCommand
	cmd := &cobra.Command{
		Use:   "compare A.db B.db",
		Short: "What became faster or slower from one database to another",
		Long: `compare tells, for each kernel on each matrix, by precision and cache state, whether it
takes longer in B than in A. A difference counts if it is larger than the threshold, and
if the interval of the ratio does not contain 1: it follows from the intervals in which
another run finds either time. Drift of a device that sentinels show is removed.
Measurements of a throttled device are listed but decide nothing.

compare takes each kernel in its fastest configuration of each database or, with
--config same, in the fastest configuration of A that both have.

Where nothing changed, a hundredth of all pairs becomes slower all the same. So it takes
more of them than that makes in 19 of 20 comparisons to exit with 4: one of five pairs or
fewer, and 10 of 500.

Exit codes: 0 no more became slower than chance makes; 1 there is nothing to compare, or a
database can't be read; 2 the command line is wrong; 4 more became slower.`,
		Example: `  spmvtune compare before/results.db after/results.db
  spmvtune compare before.db after.db --threshold 5% --csv > changes.csv
  spmvtune compare h100.db a100.db --across-devices`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("compare needs two databases, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: c.Run,
	}
	f := cmd.Flags()
	f.StringVar(&c.config, "config", "best", "compare kernels in their best configurations, or in the same one")
	f.StringVar(&c.threshold, "threshold", "1%", "smallest difference that counts")
	f.BoolVar(&c.options.Across, "across-devices", false, "compare different devices")
	f.BoolVar(&c.all, "all", false, "also list what did not change")
	f.BoolVar(&c.asJSON, "json", false, "print JSON")
	f.BoolVar(&c.asCSV, "csv", false, "print CSV")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
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

	a, err := store.OpenCurrent(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := store.OpenCurrent(cmd.Context(), args[1])
	if err != nil {
		return err
	}
	defer b.Close()
	r, err := compare.Compare(cmd.Context(), a, b, c.options)
	if errors.Is(err, compare.ErrDevices) {
		return command.WithHint(err, "--across-devices compares them anyway")
	}
	if err != nil {
		return err
	}

	w := cmd.OutOrStdout()
	switch {
	case c.asJSON:
		err = comparedPairs(r.Pairs).JSON(w)
	case c.asCSV:
		err = comparedPairs(r.Pairs).CSV(w)
	default:
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
