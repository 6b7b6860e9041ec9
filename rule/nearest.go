package rule

import (
	"math"

	"spmvtune/kernels"
)

// Nearest returns the configuration of c's kernel and precision that is most similar to c, and
// false if there is none.
func Nearest(c kernels.Config, among []kernels.Config) (kernels.Config, bool) {
	best, least := kernels.Config{}, math.Inf(1)
	for _, other := range among {
		if other.Kernel != c.Kernel || other.Precision != c.Precision {
			continue
		}
		if d := distance(c, other); d < least {
			best, least = other, d
		}
	}

	return best, !math.IsInf(least, 1)
}
