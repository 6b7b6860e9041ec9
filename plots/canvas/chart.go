// SPDX-License-Identifier: Apache-2.0

package canvas

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/tuner/stat"
)

// A Chart describes a panel of lines with their bands, from zero upwards.
type Chart struct {
	Heading string
	Note    string // A note in grey after the heading.
	Lines   []Line
	Faint   []Line // Lines without a name, in thin grey behind the others.
	X       Scale
	// Roof is the bandwidth in GB/s. It is drawn if it is near the data.
	Roof Roof
	// Top is the end of the y axis; 0 means that it follows from the lines.
	Top float64
	// Markers is the most markers on a curve.
	Markers int
	// Labelled writes the names of kernels at the ends of their lines.
	Labelled bool
	// Steps is about how many steps the y axis has; 0 means 4.
	Steps int
}

// Put adds a line, in thin grey if it is not named.
func (ch *Chart) Put(l Line, named bool) {
	if named {
		ch.Lines = append(ch.Lines, l)
	} else {
		ch.Faint = append(ch.Faint, l)
	}
}

// Xs lists the sizes at which there is something on lines.
func (ch *Chart) Xs() (xs []int) {
	for _, l := range slices.Concat(ch.Lines, ch.Faint) {
		for _, q := range slices.Concat(l.Points, l.Published) {
			if q.X > 0 {
				xs = append(xs, int(q.X))
			}
		}
	}
	return xs
}

// Peak returns the highest value drawn, with the part of the intervals that the axis shows.
func (ch *Chart) Peak() float64 {
	var top, whiskers float64
	for _, l := range slices.Concat(ch.Lines, ch.Faint) {
		for _, p := range l.Points {
			top, whiskers = max(top, p.Y), max(whiskers, p.High)
		}
		for _, h := range l.Published {
			top = max(top, h.Y)
		}
	}

	return Top(top, whiskers)
}

// RoofWithin is the largest multiple of the data at which the roof is still drawn. A higher
// roof would press the lines together.
const RoofWithin = 1.6

// ShowsRoof reports whether the roof is drawn.
func (ch *Chart) ShowsRoof() bool {
	return ch.Roof.High > 0 && ch.Roof.High <= RoofWithin*max(ch.Peak(), ch.Top)
}

// Panel returns the panel that the chart describes.
func (ch *Chart) Panel() Panel {
	top := max(ch.Peak(), ch.Top)
	p := Panel{Heading: ch.Heading, Note: ch.Note, X: ch.X}
	if ch.ShowsRoof() {
		top = max(top, ch.Roof.High)
		p.Add(ch.Roof)
	}
	p.Y = FromZero(top, cmp.Or(ch.Steps, 4))

	for _, l := range ch.Faint {
		if l.Flat() { // dotted, or it would pass for a grid line
			y := l.Points[0].Y
			p.Add(Curve{Points: []Point{Exact(ch.X.Min, y), Exact(ch.X.Max, y)}, Width: 0.5,
				Look: Look{Color: LineColor, Dashes: []vg.Length{1.5, 2}}})
		} else {
			p.Add(Curve{Points: l.Points, Look: Look{Color: LineColor}, Width: 0.5})
		}
	}
	var curved []Line
	slots := 0
	for _, l := range ch.Lines { // those without a size below the curves
		if l.Flat() {
			p.Add(Slot{l, slots})
			slots++
		} else {
			p.Add(Band{l.Points, l.Look.Color})
			curved = append(curved, l)
		}
	}
	for i, l := range curved {
		l.Look.Phase = float64(i) / float64(len(curved))
		p.Add(Curve{Points: l.Points, Look: l.Look, Width: 1.6, Markers: ch.Markers}, PublishedOf(l))
	}
	if ch.Labelled {
		p.Add(Ends{ch.Lines, slots})
	}
	return p
}

// FewestForTrend is the fewest matrices that have a running median: of fewer, a window of some
// and a curve of several windows tell less than the dots.
const FewestForTrend = 20

// Trend returns the running median of points over the logarithm of X; nothing for few points. A window has a quarter
// of the points, but at least nine and at most 41, and stands at its median X.
func Trend(points []Point) []Point {
	n := len(points)
	if n < FewestForTrend {
		return nil
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	window := min(max(n/4, 9), 41)
	const most = 60 // windows that are drawn
	every := max(1, (n-window)/most)

	var trend []Point
	for i := 0; i+window <= n; i += every {
		var xs, ys []float64
		for _, q := range sorted[i : i+window] {
			xs, ys = append(xs, q.X), append(ys, q.Y)
		}
		slices.Sort(ys)
		x := stat.Median(xs)
		if k := len(trend); k > 0 && trend[k-1].X == x { // many matrices of one size
			continue
		}
		trend = append(trend, Exact(x, stat.Median(ys)))
	}

	return trend
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(math.Floor(at))
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}
