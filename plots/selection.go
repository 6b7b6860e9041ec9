package plots

import (
	"image/color"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/store"
)

// A selection is some of a panel's trials.
type selection func(*store.Row) bool

// ofKernels selects the trials of some kernels.
func ofKernels(names ...string) selection {
	return func(r *store.Row) bool { return slices.Contains(names, r.Kernel) }
}

// and selects what both select.
func (s selection) and(t selection) selection {
	return func(r *store.Row) bool { return s(r) && t(r) }
}

func withBlock(n int) selection { return func(r *store.Row) bool { return r.Block == n } }

// withParam selects trials with a value of a parameter, set or by default.
func withParam(p kernels.Param, value string) selection {
	return func(r *store.Row) bool {
		v, set := r.Params.Get(p.Name)
		if !set {
			v = p.Default
		}
		return v == value
	}
}

// fastestOf is the fastest trial of a selection, nil if there is none.
func (p *panel) fastestOf(s selection) *store.Row {
	var best *store.Row
	for i := range p.rows {
		if r := &p.rows[i]; s(r) && (best == nil || r.Median < best.Median) {
			best = r
		}
	}
	return best
}

// A series is what a figure of bars shows once in every matrix: the fastest trial
// of a selection.
type series struct {
	id      string    // a kernel's name, or that of a variant, as in legends
	of      selection //
	over    selection // the fastest of these is what it is compared with; nil: nothing
	variant *look     // nil: it looks like the kernel which is fastest, and is called so
	always  bool      // drawn however many there are
}

// key returns what a trial of the series is called and how it is drawn.
func (s *series) key(r *store.Row) (string, look) {
	if s.variant == nil {
		return r.Kernel, lookOf(r.Kernel)
	}
	return s.id, *s.variant
}

// each makes a series of each kernel, compared with the same trials.
func each(names []string, over selection) []series {
	list := make([]series, len(names))
	for i, name := range names {
		list[i] = series{id: name, of: ofKernels(name), over: over}
	}
	return list
}

// byParam makes a series of each value of a kernel's parameter, in shades of the
// kernel's colour.
func byParam(kernel, param string, over selection) []series {
	k, _ := kernels.Lookup(kernel)
	i := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == param })
	p := k.Params[i]
	list := make([]series, len(p.Values))
	for j, v := range p.Values {
		look := shade(kernel, j, len(p.Values))
		list[j] = series{id: kernel + " " + param + "=" + v, variant: &look, of: ofKernels(kernel).and(withParam(p, v)), over: over}
	}
	return list
}

// shade is the look of the i-th of n variants of a kernel: its colour, from dark
// to light, and the next marker.
func shade(kernel string, i, n int) look {
	l := lookOf(kernel)
	place, _ := catalogueIndex(kernel)
	toward, t := inkColor, 0.5-0.95*float64(i)/float64(max(1, n-1))
	if t < 0 {
		toward, t = paperColor, -t
	}
	mix := func(c, other uint8) uint8 { return uint8(math.Round(float64(c) + t*(float64(other)-float64(c)))) }
	l.Color = color.RGBA{mix(l.Color.R, toward.R), mix(l.Color.G, toward.G), mix(l.Color.B, toward.B), 0xFF}
	l.Marker = markers[(place+i)%len(markers)]
	return l
}
