package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
)

// paperSheets are the papers' own tables, from what was measured.
func paperSheets(d *data) []sheet {
	note := func(text string) []string {
		return slices.DeleteFunc([]string{Twins(d.matrices), text + " Bold: the best of a row; = marks what the data can't tell from it."}, isEmpty)
	}
	return []sheet{
		{"cpu", "cpu-and-gpu", "CPU products (coo-spmv-final, Table III)",
			note("GB/s as in the paper: 24 bytes for each nonzero, whatever the format."), d.perSetup(cpuTable)},
		{"best-simple", "simple-coo", "Best simple kernel (coo-spmv-final, Table V)",
			note("Of the four simple mappings of COO, over the baseline. GB/s: 24 bytes for each nonzero, as in the paper."),
			d.perSetup(func(list []panel) table {
				return bestOfTable(list, []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk"})
			})},
		{"best-coo", "chunk-and-unroll", "Best COO kernel (coo-spmv-final, Table VI)",
			note("Of all COO kernels but cuSPARSE's, over the baseline. GB/s: 24 bytes for each nonzero, as in the paper, so that they can exceed the roof."),
			d.perSetup(func(list []panel) table { return bestOfTable(list, ownCOO()) })},
		{"five-algorithms", "csr-five", "Averages of the five algorithms (csr-five-algorithms, Sec. VI)",
			note("Over the matrices on which all five were measured, each at its best. The paper averages arithmetically."), fiveTables(d)},
		{"adaptive-long-rows", "csr-five", "CSR Adaptive's two ways with long rows (csr-five-algorithms, Table III)",
			note("Each at its best."), d.perSetup(longRowTable)},
		{"threads-per-block", "shuffle-and-tile", "Threads per block of the best (csr-shuffle-and-shared, Table II)",
			note("GB/s: compulsory traffic divided by time."), d.perSetup(threadsTable)},
	}
}

// perSetup makes a table of the panels of each setup; those without rows are left out.
func (d *data) perSetup(of func([]panel) table) []table {
	var list []table
	for _, s := range d.setups() {
		if t := of(d.of(s)); len(t.Rows) > 0 {
			t.Title = d.words(s)
			list = append(list, t)
		}
	}
	return list
}

// best is the fastest trial of a kernel in a panel, nil if there is none.
func (p *panel) best(kernel string) *store.Row { return p.fastestOf(ofKernels(kernel)) }

// timeCell, rateCell and ratioCell round to what the interval supports.
func timeCell(r *store.Row) cell {
	ms := 1e3 * r.Median
	return cell{interval(ms, 1e3*r.Low, 1e3*r.High), ms}
}

func rateCell(r *store.Row, v float64) cell { return cell{rounded(v, v*relative(r)), v} }

func ratioCell(base, r *store.Row) cell {
	if base == nil || r == nil {
		return cell{missing, math.NaN()}
	}
	v, low, high := ratio(base, r)
	return cell{rounded(v, max(v-low, high-v)), v}
}

// paperRate is the bandwidth by the byte model of the COO papers.
func paperRate(r *store.Row) cell { return rateCell(r, 24e-9*float64(r.NNZ)/r.Median) }

// tells reports whether the data can tell a from the faster b.
func tells(b, a *store.Row) bool { return a.Low > b.High && a.Median > (1+tieWithin)*b.Median }

// mark makes the fastest of a row's trials bold, and puts = to those that are tied with
// it. at says in which column the trial stands; a nil trial stands nowhere.
func (t *table) mark(trials []*store.Row, at []int) {
	var best *store.Row
	for _, r := range trials {
		if r != nil && (best == nil || r.Median < best.Median) {
			best = r
		}
	}
	row := len(t.Rows) - 1
	for i, r := range trials {
		switch {
		case r == nil:
		case r == best:
			t.embolden(row, at[i])
		case !tells(best, r):
			t.Rows[row][at[i]].Text = "= " + t.Rows[row][at[i]].Text
		}
	}
}

func cpuTable(list []panel) table {
	t := table{Columns: []column{{"matrix", false}, {"COO (ms)", true}, {"COO (GB/s)", true}, {"CSR (ms)", true}, {"CSR (GB/s)", true}, {"CSR over COO", true}}}
	for i := range list {
		coo, csr := list[i].best("cpu_coo"), list[i].best("cpu_csr")
		if coo == nil || csr == nil {
			continue
		}
		t.Rows = append(t.Rows, []cell{words(list[i].Matrix), timeCell(coo), paperRate(coo), timeCell(csr), paperRate(csr), ratioCell(coo, csr)})
		t.mark([]*store.Row{coo, csr}, []int{1, 3})
	}
	return t
}

// ownCOO are the GPU's COO kernels of the catalogue.
func ownCOO() []string {
	return slices.DeleteFunc(kernels.Names(), func(name string) bool { return !strings.HasPrefix(name, "coo_") })
}

// bestOfTable has the best of some kernels on each matrix; the others that are tied with
// it are named, too.
func bestOfTable(list []panel, names []string) table {
	t := table{Columns: []column{{"matrix", false}, {"baseline (GB/s)", true}, {"best kernel", false}, {"block", true}, {"grid", true},
		{"time (ms)", true}, {"GB/s", true}, {"over the baseline", true}, {"tied with it", false}}}
	for i := range list {
		p := &list[i]
		best := p.fastestOf(ofKernels(names...))
		if best == nil {
			continue
		}
		base := p.best("coo_atomic")
		before := cell{missing, math.NaN()}
		if base != nil {
			before = paperRate(base)
		}
		var tied []string
		for _, name := range names {
			if r := p.best(name); r != nil && name != best.Kernel && !tells(best, r) {
				tied = append(tied, "= "+name)
			}
		}
		t.Rows = append(t.Rows, []cell{words(p.Matrix), before, words(best.Kernel), integer(best.Block), integer(best.Grid),
			timeCell(best), paperRate(best), ratioCell(base, best), words(strings.Join(tied, ", "))})
		t.embolden(len(t.Rows)-1, 2)
	}
	return t
}

// fiveAlgorithms are those of csr-five-algorithms, as there.
var fiveAlgorithms = []string{"csr_scalar", "csr_vector", "csr_adaptive", "csr_pcsr", "csr_light"}

// fiveTables have, for each device and cache state, the average throughput of each.
func fiveTables(d *data) []table {
	var list []table
	for _, s := range d.setups() {
		sums := make([]float64, len(fiveAlgorithms))
		logs := make([]float64, len(fiveAlgorithms))
		n := 0
		for _, p := range d.of(s) {
			rows := make([]*store.Row, len(fiveAlgorithms))
			for i, name := range fiveAlgorithms {
				rows[i] = p.best(name)
			}
			if slices.Contains(rows, nil) {
				continue
			}
			n++
			for i, r := range rows {
				sums[i] += r.GFLOPS
				logs[i] += math.Log(r.GFLOPS)
			}
		}
		if n == 0 {
			continue
		}
		t := table{Title: fmt.Sprintf("%s, %d matrices", d.words(s), n), Columns: []column{
			{"algorithm", false}, {"GFLOP/s, arithmetic mean", true}, {"GFLOP/s, geometric mean", true}}}
		for i, name := range fiveAlgorithms {
			mean, geometric := sums[i]/float64(n), math.Exp(logs[i]/float64(n))
			t.Rows = append(t.Rows, []cell{words(name), {significant(mean, 3), mean}, {significant(geometric, 3), geometric}})
			if sums[i] == slices.Max(sums) {
				t.embolden(i, 1)
			}
			if logs[i] == slices.Max(logs) {
				t.embolden(i, 2)
			}
		}
		list = append(list, t)
	}
	return list
}

func longRowTable(list []panel) table {
	t := table{Columns: []column{{"matrix", false}, {"mean row", true}, {"warp per long row (GFLOP/s)", true}, {"block per long row (GFLOP/s)", true}, {"block over warp", true}}}
	k, _ := kernels.Lookup("csr_adaptive")
	at := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == "long_row" })
	for i := range list {
		p := &list[i]
		way := func(value string) *store.Row {
			return p.fastestOf(ofKernels("csr_adaptive").and(withParam(k.Params[at], value)))
		}
		warp, block := way("warp"), way("block")
		if warp == nil || block == nil {
			continue
		}
		mean := float64(warp.NNZ) / float64(warp.Rows)
		t.Rows = append(t.Rows, []cell{words(p.Matrix), {significant(mean, 3), mean}, rateCell(warp, warp.GFLOPS), rateCell(block, block.GFLOPS), ratioCell(warp, block)})
		t.mark([]*store.Row{warp, block}, []int{2, 3})
	}
	return t
}

// threadsTable has a row for each matrix and kernel of csr-shuffle-and-shared that was
// measured, and cuSPARSE's fastest.
func threadsTable(list []panel) table {
	t := table{Columns: []column{{"matrix", false}, {"kernel", false}, {"threads per block", true}, {"time (ms)", true}, {"GB/s", true}, {"GFLOP/s", true}}}
	for i := range list {
		p := &list[i]
		var rows []*store.Row
		for _, name := range []string{"csr_warp_row_global", "csr_warp_row_shuffle", "csr_warp_row_tile"} {
			if r := p.best(name); r != nil {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			continue
		}
		if r := p.fastestOf(func(r *store.Row) bool { return strings.HasPrefix(r.Kernel, "cusparse_csr") }); r != nil {
			rows = append(rows, r)
		}
		best := slices.MinFunc(rows, func(a, b *store.Row) int { return compareTimes(a, b) })
		for _, r := range rows {
			t.Rows = append(t.Rows, []cell{words(p.Matrix), words(r.Kernel), integer(r.Block), timeCell(r), rateCell(r, r.GBPS), rateCell(r, r.GFLOPS)})
			at := len(t.Rows) - 1
			if r == best {
				t.embolden(at, 3)
			} else if !tells(best, r) {
				t.Rows[at][3].Text = "= " + t.Rows[at][3].Text
			}
		}
	}
	return t
}

func compareTimes(a, b *store.Row) int {
	switch {
	case a.Median < b.Median:
		return -1
	case a.Median > b.Median:
		return 1
	}
	return 0
}
