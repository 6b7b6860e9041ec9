// SPDX-License-Identifier: Apache-2.0

// Package compare says what became faster and what slower from one results database
// to another.
//
// A pair is a kernel on a matrix, with precision and cache state, on a device. Matrices
// are the same by content, and kernels by name, because their source may have changed. The
// times of one configuration of each are compared.
//
// A pair is slower or faster only if the interval of its ratio, which rests on the intervals
// in which another run finds either time, is above or below 1, and the ratio is off by a
// threshold. All other pairs are the same: no difference was shown. Pairs whose device
// throttled are listed, but do not count. Of many pairs some are slower by chance:
// Result.Slower says how many that may be.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// Options are what to compare.
type Options struct {
	// Same compares each kernel in one configuration: the fastest in A that B has, too.
	// Otherwise each database has its own fastest.
	Same bool
	// Threshold is the least difference that counts, as a fraction.
	Threshold float64
	// Across compares different devices, one in each database.
	Across bool
}

// A Verdict is what became of a pair from A to B.
type Verdict string

const (
	Faster Verdict = "faster"
	Slower Verdict = "slower"
	Same   Verdict = "same"   // no difference was shown
	Unsure Verdict = "unsure" // the device throttled
)

// A Pair is a kernel on a matrix in both databases.
type Pair struct {
	Device    string // device of A, and of B unless Options.Across is set
	Matrix    string // its name in B
	Kernel    string
	Precision kernels.Precision
	Cache     trial.Cache
	A, B      *store.Good
	Ratio     stat.Ratio // time of B divided by that of A: above 1 is slower
	Verdict   Verdict
}

// A Result is a comparison of two databases.
type Result struct {
	Pairs    []Pair
	Mean     stat.Ratio // geometric, over matrices; the interval is NaN for a single one
	Matrices int        // number of matrices in Mean
	OnlyA    int        // pairs that B does not have
	OnlyB    int
}

// ErrDevices says that the databases are of different devices.
var ErrDevices = errors.New("they were measured on different devices")

// Compare compares b with a.
func Compare(ctx context.Context, a, b *store.DB, opt Options) (*Result, error) {
	inA, devicesA, err := read(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	inB, devicesB, err := read(ctx, b, opt)
	if err != nil {
		return nil, err
	}

	r := &Result{}
	for k, list := range inA {
		first, second := choose(list, inB[k], opt.Same)
		if second == nil {
			r.OnlyA++
			continue
		}
		r.Pairs = append(r.Pairs, Pair{Device: first.Device, Matrix: second.Matrix, Kernel: k.kernel,
			Precision: k.Precision, Cache: k.Cache, A: first, B: second})
	}

	slices.SortFunc(r.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
			cmp.Compare(a.B.Trial.Matrix, b.B.Trial.Matrix),
			cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache), cmp.Compare(a.Kernel, b.Kernel))
	})
	for k := range inB {
		if len(inA[k]) == 0 {
			r.OnlyB++
		}
	}

	if len(r.Pairs) == 0 {
		return nil, nothing(devicesA, devicesB)
	}
	r.judge(opt.Threshold)
	return r, nil
}

// nothing says why there is nothing to compare.
func nothing(a, b []string) error {
	if slices.ContainsFunc(a, func(d string) bool { return slices.Contains(b, d) }) {
		return errors.New("no kernel was measured on the same matrix in both")
	}
	if len(a) == 0 || len(b) == 0 {
		return errors.New("one of the two has no verified measurement")
	}
	return fmt.Errorf("%w: %s, and %s", ErrDevices, strings.Join(a, ", "), strings.Join(b, ", "))
}

// A key is what a pair has in common. Its place names the device by backend and model, or
// by backend alone, and the matrix by its content.
type key struct {
	trial.Case
	kernel string
}

// read returns the good trials by key, each list fastest first, and the devices.
func read(ctx context.Context, db *store.DB, opt Options) (map[key][]*store.Good, []string, error) {
	trials, err := db.Good(ctx)
	if err != nil {
		return nil, nil, err
	}

	found := map[key][]*store.Good{}
	devices := lists.Distinct(trials, func(t store.Good) string { return t.Model })
	for i := range trials {
		t := &trials[i]
		k := key{t.Trial.Case(t.Backend + " " + t.Model), t.Kernel}
		if opt.Across {
			k.Device = t.Backend
		}
		found[k] = append(found[k], t)
	}

	if opt.Across && len(devices) > 1 {
		return nil, nil, fmt.Errorf("%s has trials of several devices (%s): "+
			"a comparison across devices takes one in each database", db.Path(), strings.Join(devices, ", "))
	}

	for _, list := range found {
		slices.SortStableFunc(list, func(a, b *store.Good) int { return cmp.Compare(a.Time, b.Time) })
	}
	return found, devices, nil
}

// choose returns the trials of a kernel to compare, or nil if there are none.
func choose(a, b []*store.Good, same bool) (first, second *store.Good) {
	if len(b) == 0 {
		return nil, nil
	}
	if !same {
		return a[0], b[0]
	}

	for _, t := range a {
		if i := slices.IndexFunc(b, func(o *store.Good) bool { return o.Config == t.Config }); i >= 0 {
			return t, b[i]
		}
	}

	return nil, nil
}

// surely is a ratio of times that needs no interval where one of the trials has none, because
// its first products showed it to be far slower than the best of its place.
const surely = 2

// judge fills in the verdicts, and the mean.
func (r *Result) judge(threshold float64) {
	for i := range r.Pairs {
		p := &r.Pairs[i]
		p.Ratio = ratio(&p.B.Row, &p.A.Row)
		hopeless := math.IsNaN(p.Ratio.Low) && (p.A.Stop == trial.StopSlow || p.B.Stop == trial.StopSlow)
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
	logs := map[string][]float64{}
	for _, p := range r.Pairs {
		if p.Verdict != Unsure {
			logs[p.B.Trial.Matrix] = append(logs[p.B.Trial.Matrix], math.Log(p.Ratio.Value))
		}
	}
	means := lists.Of(slices.Sorted(maps.Keys(logs)), func(matrix string) float64 { return gonum.Mean(logs[matrix], nil) })

	r.Matrices = len(means)
	n := float64(len(means))
	mean, deviation := gonum.MeanStdDev(means, nil) // NaN of none, and the deviation of one
	arm := distuv.StudentsT{Sigma: 1, Nu: max(n-1, 1)}.Quantile(0.975) * gonum.StdErr(deviation, n)
	r.Mean = stat.Ratio{Value: math.Exp(mean), Low: math.Exp(mean - arm), High: math.Exp(mean + arm)}
}
