package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"spmvtune/internal/term"
	"spmvtune/store"
)

// A quantity is what the bars of a figure are as long as.
type quantity struct {
	label string // of the axis
	note  string // for the subtitle
	// of gives the value of a trial with its 95% interval. base is the trial that it
	// is compared with, nil where the quantity compares nothing.
	of     func(r, base *store.Row) point
	scale  func(low, high float64) scale
	origin float64                // where bars start; NaN: nowhere
	number func(v float64) string // as it is written beside the highest
	best   string                 // what the highest is; "" for "the fastest"
	bytes  bool                   // it can be compared with the bandwidth of the device
}

// rate is a throughput, from zero.
func rate(u unit) quantity {
	return quantity{
		label:  u.label,
		note:   u.note,
		of:     func(r, _ *store.Row) point { return throughput(r, 0, u.of(r)) },
		scale:  func(_, high float64) scale { return fromZero(1.08*high, 5) },
		number: func(v float64) string { return significant(v, 3) },
		bytes:  u.bytes,
	}
}

// logRate is a throughput over orders of magnitude, which has no zero to start
// from.
func logRate(u unit) quantity {
	q := rate(u)
	q.scale = func(low, high float64) scale { return logarithmic(low, high, plain) }
	q.origin = math.NaN()
	return q
}

// timesAsFast is a speed-up over a baseline of this name.
func timesAsFast(baseline string) quantity {
	return quantity{
		label:  "times as fast as " + baseline,
		of:     gained,
		scale:  ratios,
		origin: 1,
		number: func(v float64) string { return significant(v, 2) + "×" },
	}
}

// percentFaster is the same as percentages: those of speed, so that half the time
// is +100%.
func percentFaster(baseline string) quantity {
	return quantity{
		label: "speed against " + baseline,
		of:    gained,
		scale: func(low, high float64) scale {
			s := ratios(low, high)
			s.ticks = nil
			for _, v := range changes {
				if v >= s.min && v <= s.max {
					s.ticks = append(s.ticks, plot.Tick{Value: v, Label: change(v)})
				}
			}
			return s
		},
		origin: 1,
		number: change,
		best:   "the largest gain",
	}
}

// changes are ratios that are round as percentages, those first that are labelled
// where there is no room for all.
var changes = []float64{1, 0.1, 11, 0.01, 101, 0.001, 1001, 0.5, 2, 0.2, 5, 0.75, 1.5, 0.9, 1.1, 1.25, 3}

func gained(r, base *store.Row) point {
	v, low, high := ratio(base, r)
	return point{Y: v, Low: low, High: high}
}

// change prints a ratio as a change: "+25%", "−50%".
func change(v float64) string {
	percent := 100 * (v - 1)
	digits := 0
	if (math.Abs(percent) < 9.95 || percent < -90) && math.Abs(percent-math.Round(percent)) > 1e-9 {
		digits = 1
	}
	s := strconv.FormatFloat(math.Abs(percent), 'f', digits, 64)
	if percent >= 1000 {
		s = term.Grouped(int(math.Round(percent/10) * 10))
	}
	switch {
	case s == "0" || s == "0.0":
		return "0%"
	case percent < 0:
		return "−" + s + "%"
	}
	return "+" + s + "%"
}
