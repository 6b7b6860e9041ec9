package figure

import (
	"math"

	"gonum.org/v1/plot"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// A quantity is what the lengths of bars show.
type quantity struct {
	label string // The label of the axis.
	note  string // A note for the subtitle.
	// of gives the value of a trial with the interval in which another run finds it. base is the trial that it
	// is compared with, nil if the quantity compares nothing.
	of     func(r, base *store.Row) chart.Point
	scale  func(low, high float64) canvas.Scale
	origin float64                // Where bars start; NaN for no bars.
	number func(v float64) string // The text beside the highest.
	best   string                 // What the highest is; "" for "the fastest".
	bytes  bool                   // It can be compared with the device's bandwidth.
}

// rate is a throughput, from zero.
func rate(u data.Unit) quantity {
	return quantity{
		label:  u.Label,
		note:   u.Note,
		of:     func(r, _ *store.Row) chart.Point { return chart.Throughput(r, 0, u.Of(r)) },
		scale:  func(_, high float64) canvas.Scale { return canvas.FromZero(high, 5) },
		number: func(v float64) string { return number.Significant(v, 3) },
		bytes:  u.Bytes,
	}
}

// logRate is a throughput over orders of magnitude, without a zero to start from.
func logRate(u data.Unit) quantity {
	q := rate(u)
	q.scale = func(low, high float64) canvas.Scale { return canvas.Logarithmic(low, high, number.Plain) }
	q.origin = math.NaN()
	return q
}

// timesAsFast is a speed-up over a baseline of this name.
func timesAsFast(baseline string) quantity {
	return quantity{
		label:  "times as fast as " + baseline,
		of:     gained,
		scale:  canvas.Ratios,
		origin: 1,
		number: func(v float64) string { return number.Significant(v, 2) + "×" },
	}
}

// percentFaster is a speed-up in percent of speed: half the time is +100%.
func percentFaster(baseline string) quantity {
	return quantity{
		label: "speed against " + baseline,
		of:    gained,
		scale: func(low, high float64) canvas.Scale {
			s := canvas.Ratios(low, high)
			s.Ticks = nil
			for _, v := range changes {
				if v >= s.Min && v <= s.Max {
					s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: number.Change(v)})
				}
			}
			return s
		},
		origin: 1,
		number: number.Change,
		best:   "the largest gain",
	}
}

// changes are ratios that are round percentages. Where there is no room for all labels, the
// first are kept.
var changes = []float64{1, 0.1, 11, 0.01, 101, 0.001, 1001, 0.5, 2, 0.2, 5, 0.75, 1.5, 0.9, 1.1, 1.25, 3}

func gained(r, base *store.Row) chart.Point {
	v, low, high := data.Ratio(base, r)
	return chart.Point{Y: v, Low: low, High: high}
}
