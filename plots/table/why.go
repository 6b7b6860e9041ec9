package table

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// WhySheet says of each matrix, by a profiler's counters, what the fastest kernel does otherwise than
// the next. A matrix is left out where one of the two was not counted on a GPU.
func WhySheet(d *analysis.Data) Sheet {
	s := Sheet{"why", "", "Why it wins", []string{
		"The fastest kernel of each matrix beside the runner-up, counted by a profiler. DRAM: bytes read and " +
			"written, divided by the compulsory bytes of the format; below 1 the rest came from the cache. DRAM rate: the " +
			"share of its peak, of the kernel that reads the matrix's values, as all that follow. Instructions: of " +
			"warps, for 32 nonzeros. Balance: how long a multiprocessor is busy, of the busiest. Waits for: the most " +
			"frequent reason for which a warp issues nothing, with its share of the time. A counter that goes along " +
			"with a difference in time need not be its cause."}, nil}
	for _, setup := range d.Setups() {
		t := Table{Title: d.Words(setup), About: setup, Columns: Columns("matrix", "kernel", ">time (ms)", ">roof (%)",
			">DRAM", ">DRAM rate (%)", ">L2 hits (%)", ">instructions", ">occupancy (%)", ">balance (%)", "waits for",
			"what differs")}
		for _, r := range rivalsIn(d, setup) {
			t.Rows = append(t.Rows, append(whyCells(r.first), Text(r.words())), append(whyCells(r.second), Text("")))
			t.embolden(len(t.Rows)-2, 1)
		}
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// A rivalry is the fastest kernel of a place and the runner-up, both counted.
type rivalry struct{ first, second *store.Row }

// rivalsIn finds those of a setup, by mean row length of the matrices.
func rivalsIn(d *analysis.Data, setup analysis.Setup) (list []rivalry) {
	for i := range d.Matrices {
		var rows []*store.Row
		for k := range d.Launches {
			l := &d.Launches[k]
			if l.Matrix == d.Matrices[i].Name && setup == analysis.SetupOn(l.Device, l.Cache, l.Precision) {
				rows = append(rows, l)
			}
		}
		slices.SortStableFunc(rows, func(a, b *store.Row) int { return cmp.Compare(a.Time, b.Time) })
		if len(rows) > 1 && countedOnGPU(rows[0]) && countedOnGPU(rows[1]) {
			list = append(list, rivalry{rows[0], rows[1]})
		}
	}
	return list
}

func countedOnGPU(r *store.Row) bool {
	_, counted := r.Properties["dram_read_bytes"]
	return counted
}

// fact is a counter, NaN if it was not counted.
func fact(r *store.Row, name string) float64 {
	if v, counted := r.Properties[name]; counted {
		return v
	}
	return math.NaN()
}

// dramBytes is what a product reads and writes in the device's memory.
func dramBytes(r *store.Row) float64 { return fact(r, "dram_read_bytes") + fact(r, "dram_write_bytes") }

// whyCells are those of a kernel, without the words.
func whyCells(r *store.Row) []Cell {
	percent := func(v float64) Cell { return plain(100 * v) }
	name, share := worstStall(r)
	waits := Text(term.Missing)
	if name != "" {
		waits = Cell{stallWords[name] + " (" + term.Significant(100*share, 2) + "%)", math.NaN()}
	}
	return []Cell{Text(r.Matrix), Text(r.Kernel), timeCell(r), percent(r.RoofFraction),
		ratioOf(dramBytes(r) / float64(r.BytesMin)), percent(fact(r, "dram_fraction")), percent(fact(r, "l2_hit_rate")),
		plain(32 * fact(r, "instructions") / float64(r.NNZ)), percent(fact(r, "achieved_occupancy")),
		percent(fact(r, "balance")), waits}
}

// plain and ratioOf are cells of two and of three digits.
func plain(v float64) Cell   { return digits(v, 2) }
func ratioOf(v float64) Cell { return digits(v, 3) }

func digits(v float64, n int) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{term.Missing, math.NaN()}
	}
	return Cell{term.Significant(v, n), v}
}
