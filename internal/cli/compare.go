// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"

	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
	"example.org/spmvtune/tuner/stat"
)

// compareCommand is the command compare.
type compareCommand struct {
	config, threshold string
	all               bool
	output            command.Output
	options           compare.Options
}

func newCompare() *cobra.Command {
	c := compareCommand{config: "best"}
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

About 1% of pairs look slower by chance: the exit code is 4 only if more are than that makes in
19 of 20 comparisons, one of five pairs or fewer, 10 of 500.
A and B are each a RUN; without B it is the last one. ` + command.RunHelp,
		Example: `  spmvtune compare before/results.db after/results.db
  spmvtune compare before                  # what the last run changed
  spmvtune compare before.db after.db --threshold 5% --format csv > changes.csv
  spmvtune compare h100.db a100.db --across-devices`,
		Args: cobra.RangeArgs(1, 2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return command.CompleteRun(cmd, args[min(1, len(args)):], word)
		},
		RunE: c.Run,
	}
	f := cmd.Flags()
	command.FlagWord(cmd, &c.config, "config", "--config",
		"compare kernels in their best configurations, or in the same one", "best", "same")
	f.StringVar(&c.threshold, "threshold", "1%", "smallest difference that counts")
	f.BoolVar(&c.options.Across, "across-devices", false, "compare different devices")
	f.BoolVar(&c.all, "all", false, "also list what did not change")
	c.output.Flags(cmd)
	return cmd
}

// Run compares two databases.
func (c *compareCommand) Run(cmd *cobra.Command, args []string) (err error) {
	c.options.Same = c.config == "same"
	if c.options.Threshold, err = parsePercent(c.threshold); err != nil {
		return command.Usage(fmt.Errorf("--threshold: %w", err))
	}

	a, _, err := command.OpenDatabase(cmd, args[0])
	if err != nil {
		return err
	}
	defer a.Close()
	b, _, err := command.OpenDatabase(cmd, strings.Join(args[1:], ""))
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

	err = c.output.Print(cmd.OutOrStdout(), comparedPairs(r.Pairs), func(w io.Writer) { printCompared(w, r, c.all) })
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

// comparedPairs is everything that is known of pairs.
func comparedPairs(pairs []compare.Pair) term.Table {
	t := term.Table{Columns: []string{
		"verdict", "device", "matrix", "precision", "cache", "kernel", "ratio", "low", "high",
		"block_a", "grid_a", "params_a", "median_a_ms", "drift_a", "throttled_a",
		"block_b", "grid_b", "params_b", "median_b_ms", "drift_b", "throttled_b",
	}}

	for _, p := range pairs {
		t.Add(string(p.Verdict), p.Device, p.Matrix, string(p.Precision), string(p.Cache), p.Kernel,
			p.Ratio.Value, finite(p.Ratio.Low), finite(p.Ratio.High),
			p.A.Block, p.A.Grid, p.A.Params.String(), 1e3*p.A.Time, p.A.Drift, p.A.Throttled(),
			p.B.Block, p.B.Grid, p.B.Params.String(), 1e3*p.B.Time, p.B.Drift, p.B.Throttled())
	}

	return t
}

// printCompared prints what changed, or everything, and a summary.
func printCompared(w io.Writer, r *compare.Result, all bool) {
	t := term.Table{Columns: []string{
		"verdict", "matrix", "precision", "cache", "kernel", "A", "B", "B / A", "interval",
	}, Less: []string{"cache", "A", "B", "precision"}}
	for _, p := range r.Pairs {
		if p.Verdict == compare.Same && !all {
			continue
		}
		t.Add(string(p.Verdict), p.Matrix, string(p.Precision), string(p.Cache), p.Kernel,
			goodTime(p.A), goodTime(p.B),
			term.Quantity(term.RoundedIn(p.Ratio.Value, p.Ratio.Low, p.Ratio.High)),
			term.Quantity(interval(p.Ratio)))
	}

	if len(t.Rows) > 0 {
		t.Print(w)
		fmt.Fprintln(w)
	}

	printComparedSum(w, r)
}

// goodTime is a time with the digits that its interval supports.
func goodTime(g *store.Good) term.Quantity {
	return term.Quantity(term.SecondsWithin(g.Time, g.Time*analysis.Relative(&g.Row)))
}

// interval is that of a ratio, a dash where it has none.
func interval(r stat.Ratio) string {
	if math.IsNaN(r.Low) {
		return "–"
	}
	return fmt.Sprintf("%.3f to %.3f", r.Low, r.High)
}

// printComparedSum prints the summary of a comparison.
func printComparedSum(w io.Writer, r *compare.Result) {
	counts := map[compare.Verdict]int{}
	drifted, within := 0, 0

	for _, p := range r.Pairs {
		counts[p.Verdict]++
		if p.A.Drift != 1 || p.B.Drift != 1 {
			drifted++
		}
		if p.A.Factor == 0 || p.B.Factor == 0 {
			within++
		}
	}

	fmt.Fprintf(w, "%s compared: %d faster, %d slower, %d the same", term.Count(len(r.Pairs), "pair", "pairs"),
		counts[compare.Faster], counts[compare.Slower], counts[compare.Same])
	if n := counts[compare.Unsure]; n > 0 {
		fmt.Fprintf(w, ", %d unsure (the device throttled)", n)
	}
	fmt.Fprintln(w)
	if !math.IsNaN(r.Mean.Value) {
		fmt.Fprintf(w, "geometric mean of B / A over %s: %.3f", term.Matrices(r.Matrices), r.Mean.Value)
		if !math.IsNaN(r.Mean.Low) {
			fmt.Fprintf(w, ", 95%% interval %.3f to %.3f", r.Mean.Low, r.Mean.High)
		}
		fmt.Fprintln(w)
	}

	if r.OnlyA+r.OnlyB > 0 {
		fmt.Fprintf(w, "not compared: %d in A only, %d in B only\n", r.OnlyA, r.OnlyB)
	}
	if slower, byChance := r.Slower(); slower > 0 && slower <= byChance {
		fmt.Fprintf(w, "note: chance makes %d of so many pairs slower\n", byChance)
	}
	if within > 0 {
		fmt.Fprintf(w, "note: how far two runs differ is not known for %s, which are judged by intervals within a run\n",
			term.Count(within, "pair", "pairs"))
	}
	if drifted > 0 {
		fmt.Fprintf(w, "note: drift of a device was removed from %s\n", term.Count(drifted, "pair", "pairs"))
	}
}

// slowerVerdict is an error if more became slower than chance makes.
func slowerVerdict(r *compare.Result) error {
	slower, byChance := r.Slower()
	if slower <= byChance {
		return nil
	}
	return &command.Error{
		Code: command.ExitSlower,
		Err: fmt.Errorf("%s slower, where chance makes %d at most",
			term.Count(slower, "pair became", "pairs became"), byChance),
	}
}
