package chart

import (
	"math"
	"testing"
)

// A wide interval is cut off at the axis, which follows the values; a usual one is shown whole.
func TestWhiskersDoNotStretchAxes(t *testing.T) {
	for _, tt := range []struct{ high, want float64 }{{100, 12.5}, {11, 11}, {10, 10}} {
		ch := Chart{Lines: []Line{{Points: []Point{{X: 1, Y: 10, Low: 2, High: tt.high}, {X: 2, Y: 8, Low: 8, High: 8}}}}}
		if got := ch.Peak(); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("an interval up to %g: the axis goes to %g, want %g", tt.high, got, tt.want)
		}
		if ch.plot().Y.Max > 1.1*tt.want {
			t.Errorf("an interval up to %g: it ends at %g", tt.high, ch.plot().Y.Max)
		}

		b := &Bars{Rows: []BarRow{{Cells: [][]Mark{{{V: 10, Low: 1, High: tt.high, Hollow: math.NaN()}}}}}}
		if low, high := b.Reach(); math.Abs(high-tt.want) > 1e-9 || math.Abs(low-8) > 1e-9 {
			t.Errorf("an interval up to %g: bars reach from %g to %g, want %g", tt.high, low, high, tt.want)
		}
	}
}
