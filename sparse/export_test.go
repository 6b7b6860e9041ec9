package sparse

import "math"

// Exactly returns row similarity and pattern symmetry from all entries of m, and the bound
// of the standard error that Analyze keeps to.
func Exactly[V Float](m *CSR[V]) (similarity, symmetry, deviation float64) {
	if count, _ := sampleSize(m.NNZ()); count < MaxIndex {
		deviation = 0.5 / math.Sqrt(float64(count))
	}
	if m.Rows == m.Cols {
		symmetry = patternSymmetry(m.RowPtr, m.ColIdx, MaxIndex)
	}
	return rowSimilarity(m.RowPtr, m.ColIdx, MaxIndex, MaxIndex), symmetry, deviation
}
