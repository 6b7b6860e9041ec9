package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/store"
)

// A shareFigure says what a figure shows that has a share for each kernel, on the matrix
// with the shortest rows and that with the longest: a fact of its launches, each in its
// fastest configuration.
type shareFigure struct {
	id, title string
	fact      string // as in store.Launch
	bound     string // a fact that it can't exceed, as hollow markers; "": none
	label     string // of the axis
	says      string // of the subtitle
}

// The paper has the achieved occupancy, which a profiler counts. The theoretical one is
// its upper bound: it follows from registers, shared memory and block size, and changes
// from matrix to matrix only because another configuration is the fastest.
var (
	theoreticalOccupancy = shareFigure{id: "occupancy", title: "Theoretical occupancy", fact: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds",
		says: "Where it launches several, the one of most threads. " +
			"Theoretical, not achieved: what registers, shared memory and block size allow, before any warp waits."}
	achievedOccupancy = shareFigure{id: "occupancy", title: "Achieved occupancy", fact: "achieved_occupancy", bound: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds",
		says:  ofMain + " Hollow: the theoretical occupancy, which registers, shared memory and block size allow."}
	warpEfficiency = shareFigure{id: "warp-efficiency", title: "Warp execution efficiency", fact: "warp_efficiency",
		label: "threads that take part in an instruction, of the 32 of a warp", says: ofMain}
	loadEfficiency = shareFigure{id: "load-efficiency", title: "Global load efficiency", fact: "load_efficiency",
		label: "bytes that threads ask for, of those in the sectors that move", says: ofMain}
)

const ofMain = "Counted by a profiler; where it launches several, in the one that reads the matrix's values."

// drawOccupancy draws the achieved occupancy where a profiler counted it, otherwise the
// theoretical one.
func drawOccupancy(d *data) ([]*page, []error) {
	var pages []*page
	for _, s := range d.setups() {
		f := &achievedOccupancy
		if len(d.shares(s, f).kernels) == 0 {
			f = &theoreticalOccupancy
		}
		pages = append(pages, f.pages(d, s)...)
	}
	return pages, nil
}

func (f *shareFigure) draw(d *data) ([]*page, []error) {
	var pages []*page
	for _, s := range d.setups() {
		pages = append(pages, f.pages(d, s)...)
	}
	return pages, nil
}

// sharesOf holds the launches of some kernels on two matrices, or one.
type sharesOf struct {
	matrices []store.Matrix
	kernels  []string
	launches map[[2]string]store.Launch // by matrix and kernel
}

func (d *data) shares(s setup, f *shareFigure) *sharesOf {
	o := &sharesOf{launches: map[[2]string]store.Launch{}}
	measured := map[string]bool{}
	for _, l := range d.launches {
		if _, known := l.Facts[f.fact]; !known || s != (setup{l.Device, string(l.Cache), l.Precision}) {
			continue
		}
		at := [2]string{l.Matrix, l.Kernel}
		if other, seen := o.launches[at]; !seen || l.Median < other.Median {
			o.launches[at] = l
		}
		measured[l.Matrix] = true
	}
	for _, m := range d.matrices { // by mean row length
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
	sortKernels(o.kernels)
	return o
}

// pages draws the page of a setup, if there is anything to show.
func (f *shareFigure) pages(d *data, s setup) []*page {
	o := d.shares(s, f)
	if len(o.kernels) == 0 {
		return nil
	}
	b := &bars{slots: 1, label: f.label, number: percent0}
	var names []string
	for _, m := range o.matrices {
		b.columns = append(b.columns, fmt.Sprintf("%s, %s per row", m.Name, significant(m.RowMean, 3)))
		names = append(names, m.Name)
	}
	for _, kernel := range o.kernels {
		r := barRow{name: kernel}
		for _, m := range o.matrices {
			var cell []mark
			if l, measured := o.launches[[2]string{m.Name, kernel}]; measured {
				v := l.Facts[f.fact]
				cell = append(cell, mark{look: lookOf(kernel), v: v, low: v, high: v, hollow: f.boundOf(l), words: launchWords(l), name: kernel + " on " + m.Name})
			}
			r.cells = append(r.cells, cell)
		}
		b.rows = append(b.rows, r)
	}
	b.axis = shares(0, b.roomForWords(pageWidth-2*pageMargin), 4)
	p := &page{
		Name:     d.fileStem(f.id, s.Device, string(s.Precision), s.Cache),
		Title:    f.title + ": " + d.words(s),
		Subtitle: "Each kernel in its configuration that is the fastest on the matrix. " + f.says,
		Alt:      f.title + " of " + strings.Join(o.kernels, ", ") + " on " + strings.Join(names, " and "),
		matrices: names,
		height:   b.height(),
		body:     b.draw,
	}
	if len(names) > 1 {
		p.Subtitle += " Matrices with the shortest and the longest rows."
	}
	return []*page{p}
}

// boundOf is the bound of what was counted in a launch, NaN if there is none. Neither
// parameters nor the matrix enter the names of kernels that launch several.
func (f *shareFigure) boundOf(l store.Launch) float64 {
	entry := cuda.Entry(kernels.Config{Kernel: l.Kernel, Precision: l.Precision, Block: l.Block, Grid: l.Grid}, 1, 1)
	if v, noted := cuda.Fact(l.Facts, f.bound, entry); noted {
		return v
	}
	return math.NaN()
}

// percent0 prints a fraction as a whole percentage.
func percent0(v float64) string { return plain(math.Round(100*v)) + "%" }

// launchWords say what the occupancy of a launch follows from.
func launchWords(l store.Launch) string {
	var list []string
	if k, known := kernels.Lookup(l.Kernel); !known || k.Block != "" {
		list = append(list, fmt.Sprintf("block %d", l.Block))
	}
	if n, known := l.Facts["registers"]; known {
		list = append(list, plain(n)+" registers")
	}
	return strings.Join(list, ", ")
}
