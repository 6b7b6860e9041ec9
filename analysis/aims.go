package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spmvtune/internal/base/term"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// An Aim is how near the trials of one sweep came to the precision it asked for.
type Aim struct {
	Sweep string
	// Target is the half width of the median's interval that the sweep asks for, as a
	// fraction; NaN if it is not known.
	Target float64
	// Half is the median half width over the trials, of intervals within the run.
	Half float64
	// Trials is the number of verified trials.
	Trials int
	// The counts say why sampling ended: the target was reached, the time or the samples
	// were used up before, the trial was far slower than the best, or the clock can't tell more.
	Reached, Budget, Samples, Slow, Clock int
}

// Aims sums up the precision of each sweep that measured something.
func (d *Data) Aims() []Aim {
	var list []Aim
	for start := 0; start < len(d.Precisions); {
		first := &d.Precisions[start]
		a := Aim{Sweep: first.Sweep, Target: d.target(first)}
		var widths []float64
		end := start
		for ; end < len(d.Precisions); end++ {
			p := &d.Precisions[end]
			if p.Sweep != first.Sweep || p.Hash != first.Hash {
				break
			}
			stop := p.Stop
			if p.HalfWidth <= a.Target && (stop == trial.StopBudget || stop == trial.StopSamples) {
				stop = trial.StopTarget // with too few samples to end there
			}
			switch stop {
			case trial.StopTarget:
				a.Reached++
			case trial.StopBudget:
				a.Budget++
			case trial.StopSamples:
				a.Samples++
			case trial.StopSlow:
				a.Slow++
			case trial.StopClock:
				a.Clock++
			}
			a.Trials++
			if !math.IsNaN(p.HalfWidth) {
				widths = append(widths, p.HalfWidth)
			}
		}
		a.Half = Middle(widths)
		list = append(list, a)
		start = end
	}

	return list
}

// A Precision says how well a trial was measured.
type Precision struct {
	Sweep, Hash string // The sweep that measured it, see store.Sweep.
	Stop        trial.Stop
	// HalfWidth is the longer arm of the 95% interval within the run, which the sweep's target is
	// about, as a fraction of the median; NaN if it is not known.
	HalfWidth float64
}

// precisionsOf returns the precisions of the trials in panels, ordered by sweep, reason and width.
func precisionsOf(panels []Panel) []Precision {
	var list []Precision
	for i := range panels {
		for j := range panels[i].Rows {
			r := &panels[i].Rows[j]
			half := max(r.High-r.Median, r.Median-r.Low) / r.Median
			if r.Low == 0 {
				half = math.NaN()
			}
			list = append(list, Precision{r.Sweep, r.SweepHash, r.Stop, half})
		}
	}

	slices.SortFunc(list, func(a, b Precision) int {
		return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Hash, b.Hash),
			cmp.Compare(a.Stop, b.Stop), cmp.Compare(a.HalfWidth, b.HalfWidth))
	})

	return list
}

// target returns the precision that the sweep of a trial asked for, NaN where it is not
// known.
func (d *Data) target(p *Precision) float64 {
	for i := range d.Sweeps {
		if s := &d.Sweeps[i]; s.Name == p.Sweep && s.Hash == p.Hash && s.Protocol.Target > 0 {
			return s.Protocol.Target
		}
	}
	return math.NaN()
}

// Middle is the median of the values that are numbers, NaN if there are none.
func Middle(values []float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	return stat.Median(values)
}

// Wanted is the number of trials that more samples could have brought to the target.
func (a Aim) Wanted() int { return a.Trials - a.Slow - a.Clock }

// Missed names the sweeps most of whose trials missed the target, and says by how much.
func (d *Data) Missed() []error {
	var warnings []error
	aims := d.Aims()
	for _, a := range aims {
		if 2*a.Reached >= a.Wanted() || math.IsNaN(a.Target) {
			continue
		}
		of := ""
		if len(aims) > 1 {
			of = " of " + a.Sweep
		}
		narrows := "a larger trial_budget narrows them"
		if a.Samples > a.Budget {
			narrows = "more samples narrow them"
		}
		warnings = append(warnings, fmt.Errorf("%d of %s%s did not reach the target of %s: "+
			"the median half-width of their 95%% intervals within the run is %s; %s",
			a.Wanted()-a.Reached, term.Trials(a.Wanted()), of, term.ShortPercent(a.Target), term.ShortPercent(a.Half), narrows))
	}

	return warnings
}
