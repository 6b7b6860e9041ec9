package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spmvtune/kernels"
)

// An Ensemble predicts what each of a few configurations loses against the oracle, the share of
// its speed and a part of the logarithm, as a sum of small trees, and chooses the least. The trees are grown one after
// the other on what the sum so far gets wrong (gradient boosting: J. Friedman, Greedy function
// approximation: a gradient boosting machine, Annals of Statistics 29(5), 2001), with squared
// error over all configurations at once, so that a leaf holds a number for each. Four such
// sums, each with other features for its splits, are averaged (L. Breiman, Bagging predictors,
// Machine Learning 24, 1996).
//
// Note: the trees of a rule minimise logarithms. Squared ones would depend only on hopeless
// configurations, twenty or a thousand times slower; a share is at most 1. The part of the
// logarithm keeps the ensemble from what now and then is such a one.
//
// It is for users who want the last few percent. Nobody can read it. What lies far beyond all that it
// was taught it does not know, and says so: the robust choice of a tree is for that.
type Ensemble struct {
	Configs  []kernels.Config `json:"configs"`
	Base     []float64        `json:"base"`     // mean of what each loses
	Features []string         `json:"features"` // names of those that its trees split on
	// Low and High are the smallest and the largest value of each of Features on the matrices that
	// it was taught by.
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
	Trees forest    `json:"trees"`
}

// values are those of the features that the trees split on.
func (e *Ensemble) values(f *Subject) []float64 {
	v := make([]float64, len(e.Features))
	for i, name := range e.Features {
		feature, _ := lookup(name) // checked by Read
		v[i] = feature.Value(f)
	}
	return v
}

// lost predicts what each configuration loses.
func (e *Ensemble) lost(f *Subject) []float64 {
	sum, v := slices.Clone(e.Base), e.values(f)
	for i := range e.Trees {
		b := &e.Trees[i]
		for c, x := range b.leaf(v) {
			sum[c] += float64(x) * float64(b.Scale)
		}
	}
	return sum
}

// far is the factor, beyond that where guards of trees begin, from which on an ensemble does not know a matrix.
// Nearer by
// it chose better than the trees do, on each of the families left out that were there, up to eight times beyond.
const far = 10

// Bounds are what the features of a matrix have to lie between for the ensemble to know it.
func (e *Ensemble) Bounds() (low, high []float64) {
	for i := range e.Features {
		low, high = append(low, e.Low[i]/(far*beyond)), append(high, e.High[i]*far*guardBeyond)
	}
	return low, high
}

// unsure says why the ensemble knows nothing of a matrix; "": it does.
func (e *Ensemble) unsure(f *Subject) string {
	low, high := e.Bounds()
	for i, v := range e.values(f) {
		name, taught := e.Features[i], ""
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return name + " is not known of the matrix"
		case v > high[i]:
			taught = number(rounded(e.High[i])) + " at most"
		case v < low[i]:
			taught = number(rounded(e.Low[i])) + " at least"
		default:
			continue
		}
		return fmt.Sprintf("%s is %s, and %s on what it was learned from", name, number(rounded(v)), taught)
	}
	return ""
}

// rank orders the configurations that are legal by their predicted losses, which it also returns. If none
// is, they all are.
func (e *Ensemble) rank(f *Subject) (order []int, lost []float64) {
	lost = e.lost(f)
	for i, c := range e.Configs {
		if f.legal(c) {
			order = append(order, i)
		}
	}
	if order == nil {
		order = indices(len(lost))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost[a], lost[b]) })
	return order, lost
}

// withTree puts the choice of a tree behind the first two of an ensemble's list, if it is neither: what an ensemble
// does not see, a tree may.
func withTree(list []kernels.Config, choice kernels.Config) []kernels.Config {
	at := min(Shortlisted-1, len(list))
	if slices.Contains(list[:at], choice) {
		return list
	}
	rest := slices.DeleteFunc(slices.Clone(list[at:]), func(c kernels.Config) bool { return c == choice })
	return slices.Concat(list[:at], []kernels.Config{choice}, rest)
}

// best lists the configurations, those first that are expected to lose least.
func (e *Ensemble) best(f *Subject) []kernels.Config {
	order, _ := e.rank(f)
	list := make([]kernels.Config, len(order))
	for i, c := range order {
		list[i] = e.Configs[c]
	}
	return list
}
