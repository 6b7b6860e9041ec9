package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/tuner/search"
)

const convergenceID = "search-convergence"

func drawConvergence(d *analysis.Data) ([]*canvas.Picture, []error) {
	return convergencePages(d.Searched), nil
}

// Convergence draws how fast searches came near the best, as the report does for some of the
// recorded grids: a picture for each device and cache state, in the order of the outcomes. The
// format is one of canvas.Formats.
func Convergence(outcomes []search.Outcome, format string) ([][]byte, error) {
	var pictures [][]byte
	for _, p := range convergencePages(analysis.Searches{Outcomes: outcomes}) {
		picture, err := p.Encode(format)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, picture)
	}
	return pictures, nil
}

// strategyLook returns how a strategy is drawn. The whole grid in random order is the baseline
// of the others.
func strategyLook(name string) canvas.Look {
	i := max(0, slices.Index(search.Names(), name))
	l := canvas.Look{Color: canvas.Hues[i%len(canvas.Hues)], Marker: canvas.Markers[i%len(canvas.Markers)]}
	if name == wholeGrid {
		l.Color, l.Dashes = canvas.SoftColor, []vg.Length{3, 2}
	}
	return l
}

const wholeGrid = "random"

func convergencePages(s analysis.Searches) []*canvas.Picture {
	conditions, of := s.ByCondition()
	var pages []*canvas.Picture
	for _, c := range conditions {
		words := string(c.Cache) + " cache, " + analysis.ShortDevice(c.Device)
		p := convergencePage(of[c], s.Left, words)
		p.Name, p.About.Cache = convergenceID, c.Cache
		if len(conditions) > 1 {
			p.Name = canvas.Slug(convergenceID, words)
		}
		pages = append(pages, p)
	}

	return pages
}

// convergencePage has a panel for each strategy, with the lines of the others in it. left is
// the number of grids that were not searched.
func convergencePage(outcomes []search.Outcome, left int, words string) *canvas.Picture {
	curves := search.Converge(outcomes, sharesDrawn())
	panels := slices.DeleteFunc(slices.Clone(curves),
		func(c search.Curve) bool { return c.Strategy == wholeGrid && len(curves) > 1 })
	drawn := canvas.Panels{X: "device time (% of the whole grid's)", Y: "slower than the fastest of the grid (%)"}
	x, y := convergenceScales(curves, canvas.ColumnsFor(len(panels)))
	for _, own := range panels {
		drawn.List = append(drawn.List, convergencePanel(own, curves, x, y))
	}
	p := &canvas.Picture{Alt: term.GroupedCount(len(panels), "panel", "panels") + ", a strategy each", Height: drawn.Height(),
		Body: drawn.Draw, Subtitle: searchedWords(outcomes, left) + wordsOf(convergenceID).Says}
	for _, c := range curves {
		p.Keys = append(p.Keys, canvas.Key{Text: c.Strategy, Look: strategyLook(c.Strategy)})
	}
	entitle(p, convergedWords(curves), "How fast searches find the best, "+words)
	return p
}

// convergedWords states what the best of the searches saves and loses.
func convergedWords(curves []search.Curve) string {
	best := -1
	for i, c := range curves {
		if c.Strategy != wholeGrid && (best < 0 || c.End.Median < curves[best].End.Median ||
			c.End.Median == curves[best].End.Median && c.End.Share < curves[best].End.Share) {
			best = i
		}
	}
	if best < 0 || math.IsInf(curves[best].End.Median, 0) {
		return ""
	}
	c := curves[best]
	finds := "finds the fastest"
	if 100*c.End.Median >= lowestLoss {
		finds = "comes within " + term.ShortPercent(c.End.Median) + " of the fastest"
	}
	return fmt.Sprintf("The strategy %s %s in %s of the time that trying everything takes", c.Strategy, finds,
		term.ShortPercent(c.End.Share))
}

// searchedWords says what searches were replayed on.
func searchedWords(outcomes []search.Outcome, left int) string {
	grids := map[*search.Grid]bool{}
	least, most := math.MaxInt, 0
	for _, o := range outcomes {
		grids[o.Grid] = true
		least, most = min(least, len(o.Grid.Trials)), max(most, len(o.Grid.Trials))
	}

	configs := term.Grouped(most)
	if least < most {
		configs = term.Grouped(least) + " to " + configs
	}
	text := fmt.Sprintf("Replayed on %s of %s configurations, %s each",
		term.GroupedCount(len(grids), "recorded grid", "recorded grids"), configs,
		term.GroupedCount(len(outcomes[0].Paths), "seed", "seeds"))
	if left > 0 {
		text += fmt.Sprintf("; %d more are left to spmvtune replay", left)
	}
	return text + "."
}

// sharesDrawn returns the shares of the grid's device time at which curves are drawn.
func sharesDrawn() []float64 {
	const lowest, n = 1e-4, 400
	shares := make([]float64, n+1)
	for i := range shares {
		shares[i] = lowest * math.Pow(1/lowest, float64(i)/n)
	}
	return shares
}

// Losses in percent: what is below the lowest is drawn there, and what is above the
// highest is not drawn.
const (
	lowestLoss  = 0.1
	highestLoss = 100
)

// convergenceScales returns the scales of all panels.
func convergenceScales(curves []search.Curve, columns int) (x, y canvas.Scale) {
	first, top := 0.5, 0.1
	for _, c := range curves {
		for _, q := range shown(c) {
			first, top = min(first, q.Share), max(top, q.Median)
		}
	}
	return canvas.LogBetween(100*first/1.1, 105, 14/columns),
		canvas.LogBetween(lowestLoss, min(120*top, highestLoss), 9)
}

// shown returns the points of a curve from the first one that is low enough.
func shown(c search.Curve) []search.CurvePoint {
	i := slices.IndexFunc(c.Points, func(q search.CurvePoint) bool { return 100*q.Median <= highestLoss })
	if i < 0 {
		return nil
	}
	return c.Points[i:]
}

func convergencePanel(own search.Curve, all []search.Curve, x, y canvas.Scale) canvas.Panel {
	p := canvas.Panel{Heading: own.Strategy, Note: "ends after " + term.ShortPercent(own.End.Share), X: x, Y: y}
	look := strategyLook(own.Strategy)
	p.Add(canvas.Band{Points: medians(own), Color: look.Color})
	for _, c := range all {
		if c.Strategy != own.Strategy {
			p.Add(canvas.Curve{Points: medians(c), Look: strategyLook(c.Strategy), Width: 0.7})
		}
	}
	end := canvas.Exact(100*own.End.Share, 100*own.End.Median)
	end.Words = fmt.Sprintf("%s ends after %s of the grid's device time, %s slower than its fastest (median of the grids)",
		own.Strategy, term.ShortPercent(own.End.Share), term.ShortPercent(own.End.Median))
	p.Add(canvas.Curve{Points: medians(own), Look: look, Width: 2},
		canvas.Marks{Points: []canvas.Point{end}, Look: look, Radius: 4})
	return p
}

// medians are the points of a curve with quartiles, in percent.
func medians(c search.Curve) []canvas.Point {
	var points []canvas.Point
	for _, q := range shown(c) {
		points = append(points, canvas.Point{X: 100 * q.Share, Y: 100 * q.Median, Low: 100 * q.Low, High: 100 * q.High})
	}
	return points
}
