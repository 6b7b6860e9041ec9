// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
	"example.org/spmvtune/tuner/stat"
)

// baselines are what speed-ups are measured against, in order of preference:
// Algorithm 3 of coo-spmv-final, its Algorithm 1 where no GPU took part, and cuSPARSE in sweeps without either.
var baselines = []string{"coo_atomic", "cpu_coo", "cusparse_csr_alg1"}

// A Gain compares the best configuration of one kernel with the best one of the baseline,
// on the same matrix in the same setup: the baseline's time divided by the kernel's, see Ratio.
type Gain struct {
	Row *store.Row
	stat.Ratio
}

// BaselineOf names the baseline of a device, "" if none was measured. All matrices have the
// same one, so that the ratios on a page are comparable.
func (d *Data) BaselineOf(device string) string { return d.firstMeasured(device, baselines) }

// firstMeasured is the first of some kernels that was measured on a device, "" if none was.
func (d *Data) firstMeasured(device string, names []string) string {
	for _, name := range names {
		for i := range d.Panels {
			if p := &d.Panels[i]; p.Device == device && len(p.ByKernel(name)) > 0 {
				return name
			}
		}
	}
	return ""
}

// Gains returns what each other kernel of the panel gains over the baseline, in the
// catalogue's order. There are none if the baseline was not measured.
func (p *Panel) Gains(baseline string) []Gain {
	base := p.Best(baseline)
	if base == nil {
		return nil
	}

	var list []Gain
	for _, name := range p.Kernels() {
		if r := p.Best(name); name != baseline {
			list = append(list, Gain{r, Ratio(base, r)})
		}
	}
	return list
}

// Surely reports whether r is faster than base in another run, too: they can be told apart, and the difference is more
// than that by which their times may be off, as it is printed beside them.
func Surely(base, r *store.Row) bool {
	off := math.Hypot(math.Log1p(Relative(base)), math.Log1p(Relative(r)))
	return r.Time < base.Time && Tells(r, base) && math.Log(base.Time/r.Time) > off
}

// Ratio is how many times faster r is than base, with the interval in which another run finds
// it. The errors of the two times are independent, so the squares of the arms of their
// intervals add, on a logarithmic scale, where a ratio is a difference: it is highest where
// base is slow and r is fast.
func Ratio(base, r *store.Row) stat.Ratio {
	v := base.Time / r.Time
	baseDown, baseUp := arms(base)
	down, up := arms(r)
	return stat.Ratio{Value: v, Low: v * math.Exp(-math.Hypot(baseDown, up)), High: v * math.Exp(math.Hypot(baseUp, down))}
}

// arms returns the distances of the time's logarithm to the ends of the interval in which
// another run finds it, 0 where there is none.
func arms(r *store.Row) (down, up float64) {
	if r.Another.Low > 0 && r.Another.Low < r.Time {
		down = math.Log(r.Time / r.Another.Low)
	}
	if r.Another.High > r.Time && !math.IsInf(r.Another.High, 0) {
		up = math.Log(r.Another.High / r.Time)
	}
	return down, up
}

// uncertainty returns how far the time of a row may be off, as arms does. Two measurements of one
// configuration differ by the factor of the row, and each of them adds half of the variance. In
// the interval in which another run finds the time, one half is of that other run.
func uncertainty(r *store.Row) (down, up float64) {
	down, up = arms(r)
	if r.Factor > 1 {
		other := math.Log(r.Factor) * math.Log(r.Factor) / 2
		down, up = math.Sqrt(max(0, down*down-other)), math.Sqrt(max(0, up*up-other))
	}
	return down, up
}

// Relative is how far the time of a row may be off in another run, as a fraction, 0 where there is no interval: the
// longer arm of the interval in which it finds the time, as a ratio.
func Relative(r *store.Row) float64 {
	down, up := arms(r)
	return math.Expm1(max(down, up))
}

// WithoutBaseline names the matrices on which no speed-up can be given, and says what to do
// about it.
func (d *Data) WithoutBaseline() []error {
	var warnings []error
	for _, s := range d.Setups() {
		base := d.BaselineOf(s.Device)
		if base == "" {
			warnings = append(warnings, fmt.Errorf("no speed-ups on %s: add %s to the sweep as the baseline",
				ShortDevice(s.Device), d.lackingBaseline(s.Device)))
			continue
		}
		lack := lists.Where(d.In(s), func(p Panel) bool { return len(p.ByKernel(base)) == 0 })
		if len(lack) > 0 {
			names := lists.Of(lack, func(p Panel) string { return p.Matrix })
			warnings = append(warnings, fmt.Errorf("no speed-up in %s on %s: %s has no verified trial there",
				d.Words(s), Enumerate(names), base))
		}
	}

	slices.SortFunc(warnings, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return slices.CompactFunc(warnings, func(a, b error) bool { return a.Error() == b.Error() })
}

// lackingBaseline names the kernel that would be the baseline on a device.
func (d *Data) lackingBaseline(device string) string {
	switch d.Device(device).Backend {
	case "cuda":
		return baselines[0]
	case "cpu":
		return baselines[1]
	}
	return "cpu_coo (or coo_atomic)"
}

// Faster returns how many times as fast a pair became, with its interval.
func Faster(p *compare.Pair) (v, low, high float64) {
	v, low, high = 1/p.Ratio.Value, 1/p.Ratio.High, 1/p.Ratio.Low
	if math.IsNaN(low) || math.IsNaN(high) || math.IsInf(high, 0) {
		low, high = v, v
	}
	return v, low, high
}

// plainCSR are the kernels whose preparation the others' is compared with, in order of
// preference: they need nothing but CSR arrays.
var plainCSR = []string{"csr_scalar", "csr_scalar_ahead", "cpu_csr_rows", "cpu_csr"}

// PlainCSROf names the one of them that was measured on a device, "" if none was.
func (d *Data) PlainCSROf(device string) string { return d.firstMeasured(device, plainCSR) }

// CuSPARSE returns the fastest trial of the library, nil if there is none.
func (p *Panel) CuSPARSE() *store.Row {
	return p.FastestOf(func(r *store.Row) bool { return ofLibrary(r.Kernel) })
}

func ofLibrary(kernel string) bool {
	k, ok := kernels.Lookup(kernel)
	return ok && k.Library()
}

// Prepared reports whether the time to prepare is known of some trial.
func (p *Panel) Prepared() bool {
	return slices.ContainsFunc(p.Rows, func(r store.Row) bool { return r.Prepare > 0 })
}

// PaysOff is after how many products r has made up for taking more preparation than base: 0 if
// it takes no more, and infinitely many if it is not faster by more than repetitions differ.
func PaysOff(base, r *store.Row) float64 {
	if r.Time >= base.Time || !Tells(r, base) {
		return math.Inf(1)
	}
	return math.Ceil(max(0, r.Prepare-base.Prepare) / (base.Time - r.Time))
}

// A Selection is some of a panel's trials.
type Selection func(*store.Row) bool

// OfKernels selects the trials of some kernels.
func OfKernels(names ...string) Selection {
	return func(r *store.Row) bool { return slices.Contains(names, r.Kernel) }
}

// And selects the trials that both select.
func (s Selection) And(t Selection) Selection {
	return func(r *store.Row) bool { return s(r) && t(r) }
}

// WithBlock selects the trials of a block size.
func WithBlock(n int) Selection { return func(r *store.Row) bool { return r.Block == n } }

// WithParam selects the trials in which a parameter has a value, set or by default.
func WithParam(p kernels.Param, value string) Selection {
	return func(r *store.Row) bool {
		v, set := r.Params.Get(p.Name)
		if !set {
			v = p.Default
		}
		return v == value
	}
}

// FastestOf returns the fastest trial of a selection, nil if there is none.
func (p *Panel) FastestOf(s Selection) *store.Row {
	var best *store.Row
	for i := range p.Rows {
		if r := &p.Rows[i]; s(r) && (best == nil || r.Time < best.Time) {
			best = r
		}
	}
	return best
}

// Best returns the fastest trial of a kernel, nil if there is none.
func (p *Panel) Best(kernel string) *store.Row { return p.FastestOf(OfKernels(kernel)) }
