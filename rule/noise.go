package rule

import (
	"fmt"

	"spmvtune/internal/base/term"
)

// noisy is how many times as slow as the oracle a configuration that counts as equally fast must
// be for a rule to say so: it would not be within 5%.
const noisy = 1.05

// noise says on how many matrices the data can't tell the oracle from much slower configurations,
// nothing if it can everywhere.
func (t *table) noise() string {
	matrices, widest := 0, 0.0
	for m, row := range t.seen {
		fastest, slowest := 0.0, 0.0
		for c, o := range row {
			if t.evidence[m][c] != Measured || t.loss[m][c] > 0 {
				continue
			}
			if fastest == 0 || o.Seconds < fastest {
				fastest = o.Seconds
			}
			slowest = max(slowest, o.Seconds)
		}
		if slowest > noisy*fastest {
			matrices, widest = matrices+1, max(widest, slowest/fastest)
		}
	}

	if matrices == 0 {
		return ""
	}
	return fmt.Sprintf("On %d of %s, configurations can't be told from the oracle that were measured up to %s times "+
		"as slow: 100%% of the oracle means not distinguishable, not as fast.", matrices,
		term.Matrices(len(t.names)), term.Digits(widest))
}
