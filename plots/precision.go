package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// An aim is how near the trials of one sweep came to the precision it asked for.
type aim struct {
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

// aims sums up the precision of each sweep that measured something.
func (d *data) aims() []aim {
	var list []aim
	for start := 0; start < len(d.precisions); {
		first := &d.precisions[start]
		a := aim{Sweep: first.Sweep, Target: d.target(first)}
		var widths []float64
		end := start
		for ; end < len(d.precisions) && d.precisions[end].Sweep == first.Sweep && d.precisions[end].Hash == first.Hash; end++ {
			switch p := &d.precisions[end]; p.Stop {
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
			widths = append(widths, d.precisions[end].HalfWidth)
		}
		a.Trials = end - start - a.Looks
		a.Half = middle(widths)
		list = append(list, a)
		start = end
	}
	return list
}

// target reads what the sweep of a trial asked for from its protocol.
func (d *data) target(p *store.Precision) float64 {
	for i := range d.sweeps {
		if s := &d.sweeps[i]; s.Name == p.Sweep && s.Hash == p.Hash {
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

// middle is the median of the values that are numbers, NaN if there are none.
func middle(values []float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// percent prints a fraction with two digits: "2%", "5.1%", "120%".
func percent(x float64) string {
	if math.IsNaN(x) {
		return missing
	}
	return term.ShortPercent(x)
}

// wanted are the trials that more samples could have brought to the target.
func (a aim) wanted() int { return a.Trials - a.Slow - a.Clock }

// missed says of each sweep most of whose trials did not get as near as it asked
// for how far off they are.
func (d *data) missed() []error {
	var warnings []error
	aims := d.aims()
	for _, a := range aims {
		if 2*a.Reached >= a.wanted() || math.IsNaN(a.Target) {
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
			a.wanted()-a.Reached, a.wanted(), of, percent(a.Target), percent(a.Half), raise))
	}
	return warnings
}

// aimFacts are the precision in figures.
func aimFacts(d *data) []fact {
	aims := d.aims()
	if len(aims) == 0 {
		return nil
	}
	var reached, trials int
	for _, a := range aims {
		reached, trials = reached+a.Reached, trials+a.wanted()
	}
	var widths []float64
	for i := range d.precisions {
		if d.precisions[i].Stop == trial.StopSearch {
			continue
		}
		widths = append(widths, d.precisions[i].HalfWidth)
	}
	target := "their target"
	if same := !slices.ContainsFunc(aims, func(a aim) bool { return a.Target != aims[0].Target }); same {
		target = "the target of " + percent(aims[0].Target)
	}
	return []fact{
		{Value: term.Grouped(reached) + " of " + term.Grouped(trials), Name: "trials reached " + target, Bad: 2*reached < trials},
		{Value: "±\u202f" + percent(middle(widths)), Name: "median half-width of the 95% intervals"},
	}
}

func aimTable(d *data) table {
	t := table{Title: "Precision", Columns: []column{
		{"sweep", false}, {"target (%)", true}, {"trials", true}, {"reached it", true}, {"ended by trial_budget", true}, {"ended by samples", true},
		{"ended as slow", true}, {"ended by the clock", true},
		{"median half-width (%)", true},
	}}
	share := func(x float64) cell { return cell{strings.TrimSuffix(percent(x), "%"), x} }
	for _, a := range d.aims() {
		t.Rows = append(t.Rows, []cell{
			words(a.Sweep), share(a.Target), count(a.Trials), count(a.Reached), count(a.Budget), count(a.Samples), count(a.Slow), count(a.Clock), share(a.Half),
		})
	}
	return t
}
