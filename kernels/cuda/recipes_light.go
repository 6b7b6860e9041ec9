package cuda

import (
	"strconv"

	"spmvtune/kernels"
)

// lightRecipe chooses the entry for a width, and has the counter of rows zeroed as
// a part of the product.
func lightRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	const next = "next_row"
	width := setting(c, "width")
	if width == "auto" {
		width = strconv.Itoa(lightWidth(m.Rows, m.NNZ()))
	}
	r := oneStep(csrStep(m, c, c.Kernel+"_"+width, 0, ptr(next)))
	r.Aux = []aux{{Name: next, Bytes: 8}}
	r.Clear = []string{next}
	return r, nil
}

// lightWidth is the number of lanes per row that LightSpMV's own program chooses
// for a mean row length, rounded to nearest.
func lightWidth(rows, nnz int) int {
	switch mean := (2*nnz + rows) / max(2*rows, 1); {
	case mean <= 2:
		return 2
	case mean <= 4:
		return 4
	case mean <= 64:
		return 8
	}
	return 32
}
