package chart

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A running median needs many matrices, follows them and not an outlier, and its band holds half.
func TestTrend(t *testing.T) {
	var points []Point
	for i := range 100 {
		x := math.Exp(float64(i*37%100) / 10)
		points = append(points, Point{X: x, Y: 10 + math.Log(x) + float64(i%5)})
	}
	points[3].Y = 1e6
	if Trend(points[:FewestForTrend-1]) != nil {
		t.Errorf("%d matrices have a running median", FewestForTrend-1)
	}

	trend := Trend(points)
	for i, q := range trend {
		if want := 12 + math.Log(q.X); math.Abs(q.Y-want) > 0.5 || q.Low > q.Y-0.5 || q.High < q.Y+0.5 {
			t.Errorf("at %.3g: %.3g from %.3g to %.3g, want about %.3g", q.X, q.Y, q.Low, q.High, want)
		}
		if i > 0 && q.X <= trend[i-1].X {
			t.Errorf("the curve goes back at %.3g", q.X)
		}
	}
	if len(trend) < 20 || trend[0].X < 1 || trend[len(trend)-1].X > math.Exp(10) {
		t.Errorf("%d points", len(trend))
	}
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
