package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/stat"
)

// PaperSheets are the papers' own tables, filled with what was measured.
func PaperSheets(d *analysis.Data) []Sheet {
	note := func(text string) []string { return notes(d, text+" Bold: the fastest of a row. = marks ties with it.") }

	return []Sheet{
		{"cpu", "CPU products (coo-spmv-final, Table III)", "cpu-and-gpu", true,
			note("GB/s as in the paper: 24 bytes for each nonzero, whatever the format."), perSetup(d, cpuTable)},
		{"cache-counters", "Cache counters (coo-spmv-final, Table IV, by spmvtune profile)", "cpu-and-gpu", true,
			[]string{"Counted in the fastest configuration of each kernel, in one product. Where valgrind counted, the " +
				"caches are simulated: a core's first level and the last one, which all threads share. The paper counts " +
				"500 products and what surrounds them."}, counterTables(d)},
		{"best-simple", "Best simple kernel (coo-spmv-final, Table V)", "simple-coo", true,
			note("The fastest of the four simple COO kernels, over the baseline. GB/s: 24 bytes for each nonzero, as " +
				"in the paper."),
			perSetup(d, func(list []analysis.Panel) Table {
				return bestOfTable(list, []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk",
					"coo_block_chunk"})
			})},
		{"best-coo", "Best COO kernel (coo-spmv-final, Table VI)", "chunk-and-unroll", true,
			note("The fastest of all COO kernels except cuSPARSE's, over the baseline. GB/s: 24 bytes for each " +
				"nonzero, as in the paper, so they can exceed the roof."),
			perSetup(d, func(list []analysis.Panel) Table { return bestOfTable(list, ownCOO()) })},
		{"five-algorithms", "Averages of the five algorithms (csr-five-algorithms, Sec. VI)", "csr-five", true,
			note("Each algorithm at its best, over the matrices on which all five were measured. The paper uses " +
				"arithmetic means."), fiveTables(d)},
		{"adaptive-long-rows", "CSR Adaptive's two ways with long rows (csr-five-algorithms, Table III)", "csr-five", true,
			note("Each at its best."), perSetup(d, longRowTable)},
		{"threads-per-block", "Threads per block of the best (csr-shuffle-and-shared, Table II)", "shuffle-and-tile", true,
			note("GB/s: compulsory traffic divided by time."), perSetup(d, threadsTable)},
	}
}

func cpuTable(list []analysis.Panel) Table {
	t := Table{Columns: Columns("matrix", ">COO (ms)", ">COO (GB/s)", ">CSR (ms)", ">CSR (GB/s)", ">CSR over COO")}
	for i := range list {
		coo, csr := list[i].Best("cpu_coo"), list[i].Best("cpu_csr")
		if coo == nil || csr == nil {
			continue
		}
		t.Rows = append(t.Rows, []Cell{Text(list[i].Matrix), timeCell(coo), paperRate(coo), timeCell(csr),
			paperRate(csr), ratioCell(coo, csr)})
		t.Mark([]*store.Row{coo, csr}, []int{1, 3})
	}

	return t
}

// ownCOO are the GPU's COO kernels of the catalogue.
func ownCOO() []string {
	return slices.DeleteFunc(kernels.Names(), func(name string) bool { return !strings.HasPrefix(name, "coo_") })
}

// bestOfTable lists the best of some kernels on each matrix and the kernels that are tied with
// it.
func bestOfTable(list []analysis.Panel, names []string) Table {
	t := Table{Columns: Columns("matrix", ">baseline (GB/s)", "best kernel", ">block", ">grid",
		">time (ms)", ">GB/s", ">over the baseline", "?tied with it")}
	for i := range list {
		p := &list[i]
		best := p.FastestOf(analysis.OfKernels(names...))
		if best == nil {
			continue
		}
		base := p.Best("coo_atomic")
		before := missing
		if base != nil {
			before = paperRate(base)
		}
		var tied []string
		for _, name := range names {
			if r := p.Best(name); r != nil && name != best.Kernel && !analysis.Tells(best, r) {
				tied = append(tied, "= "+name)
			}
		}
		t.Rows = append(t.Rows, []Cell{Text(p.Matrix), before, Text(best.Kernel), integer(best.Block),
			integer(best.Grid),
			timeCell(best), paperRate(best), ratioCell(base, best), Text(strings.Join(tied, ", "))})
		t.Rows[len(t.Rows)-1][2].Bold = true
	}

	return t
}

// fiveAlgorithms are the kernels of csr-five-algorithms, in its order.
var fiveAlgorithms = []string{"csr_scalar", "csr_vector", "csr_adaptive", "csr_pcsr", "csr_light"}

// fiveTables list the average throughput of each algorithm, for each setup.
func fiveTables(d *analysis.Data) []Table {
	var list []Table
	for _, s := range d.Setups() {
		sums := make([]float64, len(fiveAlgorithms))
		means := make([]stat.GeometricMean, len(fiveAlgorithms))
		n := 0
		for _, p := range d.In(s) {
			rows := make([]*store.Row, len(fiveAlgorithms))
			for i, name := range fiveAlgorithms {
				rows[i] = p.Best(name)
			}
			if slices.Contains(rows, nil) {
				continue
			}
			n++
			for i, r := range rows {
				sums[i] += r.GFLOPS
				means[i].Add(r.GFLOPS)
			}
		}
		if n == 0 {
			continue
		}
		best := 0.0
		for _, m := range means {
			best = max(best, m.Value())
		}
		t := Table{Title: fmt.Sprintf("%s, %d matrices", d.Words(s), n), Columns: Columns(
			"algorithm", ">GFLOP/s, arithmetic mean", ">GFLOP/s, geometric mean")}
		for i, name := range fiveAlgorithms {
			mean, geometric := sums[i]/float64(n), means[i].Value()
			t.Rows = append(t.Rows, []Cell{Text(name), number(mean, 3), number(geometric, 3)})
			t.Rows[i][1].Bold, t.Rows[i][2].Bold = sums[i] == slices.Max(sums), geometric == best
		}
		list = append(list, t)
	}

	return list
}

func longRowTable(list []analysis.Panel) Table {
	t := Table{Columns: Columns("matrix", ">mean row", ">warp per long row (GFLOP/s)",
		">block per long row (GFLOP/s)", ">block over warp")}
	k, _ := kernels.Lookup("csr_adaptive")
	at := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == "long_row" })

	for i := range list {
		p := &list[i]
		way := func(value string) *store.Row {
			return p.FastestOf(analysis.OfKernels("csr_adaptive").And(analysis.WithParam(k.Params[at], value)))
		}
		warp, block := way("warp"), way("block")
		if warp == nil || block == nil {
			continue
		}
		mean := float64(warp.NNZ) / float64(warp.Rows)
		t.Rows = append(t.Rows, []Cell{Text(p.Matrix), number(mean, 3),
			rateCell(warp, warp.GFLOPS), rateCell(block, block.GFLOPS), ratioCell(warp, block)})
		t.Mark([]*store.Row{warp, block}, []int{2, 3})
	}

	return t
}

// threadsTable has a row for each matrix and each measured kernel of csr-shuffle-and-shared,
// and for cuSPARSE's fastest.
func threadsTable(list []analysis.Panel) Table {
	t := Table{Columns: Columns("matrix", "kernel", ">threads per block", ">time (ms)", ">GB/s", ">GFLOP/s")}
	for i := range list {
		p := &list[i]
		var rows []*store.Row
		for _, name := range []string{"csr_warp_row_global", "csr_warp_row_shuffle", "csr_warp_row_tile"} {
			if r := p.Best(name); r != nil {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			continue
		}
		if r := p.FastestOf(func(r *store.Row) bool { return strings.HasPrefix(r.Kernel, "cusparse_csr") }); r != nil {
			rows = append(rows, r)
		}
		best := slices.MinFunc(rows, func(a, b *store.Row) int { return cmp.Compare(a.Time, b.Time) })
		for _, r := range rows {
			time := timeCell(r)
			if time.Bold = r == best; !time.Bold && !analysis.Tells(best, r) {
				time.Text = "= " + time.Text
			}
			t.Rows = append(t.Rows, []Cell{Text(p.Matrix), Text(r.Kernel), integer(r.Block), time,
				rateCell(r, r.GBPS), rateCell(r, r.GFLOPS)})
		}
	}
	return t
}

// counterTables list what a profiler counted in each kernel of a processor, for each setup.
func counterTables(d *analysis.Data) []Table {
	return perSetup(d, func(panels []analysis.Panel) Table {
		t := Table{Columns: Columns("matrix", "kernel", ">instructions", ">per nonzero", ">D refs",
			">D1 misses", ">LLd misses", ">D1 miss rate (%)", ">LLd miss rate (%)")}
		for _, p := range panels {
			for i := range d.Launches {
				if r := &d.Launches[i]; r.Place() == p.Case && r.Properties["data_refs"] > 0 {
					t.Rows = append(t.Rows, counterRow(r))
				}
			}
		}
		return t
	})
}

// counterRow has the counters of a product of a trial. Those that were not counted are missing.
func counterRow(r *store.Row) []Cell {
	row := []Cell{Text(r.Matrix), Text(r.Kernel)}
	add := func(name string, over float64, digits int) {
		row = append(row, number(fact(r, name)/over, digits))
	}

	refs := r.Properties["data_refs"]
	add("instructions", 1, 4)
	add("instructions", float64(r.NNZ), 3)
	add("data_refs", 1, 4)
	add("d1_misses", 1, 4)
	add("ll_misses", 1, 3)
	add("d1_misses", refs/100, 3)
	add("ll_misses", refs/100, 2)
	return row
}
