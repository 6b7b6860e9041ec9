package stat

import (
	"cmp"
	"math"
	"slices"
)

// mostExact is the number of samples up to which the distribution of U is counted exactly,
// in integers below 2⁵³. Beyond, and with ties, it is approximated.
const mostExact = 40

// MannWhitney returns the two-sided p-value of the hypothesis that x and y come from one
// distribution, against the alternative that one of them tends to larger values (H. B.
// Mann, D. R. Whitney, On a test of whether one of two random variables is stochastically
// larger than the other, Annals of Mathematical Statistics 18, 1947). It is exact for few
// samples without ties; otherwise it is the normal approximation with corrections for
// ties and continuity. Without samples it is 1.
func MannWhitney(x, y []float64) float64 {
	n, m := len(x), len(y)
	u, ties := statistic(x, y)
	u = min(u, float64(n*m)-u)
	if ties == 0 && n+m <= mostExact {
		return min(1, 2*lowerTail(n, m, int(u)))
	}
	spread := deviation(n, m, ties)
	if spread == 0 { // all are equal
		return 1
	}
	z := (float64(n*m)/2 - u - 0.5) / spread
	return min(1, math.Erfc(z/math.Sqrt2))
}

// statistic returns U, the number of pairs in which x is larger, where a tie counts as half
// a pair, and Σ(t³−t) over the groups of t equal values.
func statistic(x, y []float64) (u, ties float64) {
	type value struct {
		v   float64
		ofX bool
	}

	all := make([]value, 0, len(x)+len(y))
	for _, v := range x {
		all = append(all, value{v, true})
	}
	for _, v := range y {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Compare(a.v, b.v) })

	below := 0.0 // values of y
	for i := 0; i < len(all); {
		end, xs := i, 0.0
		for ; end < len(all) && all[end].v == all[i].v; end++ {
			if all[end].ofX {
				xs++
			}
		}
		equal := float64(end - i)
		u += xs * (below + (equal-xs)/2)
		below += equal - xs
		ties += equal*equal*equal - equal
		i = end
	}

	return u, ties
}

// deviation returns the standard deviation of U under the hypothesis.
func deviation(n, m int, ties float64) float64 {
	nm, all := float64(n)*float64(m), float64(n+m)
	return math.Sqrt(nm / 12 * (all + 1 - ties/(all*(all-1))))
}

// lowerTail returns the probability of at most u under the hypothesis, without ties. The
// numbers of arrangements with each U are the coefficients of the Gaussian binomial
// Π (1−q^(m+i))/(1−q^i), i = 1 … n.
func lowerTail(n, m, u int) float64 {
	count := make([]float64, n*m+1)
	count[0] = 1
	for i := 1; i <= n; i++ {
		for k := len(count) - 1; k >= m+i; k-- {
			count[k] -= count[k-m-i]
		}
		for k := i; k < len(count); k++ {
			count[k] += count[k-i]
		}
	}

	var lower, all float64
	for k, c := range count {
		all += c
		if k <= u {
			lower += c
		}
	}

	return lower / all
}
