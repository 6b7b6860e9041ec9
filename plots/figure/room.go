package figure

import "spmvtune/plots/canvas"

// A limit is how much a picture has room for, on the report's page and in a column of a paper.
type limit struct{ page, column int }

// here is the limit on the page that is drawn for.
func (l limit) here() int {
	if canvas.Narrow() {
		return l.column
	}
	return l.page
}

var (
	mostMatrices   = limit{40, 20}  // rows of bars
	mostBarsOnPage = limit{120, 48} // bars; more of them are dots on one line for each matrix
	mostPanels     = limit{30, 8}   // panels of matrices
	mostPatterns   = limit{25, 8}   // patterns of matrices
	mostKernels    = limit{24, 12}  // panels of kernels
)
