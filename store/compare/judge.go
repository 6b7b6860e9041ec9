package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// surely is a ratio of times that needs no test where one of the trials has too few samples
// for it, because its first products showed it to be far slower than the best of its place.
const surely = 2

// judge fills in the verdicts, and the mean.
func (r *Result) judge(threshold float64) {
	p := make([]float64, len(r.Pairs))
	for i := range r.Pairs {
		a, b := r.Pairs[i].A, r.Pairs[i].B
		p[i] = stat.MannWhitney(b.Samples, a.Samples)
	}

	for i, adjusted := range stat.Holm(p) {
		pair := &r.Pairs[i]
		a, b := pair.A, pair.B
		pair.P, pair.Effect = adjusted, max(threshold, a.Repeat, b.Repeat)
		if pair.Ratio = stat.RatioOf(b.Samples, a.Samples); math.IsNaN(pair.Ratio.Value) {
			pair.Ratio.Value = b.Median / a.Median // without samples nothing is significant
		}
		switch hopeless := a.Stop == trial.StopSlow || b.Stop == trial.StopSlow; {
		case a.Throttled() > 0 || b.Throttled() > 0:
			pair.Verdict = Unsure
		case hopeless && pair.Ratio.Value >= surely:
			pair.Verdict = Slower
		case hopeless && pair.Ratio.Value <= 1/surely:
			pair.Verdict = Faster
		case adjusted < stat.Level && pair.Ratio.Value >= 1+pair.Effect:
			pair.Verdict = Slower
		case adjusted < stat.Level && pair.Ratio.Value <= 1/(1+pair.Effect):
			pair.Verdict = Faster
		default:
			pair.Verdict = Same
		}
	}

	r.mean()
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
		arm := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1-stat.Level/2) * math.Sqrt(square/(n-1)/n)
		r.Mean.Low, r.Mean.High = math.Exp(mean-arm), math.Exp(mean+arm)
	}
}
