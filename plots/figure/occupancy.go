package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// A shareFigure shows a share for each kernel, on the matrix with the shortest and the one
// with the longest rows. The share is a fact of the launches of the fastest configuration.
type shareFigure struct {
	id, title string
	fact      string // The key of the fact in store.Row.
	bound     string // A fact that it can't exceed, drawn as hollow markers; "" for none.
	label     string // The label of the axis.
	says      string // A part of the subtitle.
}

// The paper has the achieved occupancy, which a profiler counts. The theoretical one is
// its upper bound: it follows from registers, shared memory and block size, and changes
// from matrix to matrix only because another configuration is the fastest.
var (
	theoreticalOccupancy = shareFigure{id: "occupancy", title: "Theoretical occupancy", fact: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds",
		says: "If it launches several kernels, the one with the most threads counts. Theoretical, not achieved: " +
			"registers, shared memory and block size allow it."}
	achievedOccupancy = shareFigure{id: "occupancy", title: "Achieved occupancy", fact: "achieved_occupancy",
		bound: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds",
		says:  ofMain + " Hollow: the theoretical occupancy, which registers, shared memory and block size allow."}
	warpEfficiency = shareFigure{id: "warp-efficiency", title: "Warp execution efficiency", fact: "warp_efficiency",
		label: "active threads in an instruction, of the 32 of a warp", says: ofMain}
	loadEfficiency = shareFigure{id: "load-efficiency", title: "Global load efficiency", fact: "load_efficiency",
		label: "bytes requested, of the bytes in the sectors moved", says: ofMain}
)

const ofMain = "Counted by a profiler. If it launches several kernels, the one that reads the matrix's values counts."

// drawOccupancy draws the achieved occupancy where a profiler counted it, otherwise the
// theoretical one.
func drawOccupancy(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, s := range d.Setups() {
		f := &achievedOccupancy
		if len(launchShares(d, s, f).kernels) == 0 {
			f = &theoreticalOccupancy
		}
		pages = append(pages, f.pages(d, s)...)
	}
	return pages, nil
}

func (f *shareFigure) draw(d *data.Report) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, s := range d.Setups() {
		pages = append(pages, f.pages(d, s)...)
	}
	return pages, nil
}

// A sharesOf holds the launches of some kernels on at most two matrices.
type sharesOf struct {
	matrices []store.Matrix
	kernels  []string
	launches map[[2]string]store.Row // The launches by matrix and kernel.
}

func launchShares(d *data.Report, s data.Setup, f *shareFigure) *sharesOf {
	o := &sharesOf{launches: map[[2]string]store.Row{}}
	measured := map[string]bool{}
	for _, l := range d.Launches {
		if _, known := l.Properties[f.fact]; !known || s != data.SetupOn(l.Device, l.Cache, l.Precision) {
			continue
		}
		at := [2]string{l.Matrix, l.Kernel}
		if other, seen := o.launches[at]; !seen || l.Time < other.Time {
			o.launches[at] = l
		}
		measured[l.Matrix] = true
	}

	for _, m := range d.Matrices { // by mean row length
		if measured[m.Name] {
			o.matrices = append(o.matrices, m)
		}
	}

	if n := len(o.matrices); n > 2 {
		o.matrices = []store.Matrix{o.matrices[0], o.matrices[n-1]}
	}
	for at := range o.launches {
		shown := slices.ContainsFunc(o.matrices, func(m store.Matrix) bool { return m.Name == at[0] })
		if shown && !slices.Contains(o.kernels, at[1]) {
			o.kernels = append(o.kernels, at[1])
		}
	}

	data.SortKernels(o.kernels)
	return o
}

// pages draws the picture of a setup, if there is anything to show.
func (f *shareFigure) pages(d *data.Report, s data.Setup) []*canvas.Picture {
	o := launchShares(d, s, f)
	if len(o.kernels) == 0 {
		return nil
	}
	b := &chart.Bars{Slots: 1, Label: f.label, Number: number.Percent0}

	var names []string
	for _, m := range o.matrices {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s per row", m.Name, number.Significant(m.RowMean, 3)))
		names = append(names, m.Name)
	}

	for _, kernel := range o.kernels {
		r := chart.BarRow{Name: kernel}
		for _, m := range o.matrices {
			var cell []chart.Mark
			if l, measured := o.launches[[2]string{m.Name, kernel}]; measured {
				v := l.Properties[f.fact]
				cell = append(cell, chart.Mark{Look: canvas.LookOf(kernel), V: v, Low: v, High: v,
					Hollow: f.boundOf(l), Words: launchWords(l), Name: kernel + " on " + m.Name})
			}
			r.Cells = append(r.Cells, cell)
		}
		b.Rows = append(b.Rows, r)
	}

	b.Axis = canvas.Shares(0, 4)
	p := &canvas.Picture{
		Name:  fileStem(d, f.id, s.Device, string(s.Precision), string(s.Cache)),
		Title: f.title + ": " + d.Words(s),
		Subtitle: "Each kernel in its fastest configuration on the matrix, with its block size and its registers per " +
			"thread. " + f.says,
		Alt:      f.title + " of " + strings.Join(o.kernels, ", ") + " on " + strings.Join(names, " and "),
		Matrices: names,
		Height:   b.Height(),
		Body:     b.Draw,
	}

	if len(names) > 1 {
		p.Subtitle += " Matrices with the shortest and the longest rows."
	}
	return []*canvas.Picture{p}
}

// boundOf returns the bound of what was counted in a launch, NaN if there is none. Neither
// parameters nor the matrix enter the names of kernels that launch several.
func (f *shareFigure) boundOf(l store.Row) float64 {
	entry := cuda.Entry(kernels.Config{Kernel: l.Kernel, Precision: l.Precision, Block: l.Block, Grid: l.Grid}, 1, 1)
	if v, noted := cuda.Fact(l.Properties, f.bound, entry); noted {
		return v
	}
	return math.NaN()
}

// launchWords says what the occupancy of a launch follows from.
func launchWords(l store.Row) string {
	block := "block %d"
	if canvas.Narrow() {
		block = "%d"
	}
	var list []string
	if k, known := kernels.Lookup(l.Kernel); !known || k.Block != "" {
		list = append(list, fmt.Sprintf(block, l.Block))
	}
	if n, known := l.Properties["registers"]; known {
		list = append(list, number.Plain(n)+" reg.")
	}
	return strings.Join(list, ", ")
}
