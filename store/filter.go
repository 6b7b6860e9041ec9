package store

import (
	"strings"

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
}

// where returns the filter as SQL conditions on fromTrials, with further ones, and the
// arguments for them.
func (f Filter) where(conditions ...string) (string, []any) {
	var args []any
	for _, c := range []struct{ column, value string }{
		{"s.name", f.Sweep}, {"d.name", f.Device}, {"m.name", f.Matrix}, {"k.name", f.Kernel},
		{"t.precision", string(f.Precision)}, {"t.cache", string(f.Cache)}, {"t.status", string(f.Status)},
	} {
		if c.value != "" {
			conditions = append(conditions, c.column+" = ?")
			args = append(args, c.value)
		}
	}
	if len(conditions) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conditions, " AND "), args
}
