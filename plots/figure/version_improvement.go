package figure

import (
	"fmt"

	"spmvtune/plots/data"
)

// newVersions compares the second forms of the kernels of csr-bins-and-hybrid with the first.
var newVersions = &barFigure{
	id:    "version-improvement",
	title: func(*scene) string { return "Second forms of the kernels against their first" },
	says: func(*scene) string {
		return "its speed relative to the first form, NAME_v1, in that form's fastest configuration, log axis; " +
			"+100% is half the time."
	},
	quantity: func(*scene) quantity { return percentFaster("the first form") },
	series: func(*scene) []series {
		var list []series
		for _, name := range []string{"csr_thread_row", "csr_warp_row", "csr_bins", "csr_hybrid"} {
			list = append(list, each([]string{name}, data.OfKernels(name+"_v1"))...)
		}
		return list
	},
	states: func(t *tally) string {
		faster, slower, of := 0, 0, 0
		for _, entries := range t.cells {
			for _, e := range entries {
				of++
				switch {
				case e.row.Time < e.base.Time && data.Tells(e.row, e.base):
					faster++
				case e.row.Time > e.base.Time && data.Tells(e.base, e.row):
					slower++
				}
			}
		}
		return fmt.Sprintf("Second forms are faster in %d of %d comparisons, and slower in %d", faster, of, slower)
	},
}
