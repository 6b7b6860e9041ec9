package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/kernels"
)

// mostMatrices are on one page of speed-ups.
const mostMatrices = 40

// A comparison is what one page of speed-ups shows: matrices from top to bottom,
// a column for each precision.
type comparison struct {
	baseline   string
	matrices   []string
	kernels    []string // drawn
	measured   int      // kernels that there are
	precisions []kernels.Precision
	gains      map[kernels.Precision]map[string][]gain
	rowMean    map[string]float64
}

// drawSpeedup draws a page for each device and cache state.
func drawSpeedup(d *data) ([]*page, []error) {
	var pages []*page
	for _, place := range d.places() {
		c := d.compare(place[0], place[1])
		n := (len(c.matrices) + mostMatrices - 1) / mostMatrices
		for i := range n {
			part := c
			part.matrices = c.matrices[i*mostMatrices : min(len(c.matrices), (i+1)*mostMatrices)]
			p := part.page(d, place[0], place[1])
			if n > 1 {
				p.Name += fmt.Sprintf("-%d", i+1)
				p.Title += fmt.Sprintf(" (%d of %d)", i+1, n)
			}
			pages = append(pages, p)
		}
	}
	return pages, d.withoutBaseline()
}

// places lists devices with cache states, in order.
func (d *data) places() [][2]string {
	var list [][2]string
	for _, s := range d.setups() {
		if p := [2]string{s.Device, s.Cache}; !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func (d *data) compare(device, cache string) comparison {
	c := comparison{
		baseline: d.baselineOf(device),
		gains:    map[kernels.Precision]map[string][]gain{},
		rowMean:  map[string]float64{},
	}
	for i := range d.panels {
		p := &d.panels[i]
		if p.Device != device || p.Cache != cache {
			continue
		}
		gains := p.gains(c.baseline)
		if len(gains) == 0 {
			continue
		}
		if c.gains[p.Precision] == nil {
			c.gains[p.Precision] = map[string][]gain{}
			c.precisions = append(c.precisions, p.Precision)
		}
		c.gains[p.Precision][p.Matrix] = gains
		if _, seen := c.rowMean[p.Matrix]; !seen {
			c.matrices = append(c.matrices, p.Matrix)
			c.rowMean[p.Matrix] = float64(gains[0].Row.NNZ) / float64(gains[0].Row.Rows)
		}
		for _, g := range gains {
			if !slices.Contains(c.kernels, g.Row.Kernel) {
				c.kernels = append(c.kernels, g.Row.Kernel)
			}
		}
	}
	c.measured = len(c.kernels)
	c.kernels = leaders(c.speeds(), mostBars)
	// Panels are sorted within a precision; a second one may bring more matrices.
	rank := map[string]int{}
	for i, m := range slices.Backward(d.matrices) {
		rank[m.Name] = i
	}
	slices.SortStableFunc(c.matrices, func(a, b string) int { return rank[a] - rank[b] })
	return c
}

// speeds gives the speed-ups of the kernels, a case for each matrix and precision.
func (c *comparison) speeds() []map[string]float64 {
	var cases []map[string]float64
	for _, precision := range c.precisions {
		for _, m := range c.matrices {
			speeds := map[string]float64{}
			for _, g := range c.gains[precision][m] {
				speeds[g.Row.Kernel] = g.Ratio
			}
			cases = append(cases, speeds)
		}
	}
	return cases
}

// pitch is the distance between two kernels of a matrix: bars while they are
// few, dots on nearly one line when they are many.
func (c *comparison) pitch() vg.Length {
	switch marks := len(c.matrices) * len(c.kernels); {
	case marks <= 120:
		return 8
	case marks <= 200:
		return 5
	}
	return 2
}

func (c *comparison) rowHeight() vg.Length {
	return max(26, c.pitch()*vg.Length(len(c.kernels))+9)
}

func (c *comparison) page(d *data, device, cache string) *page {
	shown, number := "Fastest configuration of each kernel", "the fastest"
	if n := len(c.kernels); n < c.measured {
		shown = fmt.Sprintf("The %d of %d kernels that are the fastest most often (all of them: table Kernels), each in its fastest configuration", n, c.measured)
		number += " of all"
	}
	p := &page{
		Name:  d.fileStem("speedup-over-baseline", device, cache),
		Title: fmt.Sprintf("Speed-up over %s: %s", c.baseline, d.place(device, cache)),
		Subtitle: fmt.Sprintf("%s: time of %s divided by its time, log axis. Whiskers: 95%% interval. "+
			"Number: %s. Matrices by rising mean row length.", shown, c.baseline, number),
		Alt:     fmt.Sprintf("speed-ups over %s on %s", c.baseline, strings.Join(c.matrices, ", ")),
		kernels: c.kernels,
		height:  c.rowHeight()*vg.Length(len(c.matrices)) + headingHeight + 36,
	}
	if len(c.precisions) == 0 {
		p.height = 0
	}
	p.body = c.draw
	return p
}

func (c *comparison) draw(canvas draw.Canvas) {
	name := typeface(labelSize, false, inkColor)
	soft := typeface(tickSize-0.5, false, softColor)
	var left vg.Length
	for _, m := range c.matrices {
		left = max(left, name.Width(m))
	}
	left = min(max(left, 70), 190) + 8

	const top, bottom = headingHeight, vg.Length(36)
	body := draw.Crop(canvas, 0, 0, bottom, -top)
	height := (body.Max.Y - body.Min.Y) / vg.Length(len(c.matrices))
	for i, m := range c.matrices {
		y := body.Max.Y - vg.Length(i)*height
		if i%2 == 0 {
			canvas.SetColor(bandColor)
			canvas.Fill(vg.Rectangle{Min: vg.Point{X: body.Min.X, Y: y - height}, Max: vg.Point{X: body.Max.X, Y: y}}.Path())
		}
		mid := y - height/2
		canvas.FillText(at(name, text.XLeft, text.YBottom), vg.Point{X: body.Min.X + 3, Y: mid - 1.5}, fit(name, m, left-8))
		canvas.FillText(at(soft, text.XLeft, text.YTop), vg.Point{X: body.Min.X + 3, Y: mid - 2.5}, significant(c.rowMean[m], 3)+" per row")
	}

	axis := c.scale()
	width := (body.Max.X - body.Min.X - left) / vg.Length(len(c.precisions))
	for i, precision := range c.precisions {
		x := body.Min.X + left + vg.Length(i)*width
		column := canvas
		column.Min.X, column.Max.X = x+8, x+width-14
		c.column(column, precision, axis, bottom, top, height)
	}
	label := at(typeface(labelSize, false, softColor), text.XCenter, text.YBottom)
	canvas.FillText(label, vg.Point{X: (canvas.Min.X + left + canvas.Max.X) / 2, Y: canvas.Min.Y}, "times as fast as "+c.baseline)
}

// scale holds every ratio of the page, so that columns can be compared.
func (c *comparison) scale() scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, precision := range c.precisions {
		for _, m := range c.matrices {
			for _, g := range c.gains[precision][m] {
				low, high = min(low, g.Low), max(high, g.High)
			}
		}
	}
	return ratios(low, high)
}

// column draws one precision: axis, grid, and a bar or dot per kernel and matrix.
func (c *comparison) column(canvas draw.Canvas, precision kernels.Precision, axis scale, bottom, top, height vg.Length) {
	x := func(v float64) vg.Length { return canvas.X(axis.norm.Normalize(axis.min, axis.max, v)) }
	low, high := canvas.Min.Y+bottom, canvas.Max.Y-top
	heading{text: string(precision)}.Plot(draw.Crop(canvas, 0, 0, bottom, -top), nil)

	tick := at(typeface(tickSize, false, softColor), text.XCenter, text.YTop)
	for _, t := range spaced(axis.ticks, x, tick) {
		style := draw.LineStyle{Color: gridColor, Width: 0.7}
		if t.Value == 1 {
			style = draw.LineStyle{Color: lineColor, Width: 1.2}
		}
		canvas.StrokeLine2(style, x(t.Value), low, x(t.Value), high)
		canvas.FillText(tick, vg.Point{X: x(t.Value), Y: low - 4}, t.Label)
	}

	number := at(typeface(tickSize, true, inkColor), text.XLeft, text.YCenter)
	pitch := c.pitch()
	for i, m := range c.matrices {
		gains := c.gains[precision][m]
		var best *gain
		var bestY, reach vg.Length
		for k := range gains {
			g := &gains[k]
			slot := slices.Index(c.kernels, g.Row.Kernel)
			if best == nil || g.Ratio > best.Ratio {
				best, bestY = g, high-vg.Length(i)*height-height/2
				if slot >= 0 {
					bestY += pitch * (vg.Length(len(c.kernels)-1)/2 - vg.Length(slot))
				}
			}
			if slot < 0 {
				continue
			}
			y := high - vg.Length(i)*height - height/2 + pitch*(vg.Length(len(c.kernels)-1)/2-vg.Length(slot))
			look := lookOf(g.Row.Kernel)
			if pitch >= 4 {
				canvas.StrokeLine2(draw.LineStyle{Color: look.Color, Width: pitch * 0.36}, x(1), y, x(g.Ratio), y)
			}
			whisker := look.Color
			if pitch >= 4 {
				whisker = inkColor // against the bar
			}
			canvas.StrokeLine2(draw.LineStyle{Color: whisker, Width: 0.9}, x(g.Low), y, x(g.High), y)
			look.Marker.draw(canvas, vg.Point{X: x(g.Ratio), Y: y}, min(3.4, max(3, pitch*0.42)), look.Color)
			reach = max(reach, x(g.High))
		}
		if best != nil {
			if pitch >= 4 {
				reach = x(best.High)
			} else {
				bestY = high - vg.Length(i)*height - height/2
			}
			canvas.FillText(number, vg.Point{X: max(reach, x(best.Ratio)) + 6, Y: bestY}, significant(best.Ratio, 2)+"×")
		}
	}
}

// spaced leaves out ticks whose labels would touch, keeping 1.
func spaced(ticks []plot.Tick, x func(float64) vg.Length, style text.Style) []plot.Tick {
	const gap = vg.Length(7)
	var kept []plot.Tick
	free := func(t plot.Tick) bool {
		for _, k := range kept {
			if d := x(t.Value) - x(k.Value); max(d, -d) < (style.Width(t.Label)+style.Width(k.Label))/2+gap {
				return false
			}
		}
		return true
	}
	decade := func(v float64) bool { e := math.Log10(v); return math.Abs(e-math.Round(e)) < 1e-9 }
	for _, pick := range []func(float64) bool{
		func(v float64) bool { return v == 1 },
		decade,
		func(float64) bool { return true },
	} {
		for _, t := range ticks {
			if pick(t.Value) && free(t) {
				kept = append(kept, t)
			}
		}
	}
	return kept
}
