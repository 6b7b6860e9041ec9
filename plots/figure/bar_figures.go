// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"math"
	"slices"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// csrBandwidth shows how near the kernels for CSR come to the memory's bandwidth.
var csrBandwidth = &barFigure{
	id:       "bandwidth-by-kernel",
	quantity: rate(analysis.GBPS),
	fit: func(f *barFigure, s *scene) {
		f.series = each(analysis.KernelsOf(s.panels), nil)
		for i := range f.series {
			f.series[i].of = f.series[i].of.And(func(r *store.Row) bool { return r.Format == kernels.CSR })
		}
	},
	least: 2,
}

// onProcessor are the two kernels of coo-spmv-final, Table III.
var onProcessor = []string{"cpu_coo", "cpu_csr"}

var cpuBandwidth = inPaperUnits(rate, &barFigure{
	id:     "cpu-bandwidth",
	series: each(onProcessor, nil),
	least:  2,
})

// inPaperUnits shows a throughput as the COO papers count it where their numbers stand beside it. Elsewhere their
// GB/s would seem to exceed the device's.
func inPaperUnits(of func(analysis.Unit) quantity, f *barFigure) *barFigure {
	f.fit = func(f *barFigure, s *scene) {
		f.quantity = of(analysis.GFLOPS)
		if s.data.Published {
			f.quantity = of(analysis.PaperGBPS)
		}
	}
	return f
}

// simpleOnGPU are the kernels of coo-spmv-final, Table V.
var simpleOnGPU = []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk"}

var gpuAndCPU = inPaperUnits(logRate, &barFigure{
	id:     "gpu-vs-cpu",
	series: append(each(onProcessor, nil), series{id: fastestSimple, of: analysis.OfKernels(simpleOnGPU...), look: canvas.Look{Color: canvas.Hues[5]}}),
	least:  2,
	scenes: pairs,
})

// fastestSimple is the series of the kernels on the GPU.
const fastestSimple = "fastest simple kernel"

// pairs makes a scene of each processor with each GPU. What both measured of a matrix in the
// same precision and cache state is one panel. Processors without COO or CSR and GPUs without
// simple kernels are left out.
func pairs(d *analysis.Data) []scene {
	has := func(at analysis.Condition, names []string) bool {
		named := analysis.OfKernels(names...)
		return slices.ContainsFunc(d.Under(at), func(p analysis.Panel) bool { return p.FastestOf(named) != nil })
	}

	var list []scene
	for _, cpu := range d.Conditions() {
		for _, gpu := range d.Conditions() {
			if cpu.Device == gpu.Device || cpu.Cache != gpu.Cache || !has(cpu, onProcessor) || !has(gpu, simpleOnGPU) {
				continue
			}
			list = append(list, scene{
				words:  d.ConditionWords(cpu) + " and " + d.DeviceWords(gpu.Device),
				about:  analysis.Setup{Condition: analysis.Condition{Device: cpu.Device + " " + gpu.Device, Cache: cpu.Cache}},
				panels: joined(d.Under(cpu), d.Under(gpu)),
			})
		}
	}

	return list
}

// joined merges the panels of two conditions that agree in matrix and precision, and drops the
// others.
func joined(a, b []analysis.Panel) []analysis.Panel {
	var list []analysis.Panel
	for _, p := range a {
		for _, q := range b {
			if q.Matrix == p.Matrix && q.Precision == p.Precision {
				p.Rows = slices.Concat(p.Rows, q.Rows)
				list = append(list, p)
			}
		}
	}

	return list
}

var launchBounds = &barFigure{
	id:       "launch-bounds",
	quantity: rate(analysis.GBPS),
	series:   byParam("csr_thread_row", "min_blocks", nil),
	least:    2,
}

// firstScan is the baseline of prefix sums in coo-spmv-final: "ps 32".
const firstScan = "coo_scan_shared at block 32"

var ofFirstScan = analysis.OfKernels("coo_scan_shared").And(analysis.WithBlock(32))

// overFirstScan makes a figure of speed-ups over firstScan.
func overFirstScan(id string, least int, list []series) *barFigure {
	for i := range list {
		list[i].over = ofFirstScan
	}
	return &barFigure{
		id:       id,
		quantity: timesAsFast(firstScan),
		series:   list,
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

// speedups compares every kernel with the baseline of its device.
var speedups = &barFigure{
	id: "speedup-over-baseline",
	fit: func(f *barFigure, s *scene) {
		base := s.data.BaselineOf(s.about.Device)
		if base == "" {
			return
		}
		f.title = "Speed-up over " + base
		others := slices.DeleteFunc(analysis.KernelsOf(s.panels), func(name string) bool { return name == base })
		f.quantity, f.series = timesAsFast(base), each(others, analysis.OfKernels(base))
	},
	warnings: (*analysis.Data).WithoutBaseline,
}

// newVersions compares the second forms of the kernels of csr-bins-and-hybrid with the first.
var newVersions = &barFigure{
	id:       "version-improvement",
	quantity: timesAsFast("the first form"),
	series: slices.Concat(overFirstForm("csr_thread_row"), overFirstForm("csr_warp_row"), overFirstForm("csr_bins"),
		overFirstForm("csr_hybrid")),
}

func overFirstForm(kernel string) []series {
	return each([]string{kernel}, analysis.OfKernels(kernel+"_v1"))
}

// drawCompression draws the share of the row indices that CSR saves: COO stores one for every nonzero, CSR one
// for every row.
func drawCompression(d *analysis.Data) ([]*canvas.Picture, []error) {
	known := slices.DeleteFunc(slices.Clone(d.Matrices), func(m trial.Matrix) bool { return m.Nonzeros == 0 })
	if len(known) == 0 {
		return nil, nil
	}
	b := &canvas.Bars{Slots: 1, Columns: []string{""}, Axis: canvas.Shares(5), Number: term.Percent3,
		Label: "entries that CSR saves in the array of rows"}
	for _, m := range among(known, mostMatrices.here()) {
		saved := 1 - float64(m.Rows)/float64(m.Nonzeros)
		b.Rows = append(b.Rows, canvas.BarRow{Name: m.Name, Note: term.Significant(m.RowMean, 3) + " per row",
			Cells: [][]canvas.Mark{{{Look: canvas.Look{Color: canvas.SoftColor}, V: saved, Low: saved, High: saved,
				Hollow: math.NaN(), Name: m.Name}}}})
	}
	p := pictureOf(d, "csr-compression", analysis.Setup{}, b.Label, b)
	p.Subtitle += someOf(len(b.Rows), len(known), "matrices")
	return []*canvas.Picture{p}, nil
}
