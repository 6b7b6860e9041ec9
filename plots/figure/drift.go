package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/store"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// drawDrift draws the sentinels: a picture for each device.
func drawDrift(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, of := range grouped(d.Drifts, func(s *store.Drift) string { return s.Device }) {
		pages = append(pages, driftPage(d, of))
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
func driftPage(d *analysis.Data, of []store.Drift) *canvas.Picture {
	courses := slices.ContainsFunc(of, func(s store.Drift) bool { return len(s.Points) >= fewestInLine })
	room, draw := mostMatrices.here(), driftStrip
	if courses {
		room, draw = mostPanels.here(), driftCourses
	}
	panels := grouped(of, func(s *store.Drift) string { return s.Matrix })
	all, reach := len(panels), driftReach(of)
	if all > room {
		panels = mostDrifted(panels)[:room]
	}

	drawn, says := draw(panels, min(reach, mostReach))
	names := distinct(panels, func(dp *[]store.Drift) string { return (*dp)[0].Matrix })
	p := pictureOf(d, "drift", analysis.SetupOn(of[0].Device, "", ""), "drift on "+strings.Join(names, ", "), drawn)
	title, counts := largestWords(of)
	p.Subtitle = says + counts + someOf(len(panels), all, "matrices that drifted most")
	if reach > mostReach {
		p.Subtitle += " What lies above the axis is drawn at its end."
	}
	if courses {
		for _, cache := range slices.Backward(cachesOf(panels)) {
			p.Keys = append(p.Keys, canvas.Key{Text: string(cache) + " cache", Look: cacheLook(cache)})
		}
	}
	entitle(p, title, "Drift, "+d.DeviceWords(of[0].Device))
	return p
}

// cachesOf lists the cache states of panels.
func cachesOf(panels [][]store.Drift) []trial.Cache {
	all := slices.Concat(panels...)
	return slices.Sorted(slices.Values(distinct(all, func(s *store.Drift) trial.Cache { return s.Cache })))
}

// driftCourses has a panel for each matrix.
func driftCourses(panels [][]store.Drift, reach float64) (drawn body, says string) {
	var most time.Duration
	for _, dp := range panels {
		_, span := spanOf(dp)
		most = max(most, span)
	}
	unit, unitName := unitOf(most)

	courses := canvas.Panels{X: unitName + " since the first measurement", Y: "time of the sentinel over its first"}
	labels := max(4, 8-canvas.ColumnsFor(len(panels)))
	for _, dp := range panels {
		courses.List = append(courses.List, driftPanel(dp, reach, unit, labels))
	}
	return courses, "Time of a repeated trial divided by its first time. Bars: 95% interval within the run; lines: the " +
		"median of three in a row."
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
	worst, factor := analysis.LargestDrift(of)
	return fmt.Sprintf("Repeated trials drifted by %s at most, on %s with a %s cache", term.Change(factor),
		worst.Matrix, worst.Cache), " The largest drift is " + analysis.Counting(worst, factor) + "."
}

// mostDrifted sorts matrices by their drift, the largest first.
func mostDrifted(panels [][]store.Drift) [][]store.Drift {
	drift := func(dp []store.Drift) float64 {
		_, factor := analysis.LargestDrift(dp)
		return math.Abs(math.Log(factor))
	}
	return slices.SortedStableFunc(slices.Values(panels), func(a, b []store.Drift) int {
		return cmp.Compare(drift(b), drift(a))
	})
}

// spanOf returns when the first sentinel of a matrix was measured, in milliseconds since 1970, and the time from then
// to the last.
func spanOf(dp []store.Drift) (first int64, span time.Duration) {
	first, last := int64(math.MaxInt64), int64(0)
	for _, s := range dp {
		first, last = min(first, s.Points[0].At), max(last, s.Points[len(s.Points)-1].At)
	}
	return first, time.Duration(last-first) * time.Millisecond
}

// driftPanel draws the series of one matrix.
func driftPanel(dp []store.Drift, reach float64, unit time.Duration, labels int) canvas.Panel {
	first, span := spanOf(dp)
	p := canvas.Panel{Heading: dp[0].Matrix, X: elapsed(span, unit, labels), Y: aroundOne(reach)}
	p.Add(canvas.Level(1))
	for _, s := range dp {
		if s.Significant {
			p.Note = "taken out of comparisons"
		}
		look := cacheLook(s.Cache)
		var course, points []canvas.Point // the factors that comparisons use, and the sentinels
		for _, q := range s.Points {
			x := float64(q.At-first) / 1e3 / unit.Seconds()
			course = append(course, canvas.Exact(x, s.Factor(q.At)))
			points = append(points, canvas.Point{X: x, Y: q.Value, Low: q.Low, High: q.High, Words: aboutSentinel(&q)})
		}
		if len(course) >= fewestInLine {
			p.Add(canvas.Curve{Points: course, Look: look, Width: 1.3})
		}
		p.Add(canvas.Marks{Points: points, Look: look, Radius: 2.2, Whiskers: 0.9})
	}
	return p
}

// aroundOne returns a scale for ratios near 1, with a tick to either side of it at least.
func aroundOne(reach float64) canvas.Scale {
	step := canvas.NiceStep(2*reach, 4)
	for n := 5; step > 1.05*reach; n++ {
		step = canvas.NiceStep(2*reach, n)
	}
	return canvas.Steps(max(0, 1-1.05*reach), 1+1.05*reach, 1, step, canvas.Decimals(step))
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

// aboutSentinel returns the tip of a sentinel.
func aboutSentinel(q *store.Sentinel) string {
	times := func(v float64) string { return term.Significant(v, 4) }
	return canvas.Between(times, q.Value, q.Low, q.High) + " times as long as at first. " + analysis.About(q.Trial)
}

// fewestInLine is the fewest sentinels that show a course. Of two there is one ratio.
const fewestInLine = 3

// driftStrip has a row for each matrix, whose sentinel was measured again once.
func driftStrip(panels [][]store.Drift, reach float64) (drawn body, says string) {
	b := &canvas.Bars{Slots: 1, Label: "time of the sentinel over its first", Origin: 1, Dots: true,
		Number: term.Change, Axis: aroundOne(reach)}
	caches := cachesOf(panels)
	for _, cache := range caches {
		b.Columns = append(b.Columns, string(cache)+" cache")
	}
	for _, dp := range panels {
		row := canvas.BarRow{Name: dp[0].Matrix, Cells: make([][]canvas.Mark, len(caches))}
		for _, s := range dp {
			if len(s.Points) > 1 {
				q, at := s.Points[1], slices.Index(caches, s.Cache)
				row.Cells[at] = append(row.Cells[at], canvas.Mark{Look: cacheLook(s.Cache), V: q.Value, Low: q.Low, High: q.High,
					Hollow: math.NaN(), Name: aboutSentinel(&q)})
			}
		}
		b.Rows = append(b.Rows, row)
	}
	return b, "A trial that was measured first and last: its second time divided by its first. Lines: 95% interval within " +
		"the run."
}

// A wobble is how far measuring a configuration again moves its time, in one place.
type wobble struct {
	between float64 // The difference that most pairs of runs stay below, as a fraction.
	within  float64 // The median half width of intervals within the run, as a fraction.
}

func wobbleOf(p *analysis.Panel) (wobble, bool) {
	var w wobble
	var half []float64
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Factor > 1 {
			w.between = max(w.between, r.Factor-1)
		}
		if r.WithinLow > 0 && r.Median > 0 {
			half = append(half, max(r.WithinHigh-r.Median, r.Median-r.WithinLow)/r.Median)
		}
	}
	w.within = analysis.Middle(half)
	return w, w.between > 0
}

// runToRunPage draws how far repeating a trial moves its time on each matrix.
func runToRunPage(d *analysis.Data, s *scene) *canvas.Picture {
	found := map[spot]wobble{}
	worst := map[string]float64{}
	var matrices []string
	for i := range s.panels {
		p := &s.panels[i]
		w, ok := wobbleOf(p)
		if !ok {
			continue
		}
		found[spot{p.Matrix, p.Precision}] = w
		if _, seen := worst[p.Matrix]; !seen {
			matrices = append(matrices, p.Matrix)
		}
		worst[p.Matrix] = max(worst[p.Matrix], w.between)
	}
	if len(matrices) == 0 {
		return nil
	}

	of := len(matrices)
	slices.SortStableFunc(matrices, func(a, b string) int { return cmp.Compare(worst[b], worst[a]) })
	matrices = matrices[:min(of, mostMatrices.here())]
	precisions := precisionsOf(s.panels)
	p := pictureOf(d, "run-to-run", s.about, "spread on "+analysis.Enumerate(matrices), runToRunRows(found, matrices, precisions))
	p.Subtitle = fmt.Sprintf(p.Subtitle, term.ShortPercent(stat.Share))
	p.Subtitle += someOf(len(matrices), of, "matrices that move most")

	var all []float64
	for _, w := range found {
		all = append(all, w.between)
	}
	statement := fmt.Sprintf("Measuring a trial again mostly moves its time by less than %s",
		term.ShortPercent(analysis.Middle(all)))
	if largest := worst[matrices[0]]; term.ShortPercent(largest) != term.ShortPercent(analysis.Middle(all)) {
		statement += fmt.Sprintf(", %s on %s", term.ShortPercent(largest), matrices[0])
	}
	entitle(p, statement, "Run-to-run spread, "+s.words)
	return p
}

func runToRunRows(found map[spot]wobble, matrices []string, precisions []kernels.Precision) *canvas.Bars {
	b := &canvas.Bars{Slots: 1, Dots: true, Label: "difference between two runs of a trial", Origin: math.NaN(),
		Number: func(v float64) string { return term.Significant(100*v, 2) + "%" }}
	for _, precision := range precisions {
		b.Columns = append(b.Columns, string(precision))
	}
	b.Rows = canvas.NewRows(matrices, nil, len(precisions), func(m string, column int) []canvas.Mark {
		w, ok := found[spot{m, precisions[column]}]
		if !ok {
			return nil
		}
		mark := canvas.Mark{Look: canvas.Look{Color: canvas.Hues[column]}, V: w.between, Low: w.between, High: w.between,
			Hollow: w.within, Name: m}
		if !(w.within > 0) { // a logarithmic axis has no place for it
			mark.Hollow = math.NaN()
		}
		return []canvas.Mark{mark}
	})
	low, high := b.Reach()
	b.Axis = canvas.NewScale(low/1.2, high*1.2, plot.LogScale{},
		[]float64{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}, term.ShortPercent)
	return b
}
