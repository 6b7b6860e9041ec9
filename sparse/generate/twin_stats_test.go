package generate

import "spmvtune/sparse"

// A likeness is what the feature tables of published matrices give: span is the mean
// distance from a row's first column to its last, the others are the features of their
// names.
type likeness struct {
	rowMean, rowStd           float64
	rowMin, rowMax, colMax    int
	empty                     int
	span, neighbours, similar float64
}

func measure(m *sparse.CSR[float64]) likeness {
	f := sparse.Analyze(m)
	columns, colMax := make([]int, m.Cols), 0
	for _, j := range m.ColIdx {
		columns[j]++
		colMax = max(colMax, columns[j])
	}
	return likeness{f.RowMean, f.RowStd, f.RowMin, f.RowMax, colMax, f.EmptyRows,
		f.RowSpanMean, f.NeighbourRate, f.RowSimilarity}
}
