package plots

import (
	"fmt"
	"strings"
)

// A Figure is an entry of the registry: what it is called, where it comes from
// and how it is drawn.
type Figure struct {
	ID     string // names its files, `report --figure` and [report] figures
	Source string // the paper's figure that it regenerates
	Title  string
	See    string // what a reader should look for
	Sweep  string // the shipped sweep that produces its data
	Needs  string // what to add to a sweep that has trials, but no data for it

	// draw makes the pages that the data allows, none where there is no data.
	draw func(d *data) ([]*page, []error)
}

// Figures are all figures, in the order of the report.
var Figures = []Figure{
	{
		ID:     "matrix-patterns",
		Source: "coo-spmv-final Fig. 8, coo-spmv-first Fig. 1, csr-shuffle-and-shared Fig. 2",
		Title:  "Patterns of the matrices",
		See:    "Entries near the diagonal or in clusters read neighbouring elements of x, which caches serve; a picture that is evenly filled reads x at random. A dark line across is a row that is longer than the others by far.",
		Sweep:  "quickstart",
		Needs:  "run the sweep again: it was recorded by an older version, and nothing is measured twice",
		draw:   drawPatterns,
	},
	{
		ID:     "throughput-vs-block",
		Source: "coo-spmv-final Fig. 11, coo-spmv-first Fig. 2",
		Title:  "Throughput over block size",
		See:    "Where a line is flat, the block size does not matter and any value will do; where it peaks, it must be tuned. Higher is faster. Bands that overlap mean that the data can't tell two kernels apart.",
		Sweep:  "quickstart",
		Needs:  "give a kernel several block sizes, as in block = { pow2 = [32, 1024] }",
		draw:   func(d *data) ([]*page, []error) { return drawThroughput(d, overBlock) },
	},
	{
		ID:     "throughput-vs-grid",
		Source: "coo-spmv-final Fig. 12, coo-spmv-first Fig. 3",
		Title:  "Throughput over grid size",
		See:    "A line that rises in proportion is limited by the work in flight, one that levels off by memory bandwidth. A line that falls pays for every further block or worker. Higher is faster.",
		Sweep:  "quickstart",
		Needs:  "give a kernel several grid sizes, as in grid = [1, 2, 4]",
		draw:   func(d *data) ([]*page, []error) { return drawThroughput(d, overGrid) },
	},
	{
		ID:     "speedup-over-baseline",
		Source: "coo-spmv-final Fig. 13",
		Title:  "Speed-up over the baseline",
		See:    "Each kernel in its fastest configuration. Bars to the right of 1 are faster than the baseline. Kernels that change places down the page are why a rule must look at the matrix.",
		Sweep:  "quickstart",
		Needs:  "add cpu_coo (or coo_atomic) to the sweep, and another kernel beside it",
		draw:   drawSpeedup,
	},
}

// lacks says what there is to do for a figure without any data.
func (f *Figure) lacks(d *data) error {
	if len(d.panels) == 0 {
		return fmt.Errorf("no data for figure %s: `run %s` produces it", f.ID, f.Sweep)
	}
	return fmt.Errorf("no data for figure %s: %s", f.ID, f.Needs)
}

// undrawnTable lists figures without data and what would produce it.
func undrawnTable(list []*Figure) table {
	t := table{Title: "Figures without data", Columns: []column{{"figure", false}, {"id", false}, {"produced by", false}, {"or, in a sweep of your own", false}}}
	for _, f := range list {
		t.Rows = append(t.Rows, []cell{words(f.Title), words(f.ID), words("run " + f.Sweep), words(f.Needs)})
	}
	return t
}

func figureIDs() string {
	ids := make([]string, len(Figures))
	for i := range Figures {
		ids[i] = Figures[i].ID
	}
	return strings.Join(ids, ", ")
}
