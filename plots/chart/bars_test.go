package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

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
}

// A number that a mark at the end of the axis would push out of the column shortens the axis, but
// long words do not take most of it.
func TestAxisLeavesRoomForNumbers(t *testing.T) {
	const body = 720
	b := &Bars{Slots: 1, Columns: []string{"one"}, Axis: canvas.FromZero(10, 5), Origin: 0,
		Number: func(float64) string { return "+2 810%" }}
	mark := Mark{V: 10, Low: 9, High: 10.4, Hollow: math.NaN()}
	b.Rows = []BarRow{{Name: "m", Cells: [][]Mark{{mark}}}}
	width := b.columnWidth(body)
	part := b.axisPart(body)
	end := vg.Length(part)*width*b.along(10.4) + numberGap + b.wordsWidth(&mark)
	if end > width+overhang+0.01 || part < 0.8 {
		t.Errorf("the axis takes %.2f of %g, and the number ends at %g", part, width, end)
	}

	b.Rows[0].Cells[0][0].Words = strings.Repeat("a long name ", 30)
	if part := b.axisPart(body); part != 0.55 {
		t.Errorf("long words leave %.2f of the column to the axis", part)
	}
}
