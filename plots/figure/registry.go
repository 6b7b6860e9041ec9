// SPDX-License-Identifier: Apache-2.0

// Package figure draws the figures of a report. All is the registry: a figure is an entry of figures.toml
// and a function that turns an analysis.Data into pictures.
package figure

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/tuner/trial"
)

// A Figure is an entry of the registry: what it is called, what it shows and needs, and how
// it is drawn.
type Figure struct {
	// ID names the figure's files. It stands in `report --figure` and in [report] figures.
	ID string
	// Source is the paper's figure that this one regenerates. It may be empty.
	Source string
	// Title says in one line what the figure shows.
	Title string
	// See says what a reader should look for.
	See string
	// Sweep is the shipped sweep that produces the data.
	Sweep string
	// Needs says what to change in a sweep that has trials but no data for the figure.
	Needs string
	// Heading begins the titles of pages; "" for Title.
	Heading string
	// Says is what a page says of its marks, or how it begins to.
	Says string
	// Only says where the figure is that the page does not show: "files" is among all files, as the page
	// shows the same in another form, and "named" is drawn only when it is named.
	Only string
}

// A drawing makes the pictures that the data allows, none where there is no data. The errors are warnings.
type drawing func(d *analysis.Data) ([]*canvas.Picture, []error)

// paged has a picture for each part of the data; page returns nil where a part shows nothing.
func paged[T any](parts func(*analysis.Data) []T, page func(*analysis.Data, T) *canvas.Picture) drawing {
	return func(d *analysis.Data) (pages []*canvas.Picture, _ []error) {
		for _, part := range parts(d) {
			if p := page(d, part); p != nil {
				pages = append(pages, p)
			}
		}
		return pages, nil
	}
}

var drawings = map[string]drawing{
	"winner-map":            paged((*analysis.Data).Setups, winnersPage),
	"matrix-patterns":       drawPatterns,
	"throughput-vs-block":   overBlock.draw,
	"throughput-vs-grid":    overGrid.draw,
	"cpu-bandwidth":         cpuBandwidth.draw,
	"speedup-over-baseline": speedups.draw,
	"gpu-vs-cpu":            gpuAndCPU.draw,
	"prefix-sum-variants":   prefixSums.draw,
	"chunk-and-unroll":      chunksAndUnrolling.draw,
	"average-improvement":   paged(scenesByCondition, averagePage),
	"bandwidth-by-kernel":   csrBandwidth.draw,
	"version-improvement":   newVersions.draw,
	"occupancy":             paged((*analysis.Data).Setups, occupancy.page),
	"warp-efficiency":       paged((*analysis.Data).Setups, warpEfficiency.page),
	"load-efficiency":       paged((*analysis.Data).Setups, loadEfficiency.page),
	"launch-bounds":         launchBounds.draw,
	"gflops-vs-row-length":  paged((*analysis.Data).Conditions, overRowLength.page),
	"roofline":              roofFigure.draw,
	"block-grid-heatmap":    paged((*analysis.Data).Setups, heatmapPage),
	"configurations":        paged(scenesByCondition, configurationsPage),
	"selection-regret":      paged(regretsByCondition, regretPage),
	"break-even":            paged(scenesByCondition, breakEvenPage),
	"run-to-run":            paged(scenesByCondition, runToRunPage),
	"drift":                 paged(driftsByDevice, driftPage),

	// Those that are drawn only when named.
	"csr-compression":             drawCompression,
	"gflops-vs-rows":              paged((*analysis.Data).Conditions, overRows.page),
	"gflops-vs-nnz":               paged((*analysis.Data).Conditions, overNonzeros.page),
	"kernel-gflops-vs-row-length": paged((*analysis.Data).Conditions, kernelsPage),
	"bandwidth-vs-row-length":     paged((*analysis.Data).Conditions, bandwidthOverRowLength.page),
}

//go:embed figures.toml
var described string

// All are the figures, in the order of the report. `go test ./plots/figure -regen` writes
// what is derived from them: the golden images, the ids that configs accepts, and the list
// in the gallery.
var All = func() []Figure {
	var file struct{ Figure []Figure }
	if _, err := toml.Decode(described, &file); err != nil {
		panic(err) // the file is a part of the program
	}
	return file.Figure
}()

// wordsOf returns the entry of a figure.
func wordsOf(id string) *Figure { return &All[slices.Index(IDs(), id)] }

// IDs lists the ids of all figures.
func IDs() []string { return lists.Of(All, func(f Figure) string { return f.ID }) }

// A Drawn is a figure with its pictures.
type Drawn struct {
	*Figure
	Pictures []*canvas.Picture
	Omitted  int // The number of pictures of single matrices beyond the limit, which were not made.
}

// Draw makes the pictures that the data allows. Each has a note on the twins among its
// matrices. The errors are warnings.
func (f *Figure) Draw(d *analysis.Data) (Drawn, []error) {
	pictures, warnings := drawings[f.ID](d)
	out := Drawn{Figure: f}

	details := 0
	for _, p := range pictures {
		if p.Detail {
			if details++; details > MostDetails {
				out.Omitted++
				continue
			}
		}
		p.Caption(twinNote(d, p))
		out.Pictures = append(out.Pictures, p.Fitted()...)
	}
	return out, warnings
}

// MostDetails is the most pictures of single matrices that a figure has. Hundreds would take
// minutes, and nobody would look through them. A report on some of the matrices has theirs.
const MostDetails = 24

// twinNote names the twins among the matrices on a picture.
func twinNote(d *analysis.Data, p *canvas.Picture) string {
	if p.Matrices == nil {
		return analysis.Twins(d.Matrices)
	}
	shown := func(m trial.Matrix) bool { return slices.Contains(p.Matrices, m.Name) }
	return analysis.Twins(lists.Where(d.Matrices, shown))
}

// Choose returns the figures with these ids in the registry's order or, without ids, all but those that are drawn
// only when named.
func Choose(ids []string) ([]*Figure, error) {
	for _, id := range ids {
		if !slices.Contains(IDs(), id) {
			return nil, fmt.Errorf("unknown figure %q: %s", id, configs.Suggest(id, "figures", IDs(), ""))
		}
	}

	var chosen []*Figure
	for i := range All {
		if len(ids) == 0 && All[i].Only != "named" || slices.Contains(ids, All[i].ID) {
			chosen = append(chosen, &All[i])
		}
	}

	return chosen, nil
}

// Lacks says what to do for a figure without data.
func (f *Figure) Lacks(d *analysis.Data) error {
	if len(d.Panels) == 0 {
		return fmt.Errorf("no data for figure %s: `run %s` produces it", f.ID, f.Sweep)
	}
	return fmt.Errorf("no data for figure %s: %s", f.ID, f.Needs)
}

// fileStem makes the name of a picture: the figure, the device where there are several, and the rest.
func fileStem(d *analysis.Data, figure string, about analysis.Setup, rest ...string) string {
	if n := len(d.Panels); n > 0 && d.Panels[0].Device != d.Panels[n-1].Device {
		figure += " " + analysis.ShortDevice(about.Device)
	}
	return canvas.Slug(append([]string{figure, string(about.Precision), string(about.Cache)}, rest...)...)
}

// A body is what a picture shows below its legend.
type body interface {
	Height() vg.Length
	Draw(c draw.Canvas)
}

// A stack has bodies below each other, at a distance.
type stack []body

const stackGap = vg.Length(10)

func (s stack) Height() vg.Length {
	return lists.Sum(s, body.Height) + stackGap*vg.Length(len(s)-1)
}

func (s stack) Draw(c draw.Canvas) {
	for _, b := range s {
		own := c
		own.Min.Y = c.Max.Y - b.Height()
		b.Draw(own)
		c.Max.Y = own.Min.Y - stackGap
	}
}

// pictureOf is a picture of a figure, with its title, where it was measured, and what figures.toml says of its marks.
func pictureOf(d *analysis.Data, id string, about analysis.Setup, alt string, of body) *canvas.Picture {
	words := wordsOf(id)
	p := &canvas.Picture{Name: fileStem(d, id, about), About: about, Title: cmp.Or(words.Heading, words.Title),
		Subtitle: words.Says, Alt: alt, Height: of.Height(), Body: of.Draw}
	p.Bars, _ = of.(*canvas.Bars)
	if about.Precision != "" {
		p.Title += ", " + string(about.Precision)
	}
	if about.Cache != "" {
		p.Where = d.ConditionWords(about.Condition)
	} else if about.Device != "" {
		p.Where = d.DeviceWords(about.Device)
	}
	return p
}

// someOf says that a picture shows some of many, "" where it shows all.
func someOf(shown, all int, what string) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(" %d of %s %s.", shown, term.Grouped(all), what)
}

// inGrey says how many kernels have no colour, "" for none.
func inGrey(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" Grey: the other %s.", term.Count(n, "kernel", "kernels"))
}

// NeedRule reports whether one of these figures shows a learned rule.
func NeedRule(ids []string) bool { return slices.Contains(ids, "selection-regret") }

// A limit is how much a picture has room for, on the report's page and in a column of a paper.
type limit struct{ page, column int }

// here is the limit on the page that is drawn for.
func (l limit) here() int {
	if canvas.InPaper() {
		return l.column
	}
	return l.page
}

var (
	mostMatrices     = limit{40, 20}  // rows of bars
	mostBarsOnPage   = limit{120, 48} // bars; more of them are dots on one line for each matrix
	mostSheetRows    = limit{24, 6}   // rows of tiles
	mostSheetColumns = limit{6, 2}    // columns of tiles
	mostPatterns     = limit{25, 9}   // patterns of matrices
	mostKernels      = limit{9, 8}    // panels of kernels
)

// among returns at most so many of a list, from the first to the last at equal distances.
func among[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	some := make([]T, most)
	for i := range some {
		some[i] = list[i*(len(list)-1)/(most-1)]
	}
	return some
}

// columnsOf are the headings of columns for precisions.
func columnsOf(precisions []kernels.Precision) []string {
	return lists.Of(precisions, func(p kernels.Precision) string { return string(p) })
}

// precisionsOf lists the precisions of some panels.
func precisionsOf(panels []analysis.Panel) []kernels.Precision {
	return lists.Distinct(panels, func(p analysis.Panel) kernels.Precision { return p.Precision })
}
