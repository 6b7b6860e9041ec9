package analysis

import (
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A Panel holds the good trials of one place, each configuration once.
type Panel struct {
	trial.Case
	Rows []store.Row
}

// A Condition is a device with the state of its caches.
type Condition struct {
	Device string
	Cache  trial.Cache
}

// A Setup is a condition with a precision. Trials of one setup differ in the matrix and the
// configuration.
type Setup struct {
	Condition
	Precision kernels.Precision
}

// SetupOn returns the setup of a device, a cache state and a precision.
func SetupOn(device string, cache trial.Cache, p kernels.Precision) Setup {
	return Setup{Condition{device, cache}, p}
}

// Setup returns the setup of a panel.
func (p *Panel) Setup() Setup { return SetupOn(p.Device, p.Cache, p.Precision) }

// Condition returns the condition of a panel.
func (p *Panel) Condition() Condition { return p.Setup().Condition }

// SetupOf returns the setup that a trial was measured in.
func SetupOf(r *store.Row) Setup { return SetupOn(r.Device, r.Cache, r.Precision) }

// panelsOf groups good rows, which are sorted, by place.
func panelsOf(good []store.Row) []Panel {
	var panels []Panel
	for start := 0; start < len(good); {
		p := Panel{Case: good[start].Place()}
		end := start
		for end < len(good) && good[end].Place() == p.Case {
			end++
		}
		p.Rows = good[start:end:end]
		panels = append(panels, p)
		start = end
	}

	return panels
}

// Setups lists the setups with good trials, in order.
func (d *Data) Setups() []Setup {
	var list []Setup
	for i := range d.Panels {
		s := d.Panels[i].Setup()
		if n := len(list); n == 0 || list[n-1] != s {
			list = append(list, s)
		}
	}
	return list
}

// Conditions lists the conditions with good trials, in order.
func (d *Data) Conditions() []Condition {
	var list []Condition
	for _, s := range d.Setups() {
		if !slices.Contains(list, s.Condition) {
			list = append(list, s.Condition)
		}
	}
	return list
}

// In returns the panels of one setup: a matrix each, by mean row length.
func (d *Data) In(s Setup) []Panel {
	return slices.DeleteFunc(slices.Clone(d.Panels), func(p Panel) bool { return p.Setup() != s })
}

// Under returns the panels of one condition.
func (d *Data) Under(c Condition) []Panel {
	return slices.DeleteFunc(slices.Clone(d.Panels), func(p Panel) bool { return p.Condition() != c })
}

// PanelOf returns the panel that r belongs to, an empty one if there is none.
func (d *Data) PanelOf(r *store.Row) *Panel {
	for i := range d.Panels {
		if d.Panels[i].Case == r.Place() {
			return &d.Panels[i]
		}
	}
	return &Panel{}
}

// MatrixNames lists the matrices of some panels.
func MatrixNames(panels []Panel) string {
	names := make([]string, len(panels))
	for i := range panels {
		names[i] = panels[i].Matrix
	}
	return strings.Join(names, ", ")
}

// Fastest returns the row with the least time, the first of equal ones, nil if there
// is none.
func Fastest(rows []store.Row) *store.Row {
	var best *store.Row
	for i := range rows {
		if best == nil || rows[i].Time < best.Time {
			best = &rows[i]
		}
	}
	return best
}

// ByKernel returns the rows of one kernel. There may be a million rows, so they are not
// copied where they are contiguous, as in the panel of one device.
func (p *Panel) ByKernel(name string) []store.Row {
	first, end, n := 0, 0, 0
	for i := range p.Rows {
		if p.Rows[i].Kernel != name {
			continue
		}
		if n == 0 {
			first = i
		}
		end = i + 1
		n++
	}

	if end-first == n {
		return p.Rows[first:end:end]
	}

	rows := make([]store.Row, 0, n)
	for i := first; i < end; i++ {
		if p.Rows[i].Kernel == name {
			rows = append(rows, p.Rows[i])
		}
	}

	return rows
}
