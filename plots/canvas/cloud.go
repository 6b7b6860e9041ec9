package canvas

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/analysis"
	"spmvtune/tuner/stat"
)

// A Cloud is one panel of dots over a logarithmic axis: a dot for each matrix and set, and the
// running medians of sets with enough of them. Matrices are unrelated, so no line joins dots.
type Cloud struct {
	Heading string
	Sets    []Set
	Others  []Set // Sets without a name, in grey behind the others.
	X, Y    Scale
	Stems   []Stem  // The names of matrices, above the data.
	Roof    float64 // The bandwidth in GB/s, drawn if the axis has it; 0 means none.
	// Medians draws the running medians alone, with the names of sets at their ends.
	Medians bool
	// Apart moves marks that would hide another to the right of it.
	Apart bool
}

// A Set is what is drawn alike: the matrices of a kernel or of a precision.
type Set struct {
	Name      string
	Look      Look
	Points    []Point
	Trend     []Point // See Trend.
	Published []Hollow
}

// SetOf returns the set of a line, with its trend.
func SetOf(l Line) Set {
	return Set{Name: l.Kernel, Look: l.Look, Points: l.Points, Trend: Trend(l.Points), Published: l.Published}
}

// A Stem is a matrix on the axis.
type Stem struct {
	Name string
	X    float64
}

func (cl *Cloud) plot() *plot.Plot {
	p := NewPlot()
	cl.X.Apply(&p.X)
	cl.Y.Apply(&p.Y)
	p.Add(ThinGrid())
	if len(cl.Stems) > 0 {
		p.Add(stems(cl.Stems))
	}
	if cl.Heading != "" {
		p.Add(Heading{cl.Heading, ""})
	}
	if cl.ShowsRoof() {
		p.Add(roofLine(cl.Roof))
	}

	for _, s := range cl.Others {
		s.Look = Look{Color: LineColor}
		if s.Trend != nil {
			p.Add(trendLine{s, 0.7})
		} else if !cl.Medians {
			p.Add(dots{Set: s, radius: 1.5})
		}
	}

	curved := slices.DeleteFunc(slices.Clone(cl.Sets), func(s Set) bool { return s.Trend == nil })
	if !cl.Medians {
		cl.addDots(p, curved)
	}
	for _, s := range curved {
		p.Add(trendLine{s, 1.8})
	}
	if cl.Medians {
		var e endLabels
		for _, s := range curved {
			e.list = append(e.list, lineEnd{s.Name, s.Look, s.Trend[len(s.Trend)-1], false})
		}
		p.Add(e)
	}

	return p
}

// addDots adds the bands of sets with a running median and the dots of all.
func (cl *Cloud) addDots(p *plot.Plot, curved []Set) {
	for _, s := range curved {
		p.Add(band{Line{Look: s.Look, Points: s.Trend}})
	}
	var taken []vg.Point
	for _, s := range cl.Sets {
		d := dots{Set: s, radius: 3}
		if s.Trend != nil {
			d.radius = 1.6
		}
		if cl.Apart {
			d.taken = &taken
		}
		p.Add(d)
	}
}

// ShowsRoof reports whether the roof is on the axis.
func (cl *Cloud) ShowsRoof() bool { return cl.Roof > cl.Y.Min && cl.Roof <= cl.Y.Max }

// DrawClouds lays out clouds as DrawPlots does.
func DrawClouds(c draw.Canvas, clouds []Cloud, columns int, xLabel, yLabel string) {
	list := make([]*plot.Plot, len(clouds))
	for i := range clouds {
		list[i] = clouds[i].plot()
	}
	DrawPlots(c, list, columns, xLabel, yLabel)
}

// dots are the matrices of a set: marks with whiskers or, around a running median, small ones.
type dots struct {
	Set
	radius vg.Length
	taken  *[]vg.Point // Where marks of the panel are that must not be hidden; nil if they may be.
}

func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	named := d.Look.Color != LineColor
	for _, q := range d.Points {
		at := d.free(vg.Point{X: tx(q.X), Y: ty(max(q.Y, p.Y.Min))})
		if d.Trend == nil && named {
			whisker(c, p, at.X, q, 0.9, d.Look.Color)
		}
		d.Look.Mark(c, at, d.radius)
		if q.Row != nil && named {
			Hover(c, at, func() string { return analysis.About(q.Row) })
		}
	}
	for _, h := range d.Published {
		h.Draw(c, d.Look, vg.Point{X: tx(h.X), Y: ty(h.Y)})
	}
}

// free is the place of a mark, beside those that it would hide.
func (d dots) free(at vg.Point) vg.Point {
	if d.taken == nil {
		return at
	}
	for slices.ContainsFunc(*d.taken, func(other vg.Point) bool {
		return math.Hypot(float64(other.X-at.X), float64(other.Y-at.Y)) < float64(d.radius)
	}) {
		at.X += 2 * d.radius
	}
	*d.taken = append(*d.taken, at)
	return at
}

// A trendLine is a running median.
type trendLine struct {
	Set
	width vg.Length
}

func (l trendLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var pts []vg.Point
	stroke := func() {
		if l.width > 1 { // a rim keeps it apart from the dots
			c.StrokeLines(draw.LineStyle{Color: PaperColor, Width: l.width + 1.6}, pts)
		}
		c.StrokeLines(l.Look.Line(l.width), pts)
		pts = nil
	}
	for _, q := range l.Trend {
		if q.Y < p.Y.Min {
			stroke()
			continue
		}
		pts = append(pts, vg.Point{X: tx(q.X), Y: ty(q.Y)})
	}
	stroke()
}

// FewestForTrend is the fewest matrices that have a running median: of fewer, a window of some
// and a curve of several windows tell less than the dots.
const FewestForTrend = 20

// Trend returns the running median of points over the logarithm of X, with quartiles as Low and
// High; nothing for few points. A window has a quarter of the points, but at least nine and at
// most 41, and stands at its median X.
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
		trend = append(trend, Point{X: x, Y: stat.Median(ys), Low: quantile(ys, 0.25), High: quantile(ys, 0.75)})
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
