package figure

import (
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// drawSpeedup compares every kernel with the baseline of its device.
func drawSpeedup(d *data.Report) ([]*canvas.Picture, []error) {
	base := func(s *scene) string { return d.BaselineOf(s.device) }
	f := barFigure{
		id:       "speedup-over-baseline",
		title:    func(s *scene) string { return "Speed-up over " + base(s) },
		says:     func(s *scene) string { return "time of " + base(s) + " divided by its time, log axis." },
		quantity: func(s *scene) quantity { return timesAsFast(base(s)) },
		series: func(s *scene) []series {
			if base(s) == "" {
				return nil
			}
			others := slices.DeleteFunc(data.KernelsOf(s.panels), func(name string) bool { return name == base(s) })
			return each(others, data.OfKernels(base(s)))
		},
		warnings: func(d *data.Report) []error { return d.WithoutBaseline() },
	}
	return f.draw(d)
}

// firstScan is the baseline of prefix sums in coo-spmv-final: "ps 32".
const firstScan = "coo_scan_shared at block 32"

var ofFirstScan = data.OfKernels("coo_scan_shared").And(data.WithBlock(32))

// overFirstScan makes a figure of speed-ups over firstScan.
func overFirstScan(id string, least int, list []series) *barFigure {
	for i := range list {
		list[i].over = ofFirstScan
	}
	return &barFigure{
		id:    id,
		title: func(*scene) string { return "Speed-up over " + firstScan },
		says: func(*scene) string {
			return "time of " + firstScan + ", at its best grid, divided by its time, log axis."
		},
		quantity: func(*scene) quantity { return timesAsFast(firstScan) },
		series:   func(*scene) []series { return list },
		least:    least,
	}
}

var prefixSums = overFirstScan("prefix-sum-variants", 2, each([]string{
	"coo_scan_shared", "coo_segscan_shared", "coo_blelloch", "coo_blelloch_padded",
	"coo_scan_warp", "coo_segscan_warp", "coo_scan_block", "coo_segscan_block",
}, nil))

var chunksAndUnrolling = overFirstScan("chunk-and-unroll", 2, append(
	each([]string{"coo_block_chunk", "coo_segscan_warp", "coo_scan_warp_chunk", "coo_segscan_warp_chunk"}, nil),
	byParam("coo_segscan_warp_chunk_unroll", "unroll", nil)...,
))

// newVersions compares the second forms of the kernels of csr-bins-and-hybrid with the first.
var newVersions = &barFigure{
	id:    "version-improvement",
	title: func(*scene) string { return "Second forms of the kernels against their first" },
	says: func(*scene) string {
		return "its speed against that of the first form, NAME_v1, in its own fastest configuration, log axis; " +
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
}
