package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
)

// drawOccupancy draws the theoretical occupancy of each kernel on the matrix with the
// shortest rows and that with the longest.
//
// The paper has the achieved occupancy, which a profiler measures. The theoretical one
// is its upper bound: it follows from registers, shared memory and block size, and
// changes from matrix to matrix only because another configuration is the fastest.
func drawOccupancy(d *data) ([]*page, []error) {
	var pages []*page
	for _, s := range d.setups() {
		if o := d.occupancies(s); len(o.kernels) > 0 {
			pages = append(pages, o.page(d, s))
		}
	}
	return pages, nil
}

// An occupancy holds the launches of some kernels on two matrices, or one.
type occupancy struct {
	matrices []store.Matrix
	kernels  []string
	launches map[[2]string]store.Launch // by matrix and kernel
}

func (d *data) occupancies(s setup) *occupancy {
	o := &occupancy{launches: map[[2]string]store.Launch{}}
	measured := map[string]bool{}
	for _, l := range d.launches {
		if _, known := l.Facts["occupancy"]; !known || s != (setup{l.Device, l.Cache, l.Precision}) {
			continue
		}
		at := [2]string{l.Matrix, l.Kernel}
		if other, seen := o.launches[at]; !seen || l.MedianMS < other.MedianMS {
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

func (o *occupancy) page(d *data, s setup) *page {
	b := &bars{slots: 1, label: "resident warps, of the most that a multiprocessor holds", number: percent0}
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
				v := l.Facts["occupancy"]
				cell = append(cell, mark{look: lookOf(kernel), v: v, low: v, high: v, hollow: math.NaN(), words: launchWords(l), name: kernel + " on " + m.Name})
			}
			r.cells = append(r.cells, cell)
		}
		b.rows = append(b.rows, r)
	}
	b.axis = shares(0, 2.6, 2) // with room for the words
	return &page{
		Name:  d.fileStem("occupancy", s.Device, string(s.Precision), s.Cache),
		Title: "Theoretical occupancy: " + d.words(s),
		Subtitle: "Each kernel in its configuration that is the fastest on the matrix; where it launches several, the one of most threads. " +
			"Theoretical, not achieved: what registers, shared memory and block size allow, before any warp waits. Matrices with the shortest and the longest rows.",
		Alt:    "occupancy of " + strings.Join(o.kernels, ", ") + " on " + strings.Join(names, " and "),
		height: b.height(),
		body:   b.draw,
	}
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
