package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/store"
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
func (r Resolution) Limit() string { return difference(r.Usual) }

// difference prints a fraction as a percentage or, if it is large, as a factor.
func difference(x float64) string {
	if x < 1 {
		return term.ShortPercent(x)
	}
	return term.Significant(1+x, 2) + "×"
}

// Caveat says where the limit is another one.
func (r Resolution) Caveat() string {
	text := ""
	if worst := difference(r.Worst); worst != r.Limit() {
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
	var names []string
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Tied && r.Kernel != b.Kernel && !slices.Contains(names, r.Kernel) {
			names = append(names, r.Kernel)
		}
	}
	return names
}

// TieWords says where other kernels are tied with the one that is named, and from what difference
// on a configuration is called faster.
func (d *Data) TieWords() []string {
	const fewNames = 3
	var places, blurred []string
	for i := range d.Best {
		b := &d.Best[i]
		names := d.Tied(b)
		all := len(KernelsOf([]Panel{*d.PanelOf(&b.Row)}))
		place := b.Matrix + " " + string(b.Precision)
		switch {
		case len(names) == 0:
		case all > 2 && 1+len(names) == all:
			blurred = append(blurred, fmt.Sprintf("%s (%d kernels)", place, all))
		default:
			places = append(places, fmt.Sprintf("%s (%s = %s)", place, b.Kernel, term.Some(names, fewNames)))
		}
	}

	var list []string
	of := term.GroupedCount(len(d.Best), "place", "places")
	if n := len(blurred); n > 0 {
		list = append(list, fmt.Sprintf("on %d of %s no kernel can be told from the fastest: %s", n, of,
			Enumerate(blurred)))
	}
	if n := len(places); n > 0 {
		list = append(list, fmt.Sprintf("tied: on %d of %s no single kernel is the fastest: %s", n, of,
			Enumerate(places)))
	}
	if text := d.slowerNamed(); text != "" {
		list = append(list, text)
	}
	if r := d.Resolution(); r.Usual > 0 {
		list = append(list, "a configuration is called faster from "+r.Limit()+" on"+r.Caveat())
	}
	return list
}

// slowerNamed says where the one that is named took longer than another one of its tie set.
func (d *Data) slowerNamed() string {
	n, most, where := 0, 1.0, ""
	for i := range d.Best {
		b := &d.Best[i]
		slower := 1.0
		for _, r := range d.PanelOf(&b.Row).Rows {
			if r.Tied {
				slower = max(slower, b.Time/r.Time)
			}
		}
		if slower > 1 {
			n++
		}
		if slower > most {
			most, where = slower, b.Matrix+" "+string(b.Precision)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("on %d of %s the one named is not the fastest of those tied with it, as fast neighbouring sizes or "+
		"a simpler configuration count, too: it took at most %s longer, on %s", n,
		term.GroupedCount(len(d.Best), "place", "places"), term.ShortPercent(most-1), where)
}

// TieCount prints the number of trials that are tied with the named one. Without repeats, more may
// be.
func TieCount(b *store.Best) string {
	if b.Factor == 0 {
		return "≥" + term.Grouped(b.TieSize)
	}
	return term.Grouped(b.TieSize)
}

// A Crowd is what others did to the processor while a sweep measured a matrix.
type Crowd struct {
	Sweep, Device, Matrix string
	trial.HostUse
	Since time.Time // when the first of its trials ended
}

// Crowds are those of all trials whose times the processor is in, by sweep, device and matrix.
func (d *Data) Crowds() []Crowd {
	type key struct{ sweep, device, matrix string }
	index := map[key]int{}
	var list []Crowd
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Host.Cores == 0 {
			continue
		}
		k := key{r.Sweep, r.Device, r.Matrix}
		at, is := index[k]
		if !is {
			at, index[k] = len(list), len(list)
			list = append(list, Crowd{Sweep: r.Sweep, Device: r.Device, Matrix: r.Matrix, Since: r.At})
		}
		list[at].Add(r.Host)
		if r.At.Before(list[at].Since) {
			list[at].Since = r.At
		}
	}

	slices.SortFunc(list, func(a, b Crowd) int {
		return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Device, b.Device), a.Since.Compare(b.Since),
			cmp.Compare(a.Matrix, b.Matrix))
	})
	return list
}

// Crowded says of each sweep on a device where the processor was too busy, and what would help.
func (d *Data) Crowded() []error {
	var warnings []error
	for rest := d.Crowds(); len(rest) > 0; {
		n := slices.IndexFunc(rest, func(c Crowd) bool { return c.Sweep != rest[0].Sweep || c.Device != rest[0].Device })
		if n < 0 {
			n = len(rest)
		}
		of := rest[:n]
		rest = rest[n:]
		busy := slices.DeleteFunc(slices.Clone(of), func(c Crowd) bool { return !c.HostUse.Crowded() })
		if len(busy) == 0 {
			continue
		}
		var names []string
		for _, c := range busy {
			names = append(names, c.Matrix)
		}
		worst := slices.MaxFunc(busy, func(a, b Crowd) int { return cmp.Compare(a.Excess(), b.Excess()) })
		warnings = append(warnings, fmt.Errorf("the processor was busy while %s measured %d of %s on %s (%s), from %s on. "+
			"At worst, on %s: %s. %s", worst.Sweep, len(busy), term.Matrices(len(of)), ShortDevice(worst.Device),
			Enumerate(names), busy[0].Since.UTC().Format("2006-01-02 15:04 UTC"), worst.Matrix, worst.HostUse,
			trial.HostRemedy(d.IsGPU(worst.Device))))
	}
	return warnings
}
