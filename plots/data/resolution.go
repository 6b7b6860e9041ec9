package data

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A Resolution is the least difference between trials that the data tells, as a fraction.
type Resolution struct {
	// Usual is the median over the places, and Worst the largest, at Where. Usual is NaN if there
	// is no place.
	Usual, Worst float64
	Where        trial.Place
	// Repeated says that trials were repeated, which tells how far two runs differ. Otherwise
	// intervals are those within the run.
	Repeated bool
}

// Resolution returns what can be told between the fastest trial of a place and those near it.
func (d *Report) Resolution() Resolution {
	r := Resolution{}
	var all []float64
	for i := range d.Panels {
		p := &d.Panels[i]
		x := p.resolution()
		all = append(all, x)
		if x > r.Worst {
			r.Worst, r.Where = x, p.Place
		}
		r.Repeated = r.Repeated || slices.ContainsFunc(p.Rows, func(r store.Row) bool { return r.Factor > 0 })
	}
	r.Usual = Middle(all)
	return r
}

// resolution is the median over the trials that take at most 1.3 times as long as the fastest.
func (p *Panel) resolution() float64 {
	const near = 1.3
	best := Fastest(p.Rows)
	var all []float64
	for i := range p.Rows {
		if r := &p.Rows[i]; r != best && r.Time <= near*best.Time {
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
		return "±" + number.Percent(x)
	}
	return number.Significant(1+x, 2) + "×"
}

// Caveat says of differences below the limit what they are not.
func (r Resolution) Caveat() string {
	text := "are not called wins, unless repeat runs tell them"
	if worst := difference(r.Worst); worst != r.Limit() {
		text += fmt.Sprintf(" (below %s on %s, %s, %s cache)", worst, r.Where.Matrix, r.Where.Precision, r.Where.Cache)
	}
	if !r.Repeated {
		text += "; how much repeated trials differ is not known here, so another run may differ by more"
	}
	return text
}

// Tied lists the other kernels that can't be told from the one that is named at a place.
func (d *Report) Tied(b *store.Best) []string {
	p := d.PanelOf(&b.Row)
	var names []string
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Tied && r.Kernel != b.Kernel && !slices.Contains(names, r.Kernel) {
			names = append(names, r.Kernel)
		}
	}
	return names
}

// TieWords says where other kernels are tied with the one that is named, and what differences
// are not called wins.
func (d *Report) TieWords() []string {
	var places []string
	for i := range d.Best {
		b := &d.Best[i]
		if names := d.Tied(b); len(names) > 0 {
			places = append(places, fmt.Sprintf("%s %s (%s = %s)", b.Matrix, b.Precision, b.Kernel,
				strings.Join(names, " = ")))
		}
	}

	var list []string
	if n := len(places); n > 0 {
		list = append(list, fmt.Sprintf("tied: on %d of %s no single kernel is the fastest: %s", n,
			term.GroupedCount(len(d.Best), "place", "places"), Enumerate(places)))
	}
	if r := d.Resolution(); r.Usual > 0 {
		list = append(list, "differences below "+r.Limit()+" "+r.Caveat())
	}
	return list
}
