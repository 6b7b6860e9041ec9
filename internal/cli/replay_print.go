package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"spmvtune/internal/base/term"
	"spmvtune/tuner/replay"
)

// print prints the outcomes: a short table for people, everything for programs.
func (r *replayCommand) print(w io.Writer) error {
	if !r.output.ForPeople() {
		return r.output.Write(w, r.full())
	}
	if err := r.brief().Write(w, r.output.ChosenFormat()); err != nil {
		return err
	}
	if short := r.short(); short != "" {
		fmt.Fprintln(w, short)
	}
	if noise := r.noise(); noise != "" {
		fmt.Fprintln(w, noise)
	}
	for _, line := range r.lines {
		term.Print(w, line)
	}
	return nil
}

// full is the table for programs.
func (r *replayCommand) full() term.Table {
	t := term.Table{Columns: []string{
		"device", "matrix", "precision", "cache", "strategy", "configurations", "grid_seconds", "searches",
	}}
	for _, f := range replay.Fractions {
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

// margin is the fraction that the lines of the strategies are about.
var margin = replay.Fractions[1]

// noise says where the intervals are wider than a margin: a verdict is no finer than they are.
func (r *replayCommand) noise() string {
	told := map[*replay.Grid]float64{}
	var wide []float64
	for _, o := range r.outcomes {
		told[o.Grid] = o.Grid.Told()
	}
	for _, x := range told {
		if x > margin {
			wide = append(wide, x)
		}
	}
	if len(wide) == 0 {
		return ""
	}
	return fmt.Sprintf("on %d of %s noise hides differences of 2%%: there, \"to 2%%\" means to what can't be told from "+
		"the best, which may be slower by %s in the median over these, and by %s on the worst", len(wide),
		term.Count(len(told), "grid", "grids"), shareOfGrid(replay.Quantile(wide, 0.5)), shareOfGrid(slices.Max(wide)))
}

// short says how often a step found fewer samples in the record than it wanted.
func (r *replayCommand) short() string {
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
	return fmt.Sprintf("%d of %d steps wanted more samples than were recorded, and got the recorded ones", n, of)
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
