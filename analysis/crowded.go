package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/tuner/trial"
)

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
