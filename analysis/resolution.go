package analysis

import (
	"fmt"
	"slices"

	"spmvtune/internal/base/term"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

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
