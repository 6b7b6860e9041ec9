package rule

import (
	"math"
	"strings"
)

// cusparse begins the names of the vendor's kernels.
const cusparse = "cusparse_"

// A paperRule is a paper's recommendation: one kernel, given by the beginning of its name, for
// matrices with at least this many nonzeros per row, and another kernel for the rest.
//
// Note: no paper says which block and grid size, so that its kernels count at their
// fastest on the matrix, which flatters it.
type paperRule struct {
	dense       float64
	long, short string
}

var (
	// As coo-spmv-final ends (Sec. VII and Table VI): "ps 1024 warp equals" where rows are
	// dense, else "ps 32 warp jump_block" (at most its unrolled version, whose name begins
	// so). What is dense is not said; the two matrices of Table VI on which the first is
	// best have 642 and 679 nonzeros in a row, the others at most 15: it is the geometric
	// mean of 15.2 and 642.
	cooFinal = paperRule{100, "coo_segscan_block", "coo_segscan_warp_chunk"}
	// csr-five-algorithms, Sec. VI: LightSpMV excels from about 18 nonzeros in a row, and
	// PCSR is among the best below.
	csrFive = paperRule{18, "csr_light", "csr_pcsr"}
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

// paper is the same of what a paper's rule chooses.
func (t *table) paper(m int, r paperRule) float64 {
	if t.facts[m].RowMean >= r.dense {
		return t.tuned(m, r.long)
	}
	return t.tuned(m, r.short)
}
