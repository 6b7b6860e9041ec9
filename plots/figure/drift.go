package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// drawDrift draws the sentinels: a picture for each device.
func drawDrift(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for start := 0; start < len(d.Drifts); {
		end := start
		for end < len(d.Drifts) && d.Drifts[end].Device == d.Drifts[start].Device {
			end++
		}
		pages = append(pages, driftPage(d, d.Drifts[start:end]))
		start = end
	}

	return pages, nil
}

// cacheLook returns how a cache state is drawn.
func cacheLook(cache trial.Cache) canvas.Look {
	i := 0
	if cache == trial.Cold {
		i = 1
	}
	return canvas.Look{Color: canvas.Hues[i], Marker: canvas.Markers[i]}
}

// mostReach is how far the axis of drift goes from 1 at most: down to 0 and up to 2.
const mostReach = 1

// driftPage draws the sentinels of a device: their courses, or marks in rows where each was measured
// again once.
func driftPage(d *data.Report, of []store.Drift) *canvas.Picture {
	draw, room := driftStrip, mostMatrices.here()
	if slices.ContainsFunc(of, func(s store.Drift) bool { return len(s.Points) >= fewestInLine }) {
		draw, room = driftCourses, mostPanels.here()
	}
	panels, reach := driftPanels(of), driftReach(of)
	all := len(panels)
	if all > room {
		panels = mostDrifted(panels)[:room]
	}

	p := draw(panels, min(reach, mostReach))
	p.Name = fileStem(d, "drift", of[0].Device)
	title, counts := largestWords(of)
	p.Subtitle += counts
	if all > len(panels) {
		p.Subtitle += fmt.Sprintf(" The %d of %d matrices that drifted most.", len(panels), all)
	}
	if reach > mostReach {
		p.Subtitle += " What lies above the axis is drawn at its end."
	}
	entitle(p, title, "Drift, "+d.DeviceWords(of[0].Device))
	return p
}

// cachesOf lists the cache states of panels.
func cachesOf(panels []driftPanel) []trial.Cache {
	var caches []trial.Cache
	for _, cache := range []trial.Cache{trial.Cold, trial.Warm} {
		if slices.ContainsFunc(panels, func(dp driftPanel) bool {
			return slices.ContainsFunc(dp.series, func(s store.Drift) bool { return s.Cache == cache })
		}) {
			caches = append(caches, cache)
		}
	}
	return caches
}

// driftCourses draws a panel for each matrix.
func driftCourses(panels []driftPanel, reach float64) *canvas.Picture {
	p := &canvas.Picture{
		Subtitle: "Time of a repeated trial divided by its first time. Bars: 95% interval within the run; lines: " +
			"the median of three in a row.",
		Alt: fmt.Sprintf("%s, a panel per matrix", term.GroupedCount(len(panels), "panel", "panels")),
	}
	for _, cache := range slices.Backward(cachesOf(panels)) {
		p.Keys = append(p.Keys, canvas.Key{Text: string(cache) + " cache", Look: cacheLook(cache)})
	}
	columns := chart.ColumnsFor(len(panels))
	rows := (len(panels) + columns - 1) / columns
	p.Height = vg.Length(rows)*chart.PanelHeight(columns) + 24

	var most time.Duration
	for i := range panels {
		most = max(most, panels[i].span())
	}
	unit, unitName := unitOf(most)

	drawn := make([]*plot.Plot, len(panels))
	for i := range panels {
		drawn[i] = panels[i].plot(reach, unit, max(4, 8-columns))
	}
	p.Body = func(c draw.Canvas) {
		chart.DrawPlots(c, drawn, columns, unitName+" since the first measurement",
			"time of the sentinel over its first")
	}
	return p
}

// driftReach is how far the axis goes to either side of 1, the same for all matrices.
func driftReach(of []store.Drift) float64 {
	reach := 0.02
	for _, s := range of {
		for _, q := range s.Points {
			reach = max(reach, math.Abs(q.Low-1), math.Abs(q.High-1), math.Abs(q.Value-1))
		}
	}
	return reach
}

// largestWords states the largest drift, and says whether it counts.
func largestWords(of []store.Drift) (title, counts string) {
	worst, factor := data.LargestDrift(of)
	return fmt.Sprintf("Repeated trials drifted by %s at most, on %s with a %s cache", number.Change(factor),
		worst.Matrix, worst.Cache), " The largest drift is " + data.Counting(worst, factor) + "."
}

// A driftPanel holds the series of one matrix.
type driftPanel struct {
	matrix string
	series []store.Drift
}

func driftPanels(of []store.Drift) []driftPanel {
	var panels []driftPanel
	for _, s := range of {
		if n := len(panels); n == 0 || panels[n-1].matrix != s.Matrix {
			panels = append(panels, driftPanel{matrix: s.Matrix})
		}
		p := &panels[len(panels)-1]
		p.series = append(p.series, s)
	}
	return panels
}

// mostDrifted sorts matrices by their drift, the largest first.
func mostDrifted(panels []driftPanel) []driftPanel {
	drift := func(dp driftPanel) float64 {
		_, factor := data.LargestDrift(dp.series)
		return math.Abs(math.Log(factor))
	}
	return slices.SortedStableFunc(slices.Values(panels), func(a, b driftPanel) int {
		return cmp.Compare(drift(b), drift(a))
	})
}

// first returns when the first sentinel was measured, in milliseconds since 1970.
func (dp driftPanel) first() int64 {
	first := dp.series[0].Points[0].At
	for _, s := range dp.series {
		first = min(first, s.Points[0].At)
	}
	return first
}

// span returns the time from the first sentinel to the last.
func (dp driftPanel) span() time.Duration {
	var last int64
	for _, s := range dp.series {
		last = max(last, s.Points[len(s.Points)-1].At)
	}
	return time.Duration(last-dp.first()) * time.Millisecond
}

func (dp driftPanel) plot(reach float64, unit time.Duration, labels int) *plot.Plot {
	p := canvas.NewPlot()
	note := ""
	for _, s := range dp.series {
		if s.Significant {
			note = "taken out of comparisons"
		}
	}

	elapsed(dp.span(), unit, labels).Apply(&p.X)
	aroundOne(reach).Apply(&p.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal = draw.LineStyle{Color: canvas.GridColor, Width: 0.7}
	p.Add(grid, chart.Heading{Text: dp.matrix, Note: note}, unity{})

	for _, s := range dp.series {
		p.Add(driftLine{s, dp.first(), unit})
	}
	return p
}

// aroundOne returns a scale for ratios near 1, with a tick to either side of it at least.
func aroundOne(reach float64) canvas.Scale {
	step := canvas.NiceStep(2*reach, 4)
	for n := 5; step > 1.05*reach; n++ {
		step = canvas.NiceStep(2*reach, n)
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	s := canvas.Scale{Min: max(0, 1-1.05*reach), Max: 1 + 1.05*reach, Norm: plot.LinearScale{}}
	for i := math.Ceil((s.Min - 1) / step); 1+i*step <= s.Max; i++ {
		v := 1 + i*step
		s.Ticks = append(s.Ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return s
}

// unitOf returns the unit for times up to most, with its name.
func unitOf(most time.Duration) (time.Duration, string) {
	switch {
	case most >= 2*time.Hour:
		return time.Hour, "hours"
	case most >= 2*time.Minute:
		return time.Minute, "minutes"
	}
	return time.Second, "seconds"
}

// elapsed returns a scale for times from 0 to most.
func elapsed(most, unit time.Duration, labels int) canvas.Scale {
	top := max(most.Seconds()/unit.Seconds(), 0.01)
	s := canvas.FromZero(top, labels)
	s.Min, s.Max = -0.03*top, 1.03*top
	return s
}

// unity draws the line of a device without drift.
type unity struct{}

func (unity) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: canvas.LineColor, Width: 0.8, Dashes: []vg.Length{4, 3}}, c.Min.X, ty(1),
		c.Max.X, ty(1))
}

// A driftLine is one series: each sentinel with its interval, and a line through the factors
// that comparisons use.
type driftLine struct {
	store.Drift
	first int64 // The time where its axis begins.
	unit  time.Duration
}

func (l driftLine) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	look := cacheLook(l.Cache)
	within := func(v float64) float64 { return min(max(v, p.Y.Min), p.Y.Max) }
	x := func(at int64) vg.Length { return tx(float64(at-l.first) / 1e3 / l.unit.Seconds()) }
	bar := draw.LineStyle{Color: canvas.Fade(look.Color), Width: 2.5}

	line := make([]vg.Point, len(l.Points))
	for i, q := range l.Points {
		line[i] = vg.Point{X: x(q.At), Y: ty(within(l.Factor(q.At)))}
		c.StrokeLine2(bar, x(q.At), ty(within(q.Low)), x(q.At), ty(within(q.High)))
	}

	if len(line) >= fewestInLine {
		c.StrokeLines(look.Line(1.3), line)
	}
	for _, q := range l.Points {
		at := vg.Point{X: x(q.At), Y: ty(within(q.Value))}
		look.Mark(c, at, 2.2)
		canvas.Hover(c, at, func() string { return aboutSentinel(&q) })
	}
}

// aboutSentinel returns the tip of a sentinel.
func aboutSentinel(q *store.Sentinel) string {
	times := func(v float64) string { return number.Significant(v, 4) }
	return chart.Between(times, q.Value, q.Low, q.High) + " times as long as at first. " + data.About(q.Trial)
}
