// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/search"
)

// mostSeeds bounds the memory that a replay needs.
const mostSeeds = 100_000

// replayCommand is the command replay.
type replayCommand struct {
	strategies []string
	seeds      int
	output     command.Output

	outcomes []search.Outcome
	lines    []string // The lines of the strategies.
}

func newReplay() *cobra.Command {
	var r replayCommand
	cmd := &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Try search strategies on a measured grid",
		Long: `replay runs search strategies on the configurations that a sweep over a whole grid
has measured, many times with different seeds, without a device: a step of n samples gets
n recorded ones in a row, and a step under the protocol gets all. It prints how many steps
and how much of the grid's device time a search takes until its best configuration stays
within 5%, 2% and 1% of the best.

Device time is that of the products and, if caches are cold, of flushing them. The median of
all samples decides how good a configuration is. Statistical ties count as best: "told from"
is the smallest difference that is none.

` + command.RunHelp,
		Example: `  spmvtune replay
  spmvtune replay results.db --strategy racing,local --seeds 200
  spmvtune replay results.db --format csv > replay.csv`,
	}
	command.WithDatabase(cmd, r.Run)
	f := cmd.Flags()
	f.StringSliceVar(&r.strategies, "strategy", search.Replayable(), "strategies to try")
	f.IntVar(&r.seeds, "seeds", 50, "searches of each strategy on each matrix")
	r.output.Flags(cmd)
	command.FlagValues(cmd, "strategy", search.Replayable()...)
	return cmd
}

// Run replays searches.
func (r *replayCommand) Run(cmd *cobra.Command, db *store.DB, path string) error {
	if err := knownAll("strategy", "strategy", r.strategies, search.Replayable()); err != nil {
		return err
	}
	if r.seeds < 1 || r.seeds > mostSeeds {
		return command.Usage(fmt.Errorf("--seeds %d: must be 1 to %d", r.seeds, mostSeeds))
	}
	grids, err := db.Grids(cmd.Context(), store.Filter{})
	if err != nil {
		return err
	}
	if len(grids) == 0 {
		return command.WithHint(errors.New("no grid to search in "+path),
			`replay needs the raw samples of a sweep with strategy = "grid" and without a budget of trials`)
	}

	for _, s := range r.strategies {
		if err := r.replay(cmd.Context(), grids, s); err != nil {
			return err
		}
	}
	return r.print(cmd.OutOrStdout())
}

// replay replays one strategy on all grids.
func (r *replayCommand) replay(ctx context.Context, grids []search.Grid, strategy string) error {
	start := time.Now()
	var shares, told []float64
	for i := range grids {
		paths, err := search.Replay(ctx, &grids[i], strategy, r.seeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, grids[i].Name(), err)
		}
		o := search.SumUp(&grids[i], strategy, paths)
		r.outcomes = append(r.outcomes, o)
		shares, told = append(shares, o.Within[1].Share), append(told, grids[i].Told())
	}

	n := len(grids) * r.seeds
	within := "within 2% of the best"
	if noise := search.Quantile(told, 0.5); noise > search.Fractions[1] {
		within = "within " + shareOfGrid(noise) + " of the best (noise hides less)"
	}
	median := "never " + within
	if share := search.Quantile(shares, 0.5); !math.IsInf(share, 1) {
		median = within + " after " + shareOfGrid(share) + " of the grid's device time"
	}
	r.lines = append(r.lines, fmt.Sprintf("%s: %s in the median, %s on the worst matrix; %d searches, %.0f a second",
		strategy, median, shareOfGrid(slices.Max(shares)), n, float64(n)/time.Since(start).Seconds()))
	return nil
}

// print prints the outcomes: a short table for people, everything for programs.
func (r *replayCommand) print(w io.Writer) error {
	if !r.output.ForPeople() {
		return r.output.Write(w, r.full())
	}
	if err := r.brief().Write(w, r.output.Format); err != nil {
		return err
	}
	for _, line := range append([]string{r.noise()}, r.lines...) {
		if line != "" {
			term.Print(w, line)
		}
	}
	return nil
}

// full is the table for programs.
func (r *replayCommand) full() term.Table {
	t := term.Table{Columns: []string{
		"device", "matrix", "precision", "cache", "strategy", "configurations", "grid_seconds", "searches",
	}}
	for _, f := range search.Fractions {
		p := strconv.FormatFloat(100*f, 'g', -1, 64)
		t.Columns = append(t.Columns, "steps_"+p, "share_"+p, "share90_"+p, "reached_"+p)
	}

	t.Columns = append(t.Columns, "steps_end", "share_end", "loss_end", "short_steps", "told_from")

	for _, o := range r.outcomes {
		row := []any{
			o.Grid.Device, o.Grid.Matrix, string(o.Grid.Precision), o.Grid.Cache, o.Strategy,
			len(o.Grid.Trials), o.Grid.Exhaustive(), len(o.Paths),
		}
		for _, x := range o.Within {
			row = append(row, finite(x.Steps), finite(x.Share), finite(x.Worst), x.Reached)
		}
		t.Add(append(row, finite(o.End.Steps), finite(o.End.Share), finite(o.Loss), o.Short, o.Grid.Told())...)
	}

	return t
}

// brief is the table for people.
func (r *replayCommand) brief() term.Table {
	t := term.Table{Columns: []string{
		"matrix", "precision", "cache", "strategy", "configurations",
		"to 5%", "to 2%", "steps to 2%", "to 1%", "end", "loss", "told from",
	}, Less: []string{"told from", "to 5%", "configurations", "steps to 2%", "cache", "end"}}

	share := func(x float64) term.Quantity { return term.Quantity(shareOfGrid(x)) }
	for _, o := range r.outcomes {
		steps := any(nil)
		if s := o.Within[1].Steps; !math.IsInf(s, 1) {
			steps = int(s)
		}
		t.Add(o.Grid.Matrix, string(o.Grid.Precision), o.Grid.Cache, o.Strategy, len(o.Grid.Trials),
			share(o.Within[0].Share), share(o.Within[1].Share), steps, share(o.Within[2].Share),
			share(o.End.Share), share(o.Loss), share(o.Grid.Told()))
	}

	return t
}

// noise says where the intervals are wider than 2%: a verdict is no finer than they are.
func (r *replayCommand) noise() string {
	grids := lists.Distinct(r.outcomes, func(o search.Outcome) *search.Grid { return o.Grid })
	told := lists.Of(grids, (*search.Grid).Told)
	wide := lists.Where(told, func(x float64) bool { return x > search.Fractions[1] })
	if len(wide) == 0 {
		return ""
	}
	return fmt.Sprintf("on %d of %s noise hides differences of 2%%: there, \"to 2%%\" means to what can't be told from "+
		"the best, which may be slower by %s in the median over these, and by %s on the worst", len(wide),
		term.Count(len(told), "grid", "grids"), shareOfGrid(search.Quantile(wide, 0.5)), shareOfGrid(slices.Max(wide)))
}

// shareOfGrid prints a share of the grid's device time.
func shareOfGrid(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// finite returns nil for a number that JSON does not have.
func finite(x float64) any {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return x
}
