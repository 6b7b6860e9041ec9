// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
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
	testkit.Check(t, low == 1 && high >= 2 && high <= 10, "with an outlier: from %g to %g", low, high)
	b.Axis = Scale{Min: low, Max: high, Norm: plot.LogScale{}}
	testkit.Equal(t, b.beyond(&b.Rows[0].Cells[0][40]), 1, "the outlier is beyond the axis")
}

// A number that a mark at the end of the axis would push out of the column shortens the axis, but
// long words do not take most of it.
func TestAxisLeavesRoomForNumbers(t *testing.T) {
	const body = 720
	b := &Bars{Slots: 1, Columns: []string{"one"}, Axis: FromZero(10, 5), Origin: 0,
		Number: func(float64) string { return "+2 810%" }}
	mark := Mark{V: 10, Low: 9, High: 10.4, Hollow: math.NaN()}
	b.Rows = []BarRow{{Name: "m", Cells: [][]Mark{{mark}}}}
	width := b.columnWidth(body)
	part := b.axisPart(body)
	end := vg.Length(part)*width*b.along(10.4) + numberGap + b.wordsWidth(&mark)
	testkit.Check(t, end <= width+overhang+0.01 && part >= 0.8,
		"the axis takes %.2f of %g, and the number ends at %g", part, width, end)

	b.Rows[0].Cells[0][0].Words = strings.Repeat("a long name ", 30)
	testkit.Equal(t, b.axisPart(body), 0.4, "the axis's part of the column beside long words")
}

// Whiskers reach where another run may find the throughput, not where this run's samples lie.
func TestWhiskersAreOfOtherRuns(t *testing.T) {
	r := store.Row{Time: 2, Another: trial.Interval{Low: 1, High: 4}}
	r.Median, r.WithinLow, r.WithinHigh = 1.9, 1.8, 2
	if p := Throughput(&r, 0, 10); p.Y != 10 || p.Low != 5 || p.High != 20 {
		t.Errorf("%+v, want 10 from 5 to 20", p)
	}
	r.Another = trial.Interval{}
	if p := Throughput(&r, 0, 10); p.Low != 10 || p.High != 10 {
		t.Errorf("without an interval: %+v", p)
	}
}

// A running median needs many matrices, and follows them and not an outlier.
func TestTrend(t *testing.T) {
	var points []Point
	for i := range 100 {
		x := math.Exp(float64(i*37%100) / 10)
		points = append(points, Point{X: x, Y: 10 + math.Log(x) + float64(i%5)})
	}
	points[3].Y = 1e6
	testkit.Equal(t, len(Trend(points[:FewestForTrend-1])), 0, "points of the median of too few")

	trend := Trend(points)
	for i, q := range trend {
		want := 12 + math.Log(q.X)
		testkit.Check(t, math.Abs(q.Y-want) <= 0.5, "at %.3g: %.3g, want about %.3g", q.X, q.Y, want)
		testkit.Check(t, i <= 0 || q.X > trend[i-1].X, "the curve goes back at %.3g", q.X)
	}
	testkit.Check(t, len(trend) >= 20 && trend[0].X >= 1 && trend[len(trend)-1].X <= math.Exp(10), "%d points", len(trend))
}

// Labels keep their order and their distance, stay where they are if they can, and between the
// ends.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ at, want []vg.Length }{
		{[]vg.Length{10, 50, 90}, []vg.Length{10, 50, 90}},
		{[]vg.Length{50, 50, 50}, []vg.Length{40, 50, 60}},
		{[]vg.Length{99, 12, 98}, []vg.Length{100, 12, 90}},
		{[]vg.Length{0, 1, 50}, []vg.Length{0, 10, 50}},
	} {
		if got := spread(c.at, 10, 0, 100); !slices.EqualFunc(got, c.want,
			func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 }) {
			t.Errorf("%v becomes %v, want %v", c.at, got, c.want)
		}
	}
}

// A wide interval is cut off at the axis, which follows the values; a usual one is shown whole.
func TestWhiskersDoNotStretchAxes(t *testing.T) {
	for _, tt := range []struct{ high, want float64 }{{100, 12.5}, {11, 11}, {10, 10}} {
		ch := Chart{Lines: []Line{{Points: []Point{{X: 1, Y: 10, Low: 2, High: tt.high}, {X: 2, Y: 8, Low: 8, High: 8}}}}}
		testkit.Near(t, ch.Peak(), tt.want, 1e-9, "an interval up to %g: the axis goes to", tt.high)
		testkit.Check(t, ch.Panel().Y.Max <= 1.1*tt.want, "an interval up to %g: it ends at %g", tt.high, ch.Panel().Y.Max)

		b := &Bars{Rows: []BarRow{{Cells: [][]Mark{{{V: 10, Low: 1, High: tt.high, Hollow: math.NaN()}}}}}}
		if low, high := b.Reach(); math.Abs(high-tt.want) > 1e-9 || math.Abs(low-8) > 1e-9 {
			t.Errorf("an interval up to %g: bars reach from %g to %g, want %g", tt.high, low, high, tt.want)
		}
	}
}
