package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/atomicfile"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/plots/figure"
	"spmvtune/store"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
)

func newReplay() *cobra.Command {
	var strategies []string
	var seeds int
	var format, figure string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay [DB]",
		Short: "Try search strategies on what a grid has measured",
		Long: `replay runs search strategies on the configurations that a sweep over a whole grid
has measured, many times with different seeds, without a device: a step that wants n
samples gets the first n recorded ones, and one under the protocol gets all. It says
how many steps and how much device time, as a share of the grid's, a search takes until
what it has found is within 5%, 2% and 1% of the best for good.

Device time is counted by a model: the products of samples, warm-up and verification,
each with the flush of the caches where they are cold. How good a configuration is is
judged by the median of all its samples, not by those that the search has seen.

--figure draws how near the best they come over device time; the report has this figure
of up to some forty grids.`,
		Example: `  spmvtune replay
  spmvtune replay results.db --strategy racing,local --seeds 200
  spmvtune replay results.db --figure convergence.svg
  spmvtune replay results.db --format csv > replay.csv`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteFile("db"),
		RunE: func(cmd *cobra.Command, args []string) error {
			picture := strings.TrimPrefix(strings.ToLower(filepath.Ext(figure)), ".")
			if figure != "" && !slices.Contains(command.PictureFormats, picture) {
				return command.Usage(fmt.Errorf("--figure %s: the file's ending says the format: .png, .svg or .pdf", figure))
			}
			for _, s := range strategies {
				if !slices.Contains(search.Replayable(), s) {
					err := fmt.Errorf("no search strategy %q to replay; available: %s", s, strings.Join(search.Replayable(), ", "))
					if near := configs.Nearest(s, search.Replayable()); near != "" {
						err = fmt.Errorf("%w; did you mean %q?", err, near)
					}
					return command.Usage(err)
				}
			}
			if seeds < 1 {
				return command.Usage(fmt.Errorf("--seeds %d: at least one search is needed", seeds))
			}
			if asJSON {
				format = "json"
			}
			db, path, err := command.DatabaseArg(cmd, args)
			if err != nil {
				return err
			}
			defer db.Close()
			grids, err := db.Grids(cmd.Context(), store.Filter{})
			if err != nil {
				return err
			}
			if len(grids) == 0 {
				return command.WithHint(errors.New("no grid to search in "+path),
					`replay needs what a sweep with strategy = "grid" and without a budget of trials has measured, with its raw samples`)
			}
			r := &replays{}
			for _, s := range strategies {
				if err := r.run(cmd.Context(), grids, s, seeds); err != nil {
					return err
				}
			}
			if figure != "" {
				if err := r.draw(figure, picture); err != nil {
					return err
				}
			}
			return r.print(cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringSliceVar(&strategies, "strategy", search.Replayable(), "strategies to try")
	cmd.Flags().IntVar(&seeds, "seeds", 50, "searches of each strategy on each matrix")
	command.FlagFormat(cmd, &format)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: --format json")
	cmd.Flags().StringVar(&figure, "figure", "", "picture to write of how they come near the best: FILE.png, FILE.svg or FILE.pdf")
	command.FlagFile(cmd, "figure", command.PictureFormats...)
	command.FlagValues(cmd, "strategy", search.Replayable()...)
	return cmd
}

// replays are the outcomes of strategies on grids.
type replays struct {
	outcomes []replay.Outcome
	lines    []string // one a strategy
}

// draw writes the figure. Where there are several devices or cache states, each has one,
// and the further ones are numbered.
func (r *replays) draw(path, format string) error {
	pictures, err := figure.Convergence(r.outcomes, format)
	if err != nil {
		return err
	}
	for i, picture := range pictures {
		name := path
		if i > 0 {
			ending := filepath.Ext(path)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), i+1, ending)
		}
		if err := atomicfile.Write(name, picture); err != nil {
			return err
		}
	}
	return nil
}

// run replays one strategy on all grids.
func (r *replays) run(ctx context.Context, grids []replay.Grid, strategy string, seeds int) error {
	start := time.Now()
	var shares []float64
	for i := range grids {
		paths, err := replay.Run(ctx, &grids[i], strategy, seeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, grids[i].Name(), err)
		}
		o := replay.Sum(&grids[i], strategy, paths)
		r.outcomes = append(r.outcomes, o)
		shares = append(shares, o.Within[1].Share)
	}
	n := len(grids) * seeds
	median := "never within 2% of the best"
	if share := replay.Quantile(shares, 0.5); !math.IsInf(share, 1) {
		median = "within 2% of the best after " + ofGrid(share) + " of the grid's device time"
	}
	r.lines = append(r.lines, fmt.Sprintf("%s: %s in the median, %s on the worst matrix; %d searches, %.0f a second",
		strategy, median, ofGrid(slices.Max(shares)), n, float64(n)/time.Since(start).Seconds()))
	return nil
}

// ofGrid prints a share of the device time.
func ofGrid(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

func (r *replays) print(w io.Writer, format string) error {
	g := term.Table{Columns: []string{"device", "matrix", "precision", "cache", "strategy", "configurations", "grid_seconds", "searches"}}
	for _, f := range replay.Fractions {
		p := strconv.FormatFloat(100*f, 'g', -1, 64)
		g.Columns = append(g.Columns, "steps_"+p, "share_"+p, "share90_"+p, "reached_"+p)
	}
	g.Columns = append(g.Columns, "steps_end", "share_end", "loss_end", "short_steps")
	for _, o := range r.outcomes {
		row := []any{o.Grid.Device, o.Grid.Matrix, string(o.Grid.Precision), o.Grid.Cache, o.Strategy, len(o.Grid.Trials), o.Grid.Exhaustive(), len(o.Paths)}
		for _, x := range o.Within {
			row = append(row, finite(x.Steps), finite(x.Share), finite(x.Worst), x.Reached)
		}
		g.Rows = append(g.Rows, append(row, finite(o.End.Steps), finite(o.End.Share), finite(o.Loss), o.Short))
	}
	if format != "table" && format != "markdown" {
		return g.Write(w, format)
	}
	if err := r.brief().Write(w, format); err != nil {
		return err
	}
	if short := r.short(); short != "" {
		fmt.Fprintln(w, short)
	}
	_, err := fmt.Fprintln(w, strings.Join(r.lines, "\n"))
	return err
}

// finite gives nil for a state that is not reached.
func finite(x float64) any {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return x
}

// brief is the table for people.
func (r *replays) brief() term.Table {
	g := term.Table{Columns: []string{"matrix", "precision", "cache", "strategy", "configurations", "to 5%", "to 2%", "steps to 2%", "to 1%", "end", "loss"}}
	for _, o := range r.outcomes {
		steps := any(nil)
		if s := o.Within[1].Steps; !math.IsInf(s, 1) {
			steps = int(s)
		}
		g.Rows = append(g.Rows, []any{o.Grid.Matrix, string(o.Grid.Precision), o.Grid.Cache, o.Strategy, len(o.Grid.Trials),
			term.Quantity(ofGrid(o.Within[0].Share)), term.Quantity(ofGrid(o.Within[1].Share)), steps, term.Quantity(ofGrid(o.Within[2].Share)),
			term.Quantity(ofGrid(o.End.Share)), term.Quantity(ofGrid(o.Loss))})
	}
	return g
}

// short says where the record ended before a step did.
func (r *replays) short() string {
	n, of := 0, 0
	for _, o := range r.outcomes {
		n += o.Short
		for _, p := range o.Paths {
			of += p.End().Steps
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d steps wanted more samples than were recorded, and got these", n, of)
}
