package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/term"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
)

const convergenceID = "search-convergence"

func drawConvergence(d *data) ([]*page, []error) { return convergencePages(d.searched), nil }

// Convergence draws how fast searches came near the best, as the report does of some of
// the recorded grids: a picture for each device and cache state, in the order of the
// outcomes. The format is "png", "svg" or "pdf".
func Convergence(outcomes []replay.Outcome, format string) ([][]byte, error) {
	var pictures [][]byte
	for _, p := range convergencePages(searched{outcomes: outcomes}) {
		picture, err := p.encode(format)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, picture)
	}
	return pictures, nil
}

// strategyLook is how a strategy is drawn, the same everywhere. The whole grid in random
// order is what the others are compared with.
func strategyLook(name string) look {
	i := max(0, slices.Index(search.Names(), name))
	l := look{Color: hues[i%len(hues)], Marker: markers[i%len(markers)]}
	if name == wholeGrid {
		l.Color, l.Dashes = softColor, []vg.Length{3, 2}
	}
	return l
}

const wholeGrid = "random"

func convergencePages(s searched) []*page {
	places, of := s.byPlace()
	var pages []*page
	for _, place := range places {
		p := convergencePage(of[place], s.left)
		p.Name, p.Title = convergenceID, p.Title+": "+place
		if len(places) > 1 {
			p.Name = slug(convergenceID, place)
		}
		pages = append(pages, p)
	}
	return pages
}

// convergencePage has a panel for each strategy, with the lines of the others in it. So
// many grids more were not searched.
func convergencePage(outcomes []replay.Outcome, left int) *page {
	curves := replay.Converge(outcomes, sharesDrawn())
	p := &page{Title: "How fast searches find the best", keys: []key{}}
	for _, c := range curves {
		p.keys = append(p.keys, key{text: c.Strategy, look: strategyLook(c.Strategy)})
	}
	p.Subtitle = searchedWords(outcomes, left) + " Thick: median of the fastest that a search knows at a time; band: quartiles over grids and seeds; " +
		"mark: where searches end by themselves. At the lower edge: at most " + plain(lowestLoss) + "%."
	panels := slices.DeleteFunc(slices.Clone(curves), func(c replay.Curve) bool { return c.Strategy == wholeGrid && len(curves) > 1 })
	p.Alt = term.GroupedCount(len(panels), "panel", "panels") + ", a strategy each"
	columns := columnsFor(len(panels))
	p.height = vg.Length((len(panels)+columns-1)/columns)*panelHeight(columns) + 24
	x, y := convergenceScales(curves, columns)
	drawn := make([]*plot.Plot, len(panels))
	for i, own := range panels {
		drawn[i] = convergencePlot(own, curves, x, y)
	}
	p.body = func(c draw.Canvas) {
		drawPlots(c, drawn, columns, "device time (% of that of the whole grid)", "slower than the fastest of the grid (%)")
	}
	return p
}

// searchedWords say what searches were replayed on.
func searchedWords(outcomes []replay.Outcome, left int) string {
	grids := map[*replay.Grid]bool{}
	least, most := math.MaxInt, 0
	for _, o := range outcomes {
		grids[o.Grid] = true
		least, most = min(least, len(o.Grid.Trials)), max(most, len(o.Grid.Trials))
	}
	configs := term.Grouped(most)
	if least < most {
		configs = term.Grouped(least) + " to " + configs
	}
	text := fmt.Sprintf("Replayed on %s of %s configurations, %s each", term.GroupedCount(len(grids), "recorded grid", "recorded grids"), configs, term.GroupedCount(len(outcomes[0].Paths), "seed", "seeds"))
	if left > 0 {
		text += fmt.Sprintf("; %d more are left to spmvtune replay", left)
	}
	return text + "."
}

// sharesDrawn are the shares of the grid's device time at which curves are drawn.
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

// convergenceScales are the same for all panels.
func convergenceScales(curves []replay.Curve, columns int) (x, y scale) {
	first, top := 0.5, 0.1
	for _, c := range curves {
		for _, q := range shown(c) {
			first, top = min(first, q.Share), max(top, q.Median)
		}
	}
	return logBetween(100*first/1.1, 105, 14/columns), logBetween(lowestLoss, min(120*top, highestLoss), 9)
}

// shown are the points of a curve from the first on that is low enough.
func shown(c replay.Curve) []replay.CurvePoint {
	i := slices.IndexFunc(c.Points, func(q replay.CurvePoint) bool { return 100*q.Median <= highestLoss })
	if i < 0 {
		return nil
	}
	return c.Points[i:]
}

func convergencePlot(own replay.Curve, all []replay.Curve, x, y scale) *plot.Plot {
	p := newPlot()
	x.apply(&p.X)
	y.apply(&p.Y)
	p.Add(thinGrid(), heading{own.Strategy, "ends after " + percent(own.End.Share)}, convergenceBand{own})
	for _, c := range all {
		if c.Strategy != own.Strategy {
			p.Add(convergenceLine{c, 0.7, false})
		}
	}
	p.Add(convergenceLine{own, 2, true})
	return p
}

// placed gives the place of a share and a loss, which is moved to the edge if it is beyond.
func placed(c draw.Canvas, p *plot.Plot) func(share, loss float64) vg.Point {
	tx, ty := p.Transforms(&c)
	return func(share, loss float64) vg.Point {
		return vg.Point{X: tx(min(100*share, p.X.Max)), Y: ty(min(max(100*loss, p.Y.Min), p.Y.Max))}
	}
}

type convergenceBand struct{ replay.Curve }

func (b convergenceBand) Plot(c draw.Canvas, p *plot.Plot) {
	at, points := placed(c, p), shown(b.Curve)
	var outline []vg.Point
	for _, q := range points {
		outline = append(outline, at(q.Share, q.High))
	}
	for _, q := range slices.Backward(points) {
		outline = append(outline, at(q.Share, q.Low))
	}
	if len(outline) > 0 {
		c.FillPolygon(fade(strategyLook(b.Strategy).Color), outline)
	}
}

type convergenceLine struct {
	replay.Curve
	width  vg.Length
	marked bool // where it ends
}

func (l convergenceLine) Plot(c draw.Canvas, p *plot.Plot) {
	at, look := placed(c, p), strategyLook(l.Strategy)
	var line []vg.Point
	for _, q := range shown(l.Curve) {
		line = append(line, at(q.Share, q.Median))
	}
	if len(line) == 0 {
		return
	}
	c.StrokeLines(look.line(l.width), line)
	if !l.marked {
		return
	}
	end := at(l.End.Share, l.End.Median)
	look.mark(c, end, 4)
	hover(c, end, func() string {
		return fmt.Sprintf("%s ends after %s of the grid's device time, %s slower than its fastest (median of the grids)",
			l.Strategy, percent(l.End.Share), percent(l.End.Median))
	})
}
