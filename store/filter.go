package store

import (
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A Filter chooses trials by their names in the view results. An empty field
// means all.
type Filter struct {
	Sweep, Device, Matrix, Kernel string
	Precision                     kernels.Precision
	Cache                         trial.Cache
	Status                        trial.Status
	ID                            string // Identity of the trial.
}

// conditions adds the filter to conditions on trials, and returns the values for it.
func (f Filter) conditions(more []string) (conditions []string, args []any) {
	conditions = slices.Clone(more)
	for _, c := range []struct{ column, value string }{
		{"s.name", f.Sweep}, {"d.name", f.Device}, {"m.name", f.Matrix}, {"k.name", f.Kernel},
		{"t.precision", string(f.Precision)}, {"t.cache", string(f.Cache)}, {"t.status", string(f.Status)},
		{"t.identity", f.ID},
	} {
		if c.value != "" {
			conditions = append(conditions, c.column+" = ?")
			args = append(args, c.value)
		}
	}

	return conditions, args
}
