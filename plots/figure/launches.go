// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

// A shareFigure shows a share for each kernel, on the matrix with the shortest and the one
// with the longest rows. The share is a fact of the launches of the fastest configuration.
type shareFigure struct {
	id, title string
	fact      string       // The key of the fact in store.Row.
	bound     string       // A fact that it can't exceed, drawn as hollow markers; "" for none.
	label     string       // The label of the axis.
	otherwise *shareFigure // What is shown where the fact is not known; nil for nothing.
}

// The paper has the achieved occupancy, which a profiler counts. The theoretical one is
// its upper bound: it follows from registers, shared memory and block size, and changes
// from matrix to matrix only because another configuration is the fastest.
var (
	theoreticalOccupancy = shareFigure{id: "occupancy", title: "Theoretical occupancy", fact: "occupancy",
		label: "resident warps, of the most that a multiprocessor holds"}
	occupancy = shareFigure{id: "occupancy", title: "Achieved occupancy", fact: "achieved_occupancy",
		bound: "occupancy", label: theoreticalOccupancy.label, otherwise: &theoreticalOccupancy}
	warpEfficiency = shareFigure{id: "warp-efficiency", title: "Warp execution efficiency", fact: "warp_efficiency",
		label: "active threads in an instruction, of the 32 of a warp"}
	loadEfficiency = shareFigure{id: "load-efficiency", title: "Global load efficiency", fact: "load_efficiency",
		label: "bytes requested, of the bytes in the sectors moved"}
)

// launches are those of a setup with the fact, on the matrices with the shortest and the longest rows.
func (f *shareFigure) launches(d *analysis.Data, s analysis.Setup) (panels []analysis.Panel) {
	for _, p := range d.In(s) {
		p.Rows = slices.DeleteFunc(slices.Clone(d.Launches), func(l store.Row) bool {
			_, known := l.Properties[f.fact]
			return !known || l.Place() != p.Case
		})
		if len(p.Rows) > 0 {
			panels = append(panels, p)
		}
	}
	if n := len(panels); n > 2 {
		return []analysis.Panel{panels[0], panels[n-1]}
	}
	return panels
}

// page draws the picture of a setup.
func (f *shareFigure) page(d *analysis.Data, s analysis.Setup) *canvas.Picture {
	panels := f.launches(d, s)
	switch {
	case len(panels) == 0 && f.otherwise != nil:
		return f.otherwise.page(d, s)
	case len(panels) == 0:
		return nil
	}
	b := &canvas.Bars{Slots: 1, Label: f.label, Number: term.Percent0, Axis: canvas.Shares(4)}
	var names []string
	for i := range panels {
		b.Columns = append(b.Columns, fmt.Sprintf("%s, %s per row", panels[i].Matrix,
			term.Significant(d.Matrix(panels[i].Matrix).RowMean, 3)))
		names = append(names, panels[i].Matrix)
	}
	shown := analysis.KernelsOf(panels)
	b.Rows = canvas.NewRows(shown, nil, len(names), func(kernel string, column int) []canvas.Mark {
		l := panels[column].Best(kernel)
		if l == nil {
			return nil
		}
		v := l.Properties[f.fact]
		return []canvas.Mark{{Look: canvas.LookOf(kernel), V: v, Low: v, High: v, Hollow: f.boundOf(l),
			Words: launchWords(l), Name: kernel + " on " + names[column]}}
	})

	p := pictureOf(d, f.id, s, f.title+" of "+strings.Join(shown, ", ")+" on "+strings.Join(names, " and "), b)
	p.Title, p.Matrices = f.title+", "+string(s.Precision), names
	return p
}

// boundOf returns the bound of what was counted in a launch, NaN if there is none. Neither
// parameters nor the matrix enter the names of kernels that launch several.
func (f *shareFigure) boundOf(l *store.Row) float64 {
	entry := cuda.Entry(kernels.Config{Kernel: l.Kernel, Precision: l.Precision, Block: l.Block, Grid: l.Grid}, 1, 1)
	if v, noted := cuda.Fact(l.Properties, f.bound, entry); noted {
		return v
	}
	return math.NaN()
}

// launchWords says what the occupancy of a launch follows from.
func launchWords(l *store.Row) string {
	var list []string
	if k, known := kernels.Lookup(l.Kernel); !known || k.Block != "" {
		list = append(list, fmt.Sprintf(canvas.Here("block %d", "%d"), l.Block))
	}
	if n, known := l.Properties["registers"]; known {
		list = append(list, term.Plain(n)+" reg.")
	}
	return strings.Join(list, ", ")
}
