// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// An Aim is how near the trials of one sweep came to the precision it asked for.
type Aim struct {
	Sweep string
	// Target is the half width of the median's interval that the sweep asks for, as a
	// fraction; NaN if it is not known.
	Target float64
	// Half is the median over the trials of the longer arm of their 95% intervals within the run, as a fraction.
	Half float64
	// Trials is the number of verified trials, and Stops how many ended for which reason: Those that came near enough
	// with too few samples to end there count as trial.StopTarget.
	Trials int
	Stops  map[trial.Stop]int
}

// Reached is the number of trials that reached the target.
func (a *Aim) Reached() int { return a.Stops[trial.StopTarget] }

// Aims sums up the precision of each sweep that measured something, by name.
func (d *Data) Aims() (list []Aim) {
	sweeps, rows := groupBy(d.Rows, func(r *store.Row) [2]string { return [2]string{r.Sweep, r.SweepHash} })
	slices.SortFunc(sweeps, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, of := range sweeps {
		a := Aim{Sweep: of[0], Target: d.target(rows[of][0]), Stops: map[trial.Stop]int{}}
		var widths []float64
		for _, r := range rows[of] {
			if !isGood(r) {
				continue
			}
			half := max(r.WithinHigh-r.Median, r.Median-r.WithinLow) / r.Median
			if r.WithinLow == 0 {
				half = math.NaN()
			}
			stop := r.Stop
			if half <= a.Target && (stop == trial.StopBudget || stop == trial.StopSamples) {
				stop = trial.StopTarget
			}
			a.Stops[stop]++
			widths = append(widths, half)
		}
		if a.Trials, a.Half = len(widths), Middle(widths); a.Trials > 0 {
			list = append(list, a)
		}
	}
	return list
}

// target is the precision that the sweep of a trial asked for, NaN where it is not known.
func (d *Data) target(r *store.Row) float64 {
	s, _ := lists.First(d.Sweeps, func(s store.Sweep) bool {
		return s.Name == r.Sweep && s.Hash == r.SweepHash && s.Protocol.Target > 0
	})
	return cmp.Or(s.Protocol.Target, math.NaN())
}

// Middle is the median of the values that are numbers, NaN if there are none.
func Middle(values []float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	return stat.Median(values)
}

// Wanted is the number of trials that more samples could have brought to the target.
func (a *Aim) Wanted() int { return a.Trials - a.Stops[trial.StopSlow] - a.Stops[trial.StopClock] }

// Missed names the sweeps most of whose trials missed the target, and says by how much.
func (d *Data) Missed() (warnings []error) {
	for _, a := range d.Aims() {
		if 2*a.Reached() >= a.Wanted() || math.IsNaN(a.Target) {
			continue
		}
		narrows := "a larger trial_budget narrows them"
		if a.Stops[trial.StopSamples] > a.Stops[trial.StopBudget] {
			narrows = "more samples narrow them"
		}
		warnings = append(warnings, fmt.Errorf("%d of %s of %s did not reach the target of %s; their intervals are ±\u202f%s "+
			"in the median: %s", a.Wanted()-a.Reached(), term.Trials(a.Wanted()), a.Sweep, term.ShortPercent(a.Target),
			term.Difference(a.Half), narrows))
	}
	return warnings
}

// A Resolution is the least difference between trials that the data tells, as a fraction.
type Resolution struct {
	// Usual is the median over the places, and Worst the largest, at Where. Usual is NaN if there
	// is no place with two trials.
	Usual, Worst float64
	Where        trial.Case
	// Repeated says that trials were repeated, which tells how far two runs differ. Otherwise
	// intervals are those within the run.
	Repeated bool
}

// Resolution returns what can be told in all of the report.
func (d *Data) Resolution() Resolution { return ResolutionOf(d.Panels) }

// ResolutionOf returns what can be told between the fastest trial of a place and those near it.
func ResolutionOf(panels []Panel) Resolution {
	r := Resolution{}
	var all []float64
	for i := range panels {
		p := &panels[i]
		if len(p.Rows) < 2 {
			continue
		}
		x := p.resolution()
		all = append(all, x)
		if x > r.Worst {
			r.Worst, r.Where = x, p.Case
		}
		r.Repeated = r.Repeated || slices.ContainsFunc(p.Rows, func(r store.Row) bool { return r.Factor > 0 })
	}
	r.Usual = Middle(all)
	return r
}

// Near is how many times as long as the fastest of its place a trial takes at most whose resolution counts.
const Near = 1.3

// resolution is the median over the trials near the fastest.
func (p *Panel) resolution() float64 {
	best := Fastest(p.Rows)
	var all []float64
	for i := range p.Rows {
		if r := &p.Rows[i]; r != best && r.Time <= Near*best.Time {
			all = append(all, max(tieWithin, apart(best, r)))
		}
	}
	if len(all) == 0 {
		return max(tieWithin, apart(best, best))
	}
	return Middle(all)
}

// Limit is the usual resolution as users read it.
func (r Resolution) Limit() string { return term.Difference(r.Usual) }

// Caveat says where the limit is another one.
func (r Resolution) Caveat() string {
	text := ""
	if worst := term.Difference(r.Worst); worst != r.Limit() {
		text = fmt.Sprintf(" (%s on %s, %s, %s cache)", worst, r.Where.Matrix, r.Where.Precision, r.Where.Cache)
	}
	if !r.Repeated {
		return text + "; how much repeated trials differ is not known here, so another run may differ by more"
	}
	return text + ", or from less where repeat runs confirm it"
}

// Tied lists the other kernels that can't be told from the one that is named at a place.
func (d *Data) Tied(b *store.Best) []string {
	p := d.PanelOf(&b.Row)
	tied := lists.Where(p.Rows, func(r store.Row) bool { return r.Tied && r.Kernel != b.Kernel })
	return lists.Distinct(tied, func(r store.Row) string { return r.Kernel })
}

// TieCount prints the number of other kernels that may be as fast as the named one, nothing where that is not decided.
// Without repeats, more may be.
func TieCount(b *store.Best) string {
	switch {
	case b.Others < 0:
		return ""
	case b.Factor == 0:
		return "≥" + term.Grouped(b.Others)
	}
	return term.Grouped(b.Others)
}

// A Crowd is what others did to the processor while a sweep measured a matrix.
type Crowd struct {
	Sweep, Device, Matrix string
	trial.HostUse
	Since time.Time // when the first of its trials ended
}

// Crowds are those of all trials whose times the processor is in, by sweep, device and matrix.
func (d *Data) Crowds() (list []Crowd) {
	keys, rows := groupBy(d.Rows, func(r *store.Row) Crowd { return Crowd{Sweep: r.Sweep, Device: r.Device, Matrix: r.Matrix} })
	for _, c := range keys {
		for _, r := range rows[c] {
			if r.Host.Cores == 0 {
				continue
			}
			c.Add(r.Host)
			if c.Since.IsZero() || r.At.Before(c.Since) {
				c.Since = r.At
			}
		}
		if c.Cores > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Crowd) int {
		return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Device, b.Device), a.Since.Compare(b.Since),
			cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

// Crowded says of each sweep on a device where the processor was too busy, and what would help.
func (d *Data) Crowded() (warnings []error) {
	type run struct{ sweep, device string }
	busy := slices.DeleteFunc(d.Crowds(), func(c Crowd) bool { return !c.HostUse.Crowded() })
	runs, of := groupBy(busy, func(c *Crowd) run { return run{c.Sweep, c.Device} })
	for _, at := range runs {
		names := lists.Of(of[at], func(c *Crowd) string { return c.Matrix })
		worst := slices.MaxFunc(of[at], func(a, b *Crowd) int { return cmp.Compare(a.Excess(), b.Excess()) })
		warnings = append(warnings, fmt.Errorf("the processor was busy while %s measured %s on %s, from %s on. "+
			"At worst, on %s: %s. %s", at.sweep, Enumerate(names), ShortDevice(at.device),
			of[at][0].Since.UTC().Format("2006-01-02 15:04 UTC"), worst.Matrix, worst.HostUse,
			trial.HostRemedy(d.IsGPU(at.device))))
	}
	return warnings
}
