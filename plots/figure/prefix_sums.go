package figure

import (
	"fmt"

	"spmvtune/plots/data"
)

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
}, nil)).stating("Shuffled scans beat shared-memory scans",
	[2]string{"coo_scan_warp", "coo_scan_shared"}, [2]string{"coo_segscan_warp", "coo_segscan_shared"})

var chunksAndUnrolling = overFirstScan("chunk-and-unroll", 2, append(
	each([]string{"coo_block_chunk", "coo_segscan_warp", "coo_scan_warp_chunk", "coo_segscan_warp_chunk"}, nil),
	byParam("coo_segscan_warp_chunk_unroll", "unroll", nil)...,
))

// stating makes a title that says in how many cases the first kernels of pairs are the
// faster ones.
func (f *barFigure) stating(claim string, pairs ...[2]string) *barFigure {
	f.states = func(t *tally) string {
		wins, of := t.beats(pairs...)
		if of == 0 {
			return ""
		}
		return fmt.Sprintf("%s on %d of %d", claim, wins, of)
	}
	return f
}
