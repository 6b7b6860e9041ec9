package analysis

import (
	"testing"

	"spmvtune/store"
)

// A name that turns the direction of text would make 51% of a title read as %15.
func TestNamesTurnNoText(t *testing.T) {
	r := store.Row{Matrix: "a\u202eb"}
	r.Kernel = "\u202ekernel"
	d := New([]store.Row{r}, nil, []store.Matrix{{Name: "a\u202eb"}}, nil)
	if d.Rows[0].Matrix != `a\u202eb` || d.Rows[0].Kernel != `\u202ekernel` || d.Matrices[0].Name != d.Rows[0].Matrix {
		t.Errorf("%q, %q and %q", d.Rows[0].Matrix, d.Rows[0].Kernel, d.Matrices[0].Name)
	}
}
