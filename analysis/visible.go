package analysis

import (
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// visible makes signs in the names of matrices and kernels visible that would turn the direction
// of a title or a sentence, and so of the numbers in it.
func (d *Data) visible() {
	for i := range d.Matrices {
		d.Matrices[i].Name = term.Visible(d.Matrices[i].Name)
	}
	for i := range d.Best {
		visibleRow(&d.Best[i].Row)
	}
	for i := range d.Rows {
		visibleRow(&d.Rows[i])
	}
}

func visibleRow(r *store.Row) {
	r.Matrix, r.Kernel = term.Visible(r.Matrix), term.Visible(r.Kernel)
	r.Result.Matrix = r.Matrix
}
