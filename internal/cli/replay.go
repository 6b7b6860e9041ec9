package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/files"
	"spmvtune/internal/cli/command"
	"spmvtune/plots/figure"
	"spmvtune/store"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
)

// mostSeeds bounds the memory that a replay needs.
const mostSeeds = 100_000

// replayCommand is the command replay.
type replayCommand struct {
	strategies []string
	seeds      int
	figure     string
	output     command.Output

	outcomes []replay.Outcome
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

A model counts device time: the products of samples, warm-up and verification, and the
flush of the caches if they are cold. The median of all samples decides how good a
configuration is, not the samples that the search has seen. What can't be told from the
best is as good as the best: "told from" says how large a difference must be for that;
if it is more than 2%, the output says so.

--figure draws how near searches come to the best over device time; the report has this
figure for up to about forty grids.

` + command.RunHelp,
		Example: `  spmvtune replay
  spmvtune replay results.db --strategy racing,local --seeds 200
  spmvtune replay results.db --figure convergence.svg
  spmvtune replay results.db --format csv > replay.csv`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteRun,
		RunE:              r.Run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.strategies, "strategy", search.Replayable(), "strategies to try")
	f.IntVar(&r.seeds, "seeds", 50, "searches of each strategy on each matrix")
	r.output.Flags(cmd)
	r.output.Paged(cmd)
	f.StringVar(&r.figure, "figure", "", "draw how searches come near the best: FILE.png, FILE.svg or FILE.pdf")
	command.FlagFile(cmd, "figure", command.PictureFormats...)
	command.FlagValues(cmd, "strategy", search.Replayable()...)
	return cmd
}

// Run replays searches.
func (r *replayCommand) Run(cmd *cobra.Command, args []string) error {
	if err := r.check(); err != nil {
		return err
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
			`replay needs the raw samples of a sweep with strategy = "grid" and without a budget of trials`)
	}

	for _, s := range r.strategies {
		if err := r.replay(cmd.Context(), grids, s); err != nil {
			return err
		}
	}
	if r.figure != "" {
		if err := r.draw(); err != nil {
			return err
		}
	}
	return r.print(cmd.OutOrStdout())
}

// check finds what is wrong with the flags.
func (r *replayCommand) check() error {
	if r.figure != "" && !slices.Contains(command.PictureFormats, r.picture()) {
		return command.Usage(fmt.Errorf("--figure %s: extension must be one of .%s", r.figure,
			strings.Join(command.PictureFormats, ", .")))
	}

	for _, s := range r.strategies {
		if !slices.Contains(search.Replayable(), s) {
			return command.Unknown("strategy", "strategies", s, search.Replayable(), "spmvtune help config")
		}
	}

	if r.seeds > mostSeeds {
		return command.Usage(fmt.Errorf("--seeds %d: at most %d", r.seeds, mostSeeds))
	}
	if r.seeds < 1 {
		return command.Usage(fmt.Errorf("--seeds %d: must be greater than zero", r.seeds))
	}
	return nil
}

// picture is the format of the figure.
func (r *replayCommand) picture() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(r.figure)), ".")
}

// replay replays one strategy on all grids.
func (r *replayCommand) replay(ctx context.Context, grids []replay.Grid, strategy string) error {
	start := time.Now()
	var shares, told []float64
	for i := range grids {
		paths, err := replay.Run(ctx, &grids[i], strategy, r.seeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, grids[i].Name(), err)
		}
		o := replay.Sum(&grids[i], strategy, paths)
		r.outcomes = append(r.outcomes, o)
		shares, told = append(shares, o.Within[1].Share), append(told, grids[i].Told())
	}

	n := len(grids) * r.seeds
	within := "within 2% of the best"
	if noise := replay.Quantile(told, 0.5); noise > margin {
		within = "within " + shareOfGrid(noise) + " of the best (noise hides less)"
	}
	median := "never " + within
	if share := replay.Quantile(shares, 0.5); !math.IsInf(share, 1) {
		median = within + " after " + shareOfGrid(share) + " of the grid's device time"
	}
	r.lines = append(r.lines, fmt.Sprintf("%s: %s in the median, %s on the worst matrix; %d searches, %.0f a second",
		strategy, median, shareOfGrid(slices.Max(shares)), n, float64(n)/time.Since(start).Seconds()))
	return nil
}

// draw writes a figure for each device and cache state. All but the first are numbered.
func (r *replayCommand) draw() error {
	pictures, err := figure.Convergence(r.outcomes, r.picture())
	if err != nil {
		return err
	}
	for i, picture := range pictures {
		name := r.figure
		if i > 0 {
			ending := filepath.Ext(name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ending), i+1, ending)
		}
		if err := files.Write(name, picture); err != nil {
			return err
		}
	}

	return nil
}
