package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// An Aim is how near the trials of one sweep came to the precision it asked for.
type Aim struct {
	Sweep   string
	Target  float64 // half width of the interval of the median, as a fraction; NaN: not known
	Trials  int     // that are ok
	Reached int
	Budget  int     // ended by the time of a trial
	Samples int     // ended by the most samples
	Slow    int     // ended since they were far slower than the best
	Clock   int     // ended since the clock can't tell more
	Looks   int     // first looks of a search, which are not among the trials
	Half    float64 // median over the trials of the half width
}

// Aims sums up the precision of each sweep that measured something.
func (d *Report) Aims() []Aim {
	var list []Aim
	for start := 0; start < len(d.Precisions); {
		first := &d.Precisions[start]
		a := Aim{Sweep: first.Sweep, Target: d.target(first)}
		var widths []float64
		end := start
		for ; end < len(d.Precisions) && d.Precisions[end].Sweep == first.Sweep && d.Precisions[end].Hash == first.Hash; end++ {
			switch p := &d.Precisions[end]; p.Stop {
			case trial.StopSearch: // it did not have to
				a.Looks++
				continue
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
			widths = append(widths, d.Precisions[end].HalfWidth)
		}
		a.Trials = end - start - a.Looks
		a.Half = Middle(widths)
		list = append(list, a)
		start = end
	}
	return list
}

// target reads what the sweep of a trial asked for from its protocol.
func (d *Report) target(p *store.Precision) float64 {
	for i := range d.Sweeps {
		if s := &d.Sweeps[i]; s.Name == p.Sweep && s.Hash == p.Hash {
			for _, setting := range strings.Fields(s.Protocol) {
				if value, ok := strings.CutPrefix(setting, "target="); ok {
					if v, err := strconv.ParseFloat(value, 64); err == nil && v > 0 {
						return v
					}
				}
			}
		}
	}
	return math.NaN()
}

// Middle is the median of the values that are numbers, NaN if there are none.
func Middle(values []float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// Wanted are the trials that more samples could have brought to the target.
func (a Aim) Wanted() int { return a.Trials - a.Slow - a.Clock }

// Missed says of each sweep most of whose trials did not get as near as it asked
// for how far off they are.
func (d *Report) Missed() []error {
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
		raise := "trial_budget"
		if a.Samples > a.Budget {
			raise = "samples"
		}
		warnings = append(warnings, fmt.Errorf("%d of %d trials%s did not reach the target of %s: the median half-width of their 95%% intervals is %s; a larger %s narrows them",
			a.Wanted()-a.Reached, a.Wanted(), of, number.Percent(a.Target), number.Percent(a.Half), raise))
	}
	return warnings
}
