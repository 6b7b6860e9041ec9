package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"spmvtune/store"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// surely is a ratio of times that needs no interval where one of the trials has none, because
// its first products showed it to be far slower than the best of its place.
const surely = 2

// judge fills in the verdicts, and the mean.
func (r *Result) judge(threshold float64) {
	for i := range r.Pairs {
		p := &r.Pairs[i]
		p.Ratio = ratio(&p.B.Row, &p.A.Row)
		hopeless := p.A.Stop == trial.StopSlow || p.B.Stop == trial.StopSlow
		switch v := p.Ratio; {
		case p.A.Throttled() > 0 || p.B.Throttled() > 0:
			p.Verdict = Unsure
		case v.Low > 1 && v.Value >= 1+threshold || hopeless && v.Value >= surely:
			p.Verdict = Slower
		case v.High < 1 && v.Value <= 1/(1+threshold) || hopeless && v.Value <= 1/surely:
			p.Verdict = Faster
		default:
			p.Verdict = Same
		}
	}

	r.mean()
}

// ratio returns how many times as long x takes as y, with the least and the most that their
// intervals allow: it does not contain 1 if they do not meet. The interval is NaN where one of
// them has none.
//
// Note: many pairs are compared at once. If squares of deviations were added up instead, the
// interval would be narrower, and more of them would seem to differ by chance. Some do as it is:
// see Slower.
func ratio(x, y *store.Row) stat.Ratio {
	r := stat.Ratio{Value: x.Time / y.Time, Low: math.NaN(), High: math.NaN()}
	if x.Another.Low > 0 && y.Another.Low > 0 {
		r.Low, r.High = x.Another.Low/y.Another.High, x.Another.High/y.Another.Low
	}
	return r
}

// chance is the share of pairs that become slower where nothing changed: what a library does in one
// process and not in the next is off by more than its intervals, however wide these are. Of 552
// pairs, 2 to 9 did between three runs of one sweep on an H200.
const chance = 0.01

// Slower returns how many pairs became slower, and how many may by chance: more would do so in one of
// twenty comparisons where nothing changed.
func (r *Result) Slower() (slower, byChance int) {
	judged := 0.0
	for _, p := range r.Pairs {
		if p.Verdict == Slower {
			slower++
		}
		if p.Verdict != Unsure && !math.IsNaN(p.Ratio.Low) {
			judged++
		}
	}

	if judged > 0 {
		for (distuv.Binomial{N: judged, P: chance}).CDF(float64(byChance)) < 0.95 {
			byChance++
		}
	}
	return slower, byChance
}

// mean averages the logarithms of the ratios over the pairs of each matrix, and those
// over matrices: pairs of one matrix have its peculiarities in common, and count as one
// observation. The interval is Student's.
func (r *Result) mean() {
	sums, counts := map[string]float64{}, map[string]float64{}
	var order []string
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if p.Verdict == Unsure {
			continue
		}
		if counts[p.B.Trial.Matrix] == 0 {
			order = append(order, p.B.Trial.Matrix)
		}
		sums[p.B.Trial.Matrix] += math.Log(p.Ratio.Value)
		counts[p.B.Trial.Matrix]++
	}

	r.Matrices = len(order)
	n := float64(len(order))

	var mean, square float64
	for _, m := range order {
		mean += sums[m] / counts[m] / n
	}
	for _, m := range order {
		d := sums[m]/counts[m] - mean
		square += d * d
	}

	r.Mean = stat.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if n > 0 {
		r.Mean.Value = math.Exp(mean)
	}
	if n > 1 {
		arm := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(square/(n-1)/n)
		r.Mean.Low, r.Mean.High = math.Exp(mean-arm), math.Exp(mean+arm)
	}
}
