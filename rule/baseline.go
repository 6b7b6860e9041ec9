package rule

import (
	"math"
	"strings"
)

// cusparse begins the names of the vendor's kernels.
const cusparse = "cusparse_"

// The papers' rule, as coo-spmv-final ends (Sec. VII and Table VI): "ps 1024 warp
// equals" where rows are dense, else "ps 32 warp jump_block" (at most its unrolled
// version). What is dense is not said; the two matrices of Table VI on which the first
// is best have 642 and 679 nonzeros in a row, the others at most 15: papersDense is the
// geometric mean of 15.2 and 642.
//
// Note: it says nothing of block and grid size, so that its kernels count at their
// fastest on the matrix, which flatters it.
const (
	papersDense = 100
	papersLong  = "coo_segscan_block"
	papersShort = "coo_segscan_warp_chunk" // and coo_segscan_warp_chunk_unroll, which begins so
)

// share is the fraction of the oracle that a loss is.
func share(loss float64) float64 { return math.Exp(-loss) }

// tuned is the fraction of the oracle of the fastest configuration that was measured on
// matrix m, of the kernels whose names begin so; 0 if there is none.
func (t *table) tuned(m int, prefix string) float64 {
	best := 0.0
	for c, x := range t.loss[m] {
		if t.evidence[m][c] == Measured && strings.HasPrefix(strings.ToLower(t.configs[c].Kernel), prefix) {
			best = max(best, share(x))
		}
	}
	return best
}

// papers is the same of what the papers' rule chooses.
func (t *table) papers(m int) float64 {
	if t.facts[m].RowMean >= papersDense {
		return t.tuned(m, papersLong)
	}
	return t.tuned(m, papersShort)
}
