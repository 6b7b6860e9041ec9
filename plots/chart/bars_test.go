package chart

import (
	"math"
	"testing"

	"gonum.org/v1/plot"

	"spmvtune/plots/canvas"
)

// Marks far from nearly all others do not stretch the axis: they are clipped.
func TestUsualRange(t *testing.T) {
	b := &Bars{}
	var cell []Mark
	for i := range 40 {
		v := 1 + float64(i)/40
		cell = append(cell, Mark{V: v, Low: v, High: v, Hollow: math.NaN()})
	}
	b.Rows = []BarRow{{Cells: [][]Mark{cell}}}
	if low, high := b.Usual(); low != 1 || high != cell[39].V {
		t.Errorf("without outliers: from %g to %g", low, high)
	}
	b.Rows[0].Cells[0] = append(cell, Mark{V: 500, Low: 500, High: 500, Hollow: math.NaN()})
	low, high := b.Usual()
	if low != 1 || high < 2 || high > 10 {
		t.Errorf("with an outlier: from %g to %g", low, high)
	}
	b.Axis = canvas.Scale{Min: low, Max: high, Norm: plot.LogScale{}}
	if !b.Clips() {
		t.Error("the outlier is not clipped")
	}
	b.Widen(0.5)
	if want := high * high; math.Abs(b.Axis.Max-want) > 1e-9 {
		t.Errorf("twice as wide the axis ends at %g, want %g", b.Axis.Max, want)
	}
}
