package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/store"
	"spmvtune/store/compare"
)

func newCompare() *cobra.Command {
	var opt compare.Options
	var config, threshold string
	var all, asJSON, asCSV bool
	cmd := &cobra.Command{
		Use:   "compare A.db B.db",
		Short: "What became faster or slower from one database to another",
		Long: `compare says of each kernel on each matrix, by precision and cache state, whether it
takes longer in B than in A, by its raw samples. A difference counts if it is larger
than the threshold, and larger than what sentinels show trials to differ by when they
are repeated; and it must be significant among all that are compared. Where sentinels
show that a device drifted, that is taken out. What a throttled device measured is
listed, and decides nothing.

Each kernel is compared in its fastest configuration of each database or, with
--config same, in the fastest one of A that both have.

Exit codes: 0 nothing became slower; 1 there is nothing to compare, or a database can't
be read; 2 the command line is wrong; 4 something became slower.`,
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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch config {
			case "best", "same":
				opt.Same = config == "same"
			default:
				return command.Usage(fmt.Errorf("--config is best or same, not %q", config))
			}
			if opt.Threshold, err = parsePercent(threshold); err != nil {
				return command.Usage(fmt.Errorf("--threshold: %w", err))
			}
			a, err := store.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer a.Close()
			b, err := store.OpenReadOnly(args[1])
			if err != nil {
				return err
			}
			defer b.Close()
			r, err := compare.Compare(cmd.Context(), a, b, opt)
			if errors.Is(err, compare.ErrDevices) {
				return command.WithHint(err, "--across-devices compares them all the same")
			}
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			switch {
			case asJSON:
				err = compared(r.Pairs).JSON(w)
			case asCSV:
				err = compared(r.Pairs).CSV(w)
			default:
				err = printCompared(w, r, all)
			}
			return errors.Join(err, slowerVerdict(r))
		},
	}
	cmd.Flags().StringVar(&config, "config", "best", "compare kernels in their best configurations, or in the same")
	cmd.Flags().StringVar(&threshold, "threshold", "1%", "the least difference that counts")
	cmd.Flags().BoolVar(&opt.Across, "across-devices", false, "compare different devices")
	cmd.Flags().BoolVar(&all, "all", false, "list also what is the same")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "print CSV")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	command.FlagValues(cmd, "config", "best", "same")
	return cmd
}

// parsePercent reads a fraction below 1, as 2% or 0.02.
func parsePercent(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 1) {
		return 0, fmt.Errorf("%q must be between 0 and 1: write 1%% or 0.01", s)
	}
	return v, nil
}

// compared is all that is known of pairs.
func compared(pairs []compare.Pair) term.Table {
	g := term.Table{Columns: []string{"verdict", "device", "matrix", "precision", "cache", "kernel", "ratio", "low", "high", "p", "counts",
		"block_a", "grid_a", "params_a", "median_a_ms", "drift_a", "throttled_a", "block_b", "grid_b", "params_b", "median_b_ms", "drift_b", "throttled_b"}}
	for _, p := range pairs {
		g.Rows = append(g.Rows, []any{string(p.Verdict), p.Device, p.Matrix, string(p.Precision), string(p.Cache), p.Kernel,
			p.Ratio.Value, number(p.Ratio.Low), number(p.Ratio.High), p.P, p.Effect,
			p.A.Block, p.A.Grid, p.A.Params, 1e3 * p.A.Median, p.A.Drift, p.A.Throttled,
			p.B.Block, p.B.Grid, p.B.Params, 1e3 * p.B.Median, p.B.Drift, p.B.Throttled})
	}
	return g
}

// number is nothing where v is NaN, which JSON does not have.
func number(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// printCompared prints what changed, or all, and the sum of it.
func printCompared(w io.Writer, r *compare.Result, all bool) error {
	g := term.Table{Columns: []string{"verdict", "matrix", "precision", "cache", "kernel", "A", "B", "B / A", "95% interval"}}
	counts := map[compare.Verdict]int{}
	drifted := 0
	least, most := math.Inf(1), 0.0 // effects that count
	for _, p := range r.Pairs {
		counts[p.Verdict]++
		if p.A.Drift != 1 || p.B.Drift != 1 {
			drifted++
		}
		least, most = min(least, p.Effect), max(most, p.Effect)
		if p.Verdict == compare.Same && !all {
			continue
		}
		g.Rows = append(g.Rows, []any{string(p.Verdict), p.Matrix, string(p.Precision), string(p.Cache), p.Kernel,
			term.Quantity(term.Seconds(p.A.Median)), term.Quantity(term.Seconds(p.B.Median)), term.Quantity(fmt.Sprintf("%.3f", p.Ratio.Value)),
			term.Quantity(fmt.Sprintf("%.3f to %.3f", p.Ratio.Low, p.Ratio.High))})
	}
	if len(g.Rows) > 0 {
		if err := g.Print(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
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
	fmt.Fprintf(w, "differences count from %s on", term.ShortPercent(least))
	if most > least {
		fmt.Fprintf(w, ", up to %s where trials repeat less well", term.ShortPercent(most))
	}
	fmt.Fprintln(w)
	if r.OnlyA+r.OnlyB > 0 {
		fmt.Fprintf(w, "not compared: %d in A only, %d in B only\n", r.OnlyA, r.OnlyB)
	}
	if drifted > 0 {
		fmt.Fprintf(w, "note: the drift of a device was taken out of %s\n", term.Count(drifted, "pair", "pairs"))
	}
	return nil
}

// slowerVerdict is an error where something became slower.
func slowerVerdict(r *compare.Result) error {
	slower := 0
	for _, p := range r.Pairs {
		if p.Verdict == compare.Slower {
			slower++
		}
	}
	if slower == 0 {
		return nil
	}
	return &command.Error{Code: command.ExitSlower, Err: fmt.Errorf("%s slower", term.Count(slower, "pair became", "pairs became"))}
}
