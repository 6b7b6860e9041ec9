package analysis

import (
	"math"

	"spmvtune/kernels"
	"spmvtune/store"
)

// plainCSR are the kernels whose preparation the others' is compared with, in order of
// preference: they need nothing but CSR arrays.
var plainCSR = []string{"csr_scalar", "csr_scalar_ahead", "cpu_csr_rows", "cpu_csr"}

// PlainCSROf names the one of them that was measured on a device, "" if none was.
func (d *Data) PlainCSROf(device string) string {
	for _, name := range plainCSR {
		for i := range d.Panels {
			if p := &d.Panels[i]; p.Device == device && len(p.ByKernel(name)) > 0 {
				return name
			}
		}
	}
	return ""
}

// CuSPARSE returns the fastest trial of the library, nil if there is none.
func (p *Panel) CuSPARSE() *store.Row {
	return p.FastestOf(func(r *store.Row) bool { return ofLibrary(r) })
}

func ofLibrary(r *store.Row) bool {
	k, ok := kernels.Lookup(r.Kernel)
	return ok && k.Library()
}

// Prepared reports whether the time to prepare is known of some trial.
func (p *Panel) Prepared() bool {
	for i := range p.Rows {
		if p.Rows[i].Prepare > 0 {
			return true
		}
	}
	return false
}

// PaysOff is after how many products r has made up for taking more preparation than base: 0 if
// it takes no more, and infinitely many if it is not faster by more than repetitions differ.
func PaysOff(base, r *store.Row) float64 {
	if r.Time >= base.Time || !Tells(r, base) {
		return math.Inf(1)
	}
	return math.Ceil(max(0, r.Prepare-base.Prepare) / (base.Time - r.Time))
}
