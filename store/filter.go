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
	Cache                         trial.Cache // or UnknownCache
	Status                        trial.Status
	ID                            string // Identity of the trial.
}

// UnknownCache chooses trials whose cache state is not known: they were imported.
const UnknownCache trial.Cache = "unknown"

// conditions adds the filter to conditions on trials, and returns the values for it.
func (f Filter) conditions(more []string) (conditions []string, args []any) {
	return f.on(more, "s.name", "d.name", "m.name", "k.name", "t.")
}

// ofView returns the conditions on wideResults, called r, and the values for them.
func (f Filter) ofView() (conditions []string, args []any) {
	return f.on(nil, "r.sweep", "r.device", "r.matrix", "r.kernel", "r.")
}

// on adds the filter to conditions on columns of these names. Those that trials have themselves come after prefix.
func (f Filter) on(more []string, sweep, device, matrix, kernel, prefix string) (conditions []string, args []any) {
	conditions = slices.Clone(more)
	for _, c := range []struct{ column, value string }{
		{sweep, f.Sweep}, {device, f.Device}, {matrix, f.Matrix}, {kernel, f.Kernel},
		{prefix + "precision", string(f.Precision)}, {prefix + "cache", string(f.Cache)},
		{prefix + "status", string(f.Status)}, {prefix + "identity", f.ID},
	} {
		if c.column == prefix+"cache" && c.value == string(UnknownCache) {
			conditions = append(conditions, c.column+" = ''")
		} else if c.value != "" {
			conditions = append(conditions, c.column+" = ?")
			args = append(args, c.value)
		}
	}

	return conditions, args
}
