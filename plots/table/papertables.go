// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	gonum "gonum.org/v1/gonum/stat"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
)

// PaperSheets are the papers' own tables, filled with what was measured.
func PaperSheets(d *analysis.Data) []Sheet {
	note := func(text string) []string { return notes(d, text+" Bold: the fastest of a row. = marks ties with it.") }

	return []Sheet{
		{"cpu", "CPU products (coo-spmv-final, Table III)", true,
			note("GB/s as in the paper: 24 bytes for each nonzero, whatever the format."), cpuTables(d)},
		{"cache-counters", "Cache counters (coo-spmv-final, Table IV, by spmvtune profile)", true,
			[]string{"Counted in the fastest configuration of each kernel, in one product. Where valgrind counted, the " +
				"caches are simulated: a core's first level and the last one, which all threads share. The paper counts " +
				"500 products and what surrounds them."}, counterTables(d)},
		{"best-simple", "Best simple kernel (coo-spmv-final, Table V)", true,
			note("The fastest of the four simple COO kernels, over the baseline. GB/s: 24 bytes for each nonzero, as " +
				"in the paper."),
			bestOf(d, []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk"})},
		{"best-coo", "Best COO kernel (coo-spmv-final, Table VI)", true,
			note("The fastest of all COO kernels except cuSPARSE's, over the baseline. GB/s: 24 bytes for each " +
				"nonzero, as in the paper, so they can exceed the roof."),
			bestOf(d, slices.DeleteFunc(kernels.Names(), func(name string) bool { return !strings.HasPrefix(name, "coo_") }))},
		{"five-algorithms", "Averages of the five algorithms (csr-five-algorithms, Sec. VI)", true,
			note("Each algorithm at its best, over the matrices on which all five were measured. The paper uses " +
				"arithmetic means."), fiveTables(d)},
		{"adaptive-long-rows", "CSR Adaptive's two ways with long rows (csr-five-algorithms, Table III)", true,
			note("Each at its best."), longRowTables(d)},
		{"threads-per-block", "Threads per block of the best (csr-shuffle-and-shared, Table II)", true,
			note("GB/s: compulsory traffic divided by time."), threadsTables(d)},
	}
}

func cpuTables(d *analysis.Data) []Table {
	columns := Columns("matrix", ">COO (ms)", ">COO (GB/s)", ">CSR (ms)", ">CSR (GB/s)", ">CSR over COO")
	return perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		if coo, csr := p.Best("cpu_coo"), p.Best("cpu_csr"); coo != nil && csr != nil {
			t.Rows = append(t.Rows, []Cell{Text(p.Matrix), timeCell(coo), paperRate(coo), timeCell(csr), paperRate(csr),
				ratioCell(coo, csr)})
			t.markLast([]*store.Row{coo, csr}, 1, 3)
		}
	})
}

// bestOf lists the best of some kernels on each matrix and the kernels that are tied with it.
func bestOf(d *analysis.Data, names []string) []Table {
	columns := Columns("matrix", ">baseline (GB/s)", "best kernel", ">block", ">grid", ">time (ms)", ">GB/s",
		">over the baseline", "?tied with it")
	return perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		best := p.FastestOf(analysis.OfKernels(names...))
		if best == nil {
			return
		}
		base, before := p.Best("coo_atomic"), missing
		if base != nil {
			before = paperRate(base)
		}
		var tied []string
		for _, name := range names {
			if r := p.Best(name); r != nil && name != best.Kernel && !analysis.Tells(best, r) {
				tied = append(tied, "= "+name)
			}
		}
		kernel := Text(best.Kernel)
		kernel.Bold = true
		t.Rows = append(t.Rows, []Cell{Text(p.Matrix), before, kernel, integer(best.Block), integer(best.Grid), timeCell(best),
			paperRate(best), ratioCell(base, best), Text(strings.Join(tied, ", "))})
	})
}

// fiveAlgorithms are the kernels of csr-five-algorithms, in its order.
var fiveAlgorithms = []string{"csr_scalar", "csr_vector", "csr_adaptive", "csr_pcsr", "csr_light"}

// fiveTables list the average throughput of each algorithm, for each setup.
func fiveTables(d *analysis.Data) []Table {
	return perSetup(d, func(panels []analysis.Panel) Table {
		rates := make([][]float64, len(fiveAlgorithms))
		for i := range panels {
			rows := lists.Of(fiveAlgorithms, panels[i].Best)
			if slices.Contains(rows, nil) {
				continue
			}
			for k, r := range rows {
				rates[k] = append(rates[k], r.GFLOPS)
			}
		}
		n := len(rates[0])
		if n == 0 {
			return Table{}
		}
		t := Table{Title: fmt.Sprintf(", %d matrices", n), Columns: Columns("algorithm", ">GFLOP/s, arithmetic mean",
			">GFLOP/s, geometric mean")}
		for i, name := range fiveAlgorithms {
			t.Rows = append(t.Rows, []Cell{Text(name), number(gonum.Mean(rates[i], nil), 3),
				number(stat.GeometricMeanOf(rates[i]), 3)})
		}
		for column := 1; column < 3; column++ {
			best := slices.MaxFunc(t.Rows, func(a, b []Cell) int { return cmp.Compare(a[column].Key, b[column].Key) })
			best[column].Bold = true
		}
		return t
	})
}

func longRowTables(d *analysis.Data) []Table {
	k, _ := kernels.Lookup("csr_adaptive")
	at := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == "long_row" })
	columns := Columns("matrix", ">mean row", ">warp per long row (GFLOP/s)", ">block per long row (GFLOP/s)", ">block over warp")
	return perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		way := func(value string) *store.Row {
			return p.FastestOf(analysis.OfKernels("csr_adaptive").And(analysis.WithParam(k.Params[at], value)))
		}
		if warp, block := way("warp"), way("block"); warp != nil && block != nil {
			t.Rows = append(t.Rows, []Cell{Text(p.Matrix), number(float64(warp.NNZ)/float64(warp.Rows), 3),
				rateCell(warp, warp.GFLOPS), rateCell(block, block.GFLOPS), ratioCell(warp, block)})
			t.markLast([]*store.Row{warp, block}, 2, 3)
		}
	})
}

// threadsTables have a row for each matrix and each measured kernel of csr-shuffle-and-shared,
// and for cuSPARSE's fastest.
func threadsTables(d *analysis.Data) []Table {
	columns := Columns("matrix", "kernel", ">threads per block", ">time (ms)", ">GB/s", ">GFLOP/s")
	return perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		rows := []*store.Row{p.Best("csr_warp_row_global"), p.Best("csr_warp_row_shuffle"), p.Best("csr_warp_row_tile")}
		if rows = slices.DeleteFunc(rows, func(r *store.Row) bool { return r == nil }); len(rows) == 0 {
			return
		}
		if r := p.FastestOf(func(r *store.Row) bool { return strings.HasPrefix(r.Kernel, "cusparse_csr") }); r != nil {
			rows = append(rows, r)
		}
		first := len(t.Rows)
		for _, r := range rows {
			t.Rows = append(t.Rows, []Cell{Text(p.Matrix), Text(r.Kernel), integer(r.Block), timeCell(r),
				rateCell(r, r.GBPS), rateCell(r, r.GFLOPS)})
		}
		mark(rows, func(i int) *Cell { return &t.Rows[first+i][3] })
	})
}

// counterTables list what a profiler counted in each kernel of a processor, for each setup.
func counterTables(d *analysis.Data) []Table {
	columns := Columns("matrix", "kernel", ">instructions", ">per nonzero", ">D refs", ">D1 misses", ">LLd misses",
		">D1 miss rate (%)", ">LLd miss rate (%)")
	return perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		for _, r := range launches(d, p) {
			refs := r.Properties["data_refs"]
			if !(refs > 0) {
				continue
			}
			over := func(name string, of float64, digits int) Cell { return number(fact(r, name)/of, digits) }
			t.Rows = append(t.Rows, []Cell{Text(r.Matrix), Text(r.Kernel), over("instructions", 1, 4),
				over("instructions", float64(r.NNZ), 3), over("data_refs", 1, 4), over("d1_misses", 1, 4),
				over("ll_misses", 1, 3), over("d1_misses", refs/100, 3), over("ll_misses", refs/100, 2)})
		}
	})
}
