package cli

import (
	"fmt"
	"io"
	"math"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/store/compare"
	"spmvtune/tuner/stat"
)

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
func printCompared(w io.Writer, r *compare.Result, all bool) error {
	t := term.Table{Columns: []string{
		"verdict", "matrix", "precision", "cache", "kernel", "A", "B", "B / A", "interval",
	}, Less: []string{"cache", "A", "B", "precision"}}
	for _, p := range r.Pairs {
		if p.Verdict == compare.Same && !all {
			continue
		}
		t.Add(string(p.Verdict), p.Matrix, string(p.Precision), string(p.Cache), p.Kernel,
			goodTime(p.A), goodTime(p.B),
			term.Quantity(number.RoundedIn(p.Ratio.Value, p.Ratio.Low, p.Ratio.High)),
			term.Quantity(interval(p.Ratio)))
	}

	if len(t.Rows) > 0 {
		if err := t.Print(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}

	printComparedSum(w, r)
	return nil
}

// goodTime is a time with the digits that its interval supports.
func goodTime(g *store.Good) term.Quantity {
	return term.Quantity(number.Seconds(g.Time, g.Time*data.Relative(&g.Row)))
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
