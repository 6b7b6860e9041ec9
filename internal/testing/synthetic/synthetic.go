// SPDX-License-Identifier: Apache-2.0

// Package synthetic makes reports for the tests of plots, without a database.
package synthetic

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// A Database follows formulas that give lines their typical shapes: rising, peaking, flat, and
// crossing from matrix to matrix. It has no noise, so pictures of it can be compared.
type Database struct {
	Device     string
	Matrices   []string
	Kernels    []string
	Precisions []kernels.Precision
	Blocks     []int
	Grids      []int
	params     map[string][]string // Further parameters of a kernel; its defaults if there are none.
}

func Processor() Database {
	return Database{
		Device: "Intel(R) Xeon(R) Processor @ 2.10GHz",
		Matrices: []string{"ecology1", "mycielskian13", "power-law", "road-chains", "fem-blocks", "uniform",
			"giant-row", "rectangular"},
		Kernels:    []string{"cpu_coo", "cpu_csr", "cpu_coo_chunks", "cpu_csr_rows", "cpu_csr_merge", "cpu_sell"},
		Precisions: []kernels.Precision{kernels.Float32, kernels.Float64},
		Blocks:     []int{16, 64, 256, 1024, 4096, 16384},
		Grids:      []int{1, 2},
	}
}

// Crowd is a GPU with the first n of some kernels: one that the catalogue gains changes none.
func Crowd(matrices, blocks, n int) Database {
	s := Gpu(matrices, blocks)
	s.Kernels = crowd[:n]
	return s
}

// crowd are kernels for GPUs, by the time when the catalogue gained them.
var crowd = []string{
	"coo_atomic", "coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk",
	"coo_scan_shared", "coo_segscan_shared", "coo_blelloch", "coo_blelloch_padded", "coo_scan_warp",
	"coo_segscan_warp", "coo_scan_block", "coo_segscan_block", "coo_scan_warp_chunk",
	"coo_segscan_warp_chunk", "coo_segscan_warp_chunk_unroll", "csr_scalar", "csr_vector",
	"csr_adaptive", "csr_pcsr", "csr_light", "csr_light_warp", "csr_warp_row_global",
	"csr_warp_row_shuffle", "csr_warp_row_tile", "csr_block_tile", "csr_thread_row_v1",
	"csr_thread_row", "csr_warp_row_v1", "csr_warp_row", "csr_bins_v1", "csr_bins", "csr_hybrid_v1",
	"csr_hybrid", "csr_merge", "sell_c_sigma", "cusparse_csr_alg1", "cusparse_csr_alg2",
	"cusparse_coo_alg1", "cusparse_coo_alg2",
}

func Gpu(matrices, blocks int) Database {
	s := Database{
		Device:     "NVIDIA H100 80GB HBM3",
		Precisions: []kernels.Precision{kernels.Float32},
		Grids:      []int{1, 2, 4, 8, 16, 32, 64, 128, 256},
		Kernels: []string{"coo_atomic", "coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk",
			"coo_segscan_warp", "coo_segscan_block", "csr_scalar", "csr_vector", "csr_hybrid", "csr_merge"},
	}

	for i := range matrices {
		s.Matrices = append(s.Matrices, fmt.Sprintf("matrix-%02d", i))
	}
	for b := 32; b <= blocks; b += 32 {
		s.Blocks = append(s.Blocks, b)
	}
	return s
}

// roof is the bandwidth of the device in GB/s.
const roof = 40.0

// Report makes the report of the database.
func (s Database) Report() *analysis.Data {
	var rows []store.Row
	var matrices []trial.Matrix
	for mi, m := range s.Matrices {
		of := len(s.Matrices)
		mean := math.Round(3*math.Pow(1.35, float64((mi*5)%of)*min(1, 24/float64(of)))*10) / 10
		n := 1_000_000
		f := sparse.Features{Rows: n, Cols: n, Nonzeros: int(mean * float64(n)), RowMean: mean, RowMax: int(4 * mean)}
		matrices = append(matrices, trial.Matrix{Name: m, Class: m, Hash: m, Source: "generated", Features: f})
		rows = append(rows, s.rowsOf(mi, &matrices[mi])...)
	}

	backend := "cpu"
	if s.Device[0] == 'N' {
		backend = "cuda"
	}
	d := analysis.New(rows, nil, matrices, []store.Device{{
		Label: s.Device, Device: kernels.Device{Backend: backend, Name: s.Device, Units: 2},
		Roof: kernels.Roof{Read: roof},
	}})

	d.Patterns = map[string]*sparse.Density{}
	for i := range matrices {
		if m := &matrices[i]; m.Name == "rectangular" {
			m.Rows = m.Cols / 20
		}
		d.Patterns[matrices[i].Hash] = Pattern(i)
	}

	d.Rule = Validated(d)
	d.Launches = LaunchesOf(d)
	for i := range d.Panels {
		d.Best = append(d.Best, store.Best{Row: *analysis.Fastest(d.Panels[i].Rows), Margin: 0.05, TieSize: 1 + i%3})
	}

	for i, m := range s.Matrices {
		d.Drifts = append(d.Drifts, Drift(s.Device, m, i))
	}
	return d
}

// rowsOf makes the trials of a matrix.
func (s Database) rowsOf(mi int, m *trial.Matrix) (rows []store.Row) {
	for ki, k := range s.Kernels {
		kernel, _ := kernels.Lookup(k)
		for pi, p := range s.Precisions {
			for _, block := range sizesOr0(s.Blocks, kernel.Block != "") {
				for _, grid := range sizesOr0(s.Grids, kernel.Grid != "") {
					for vi, params := range variants(s.params[k]) {
						c := kernels.Config{Kernel: k, Precision: p, Block: block, Grid: grid}
						c.Params = kernels.Params(params)
						rate := roof * (0.25 + 0.6*Wave(ki*3+mi+7*vi)) * shape(block, ki, mi) * scaling(grid, s.Grids)
						rows = append(rows, s.row(m, c, kernel.Format, rate, 0.004+0.03*Wave(block+grid+ki+mi+pi)))
					}
				}
			}
		}
	}

	return rows
}

// row makes a trial with a bandwidth in GB/s. wide is the lower arm of its interval, as a fraction.
func (s Database) row(m *trial.Matrix, c kernels.Config, format kernels.Format, rate, wide float64) store.Row {
	n, nnz, p := m.Rows, m.Nonzeros, c.Precision
	bytes := float64(nnz*(4+p.Bytes()) + n*(4+2*p.Bytes()))
	if format == kernels.COO {
		bytes = float64(nnz*(8+p.Bytes()) + 2*n*p.Bytes())
	}
	ms := bytes / rate / 1e6

	r := store.Row{
		Sweep: "synthetic", Device: s.Device, Matrix: m.Name, Rows: n, Cols: n, NNZ: nnz, Format: format,
		Result: Result(c, ms, 1-wide, 1+1.2*wide), Taken: 21,
		GFLOPS: 2 * float64(nnz) / ms / 1e6, GBPS: rate, RoofFraction: rate / roof,
	}

	r.Prepare, r.MaxError, r.At = ms/3e3, 0.01, Someday
	if format == kernels.SELL {
		r.Prepare = ms // a thousand products
	}
	return Estimated(r)
}

// Validated is a rule that was validated on every matrix.
func Validated(d *analysis.Data) *rule.Rule {
	r := &rule.Rule{Version: rule.Version, Sweep: "synthetic"}
	for _, s := range d.Setups() {
		leaf := &rule.Node{Choice: &kernels.Config{Kernel: "cpu_coo"}, Fraction: 0.9}
		sel := rule.Model{Key: rule.Key{Device: s.Device, Precision: s.Precision, Cache: s.Cache}, Root: leaf}
		for i, m := range d.Matrices {
			leaf.Matrices = append(leaf.Matrices, m.Name)
			sel.Validation.Cases = append(sel.Validation.Cases,
				rule.Case{Matrix: m.Name, Choice: *leaf.Choice, Evidence: rule.Measured,
					Fraction: 0.7 + 0.3*Wave(i), SingleConfig: 0.3 + 0.4*Wave(i+1), SingleKernel: 0.5 + 0.5*Wave(i+2),
					CuSPARSE: 0.4 + 0.5*Wave(i+3), COOFinal: 0.3 + 0.5*Wave(i+4), CSRFive: 0.4 + 0.4*Wave(i+5)})
		}
		sel.Validation.Matrices = len(d.Matrices)
		r.Models = append(r.Models, sel)
	}

	return r
}

// Pattern is a band with a block of growing density, a giant row and scattered entries.
func Pattern(n int) *sparse.Density {
	const side = sparse.ThumbnailSide
	d := &sparse.Density{Height: side, Width: side, Count: make([]uint32, side*side)}
	for i := range side {
		for j := range side {
			var count float64
			switch {
			case i == 100 && n%2 == 0:
				count = 5000
			case i-j <= n && j-i <= n:
				count = 1000 / float64(1+(i-j)*(i-j))
			case i < 40 && j > 80:
				count = float64((i+1)*(n+1)) / 8
			case Wave(i*131+j*7+n) > 0.995:
				count = 1
			}
			d.Count[i*side+j] = uint32(count)
			d.Most = max(d.Most, uint32(count))
		}
	}

	return d
}

// Wave maps an integer to [0, 1], irregularly.
func Wave(n int) float64 { return 0.5 + 0.5*math.Sin(float64(n)*1.7) }

func sizesOr0(sizes []int, choice bool) []int {
	if choice {
		return sizes
	}
	return []int{0}
}

func variants(params []string) []string {
	if len(params) == 0 {
		return []string{""}
	}
	return params
}

// shape peaks at a block size that depends on the kernel and the matrix.
func shape(block, kernel, matrix int) float64 {
	if block == 0 {
		return 0.5
	}
	off := math.Log2(float64(block)) - 6 - 4*Wave(kernel+matrix)
	return 0.35 + 0.65*math.Exp(-off*off/12)
}

func scaling(grid int, grids []int) float64 {
	if grid == 0 {
		return 0.7
	}
	full := float64(grids[len(grids)-1])
	return math.Sqrt(float64(grid)/full)*0.6 + 0.4*float64(grid)/full
}

// Bins are the kernels of csr-bins-and-hybrid in both forms.
func Bins() Database {
	s := Gpu(4, 64)
	s.Precisions = append(s.Precisions, kernels.Float64)
	s.Kernels = []string{"csr_thread_row_v1", "csr_thread_row", "csr_warp_row_v1", "csr_warp_row", "csr_bins_v1",
		"csr_bins",
		"csr_hybrid_v1", "csr_hybrid", "cusparse_csr_alg1"}
	s.params = map[string][]string{"csr_thread_row": {"min_blocks=none", "min_blocks=1", "min_blocks=2", "min_blocks=3"}}
	return s
}

// Scans are the prefix sums of COO.
func Scans() Database {
	s := Gpu(4, 64)
	s.Precisions = append(s.Precisions, kernels.Float64)
	s.Kernels = []string{"coo_atomic", "coo_block_chunk", "coo_scan_shared", "coo_segscan_shared", "coo_blelloch",
		"coo_blelloch_padded",
		"coo_scan_warp", "coo_segscan_warp", "coo_scan_block", "coo_segscan_block", "coo_scan_warp_chunk",
		"coo_segscan_warp_chunk",
		"coo_segscan_warp_chunk_unroll"}
	s.params = map[string][]string{"coo_segscan_warp_chunk_unroll": {"unroll=2", "unroll=4", "unroll=8"}}
	return s
}

// Drift is the drift of a device that slows down in steps, more on later matrices, measured
// every three minutes.
func Drift(device, matrix string, n int) store.Drift {
	cache := []trial.Cache{trial.Warm, trial.Cold}[n%2]
	s := store.Drift{Case: trial.Case{Device: device, Matrix: matrix, Cache: cache}, Significant: n > 2}
	again := Row("cpu_csr_rows", 64, 2, 1.5)
	again.Device, again.Matrix, again.Cache = device, matrix, s.Cache

	var points []stat.Point
	for i := range 12 {
		q := stat.Point{At: 1_800_000_000_000 + int64(180_000*i), Ratio: stat.Ratio{Value: 1, Low: 1, High: 1}}
		if i > 0 {
			v := 1 + 0.01*float64(n)*float64(i/4) + 0.004*Wave(17*i+n)
			q.Ratio = stat.Ratio{Value: v, Low: v - 0.006, High: v + 0.008}
		}
		points, s.Points = append(points, q), append(s.Points, store.Sentinel{Point: q, Trial: &again})
	}

	s.Drift = stat.NewDrift(points)
	return s
}

// Both are a processor and a GPU, some of whose matrices are the same.
func Both() *analysis.Data {
	a, b := Processor(), Gpu(3, 64)
	b.Matrices = append(a.Matrices[:4:4], b.Matrices...)
	x, y := a.Report(), b.Report()
	d := analysis.New(slices.Concat(x.Rows, y.Rows), slices.Concat(x.Best, y.Best),
		slices.Concat(x.Matrices, y.Matrices[4:]), slices.Concat(x.Devices, y.Devices))
	d.Patterns, d.Drifts = x.Patterns, slices.Concat(x.Drifts, y.Drifts)
	return d
}

// LaunchesOf returns what a GPU would report of the kernels at their fastest.
func LaunchesOf(d *analysis.Data) []store.Row {
	var list []store.Row
	for i := range d.Panels {
		p := &d.Panels[i]
		for j, name := range analysis.KernelsOf(d.Panels[i : i+1]) {
			r := analysis.Fastest(p.ByKernel(name))
			if k, _ := kernels.Lookup(name); k.Backend != "cuda" || strings.HasPrefix(name, "cusparse") {
				continue
			}
			registers := float64(24 + 8*(j%6))
			l := *r
			l.Properties = map[string]float64{"registers": registers, "occupancy": min(1, 32/registers)}
			list = append(list, l)
		}
	}

	return list
}

// Profiled adds what a profiler would count in the launches.
func Profiled(d *analysis.Data) *analysis.Data {
	for i, l := range d.Launches {
		facts := maps.Clone(l.Properties)
		facts["achieved_occupancy"] = facts["occupancy"] * (0.6 + 0.35*Wave(i))
		facts["warp_efficiency"], facts["load_efficiency"] = 0.1+0.9*Wave(3*i), 0.2+0.8*Wave(5*i)
		d.Launches[i].Properties = facts
	}
	return d
}

// Row is a good trial.
func Row(kernel string, block, grid int, ms float64) store.Row {
	r := store.Row{Device: "d", Matrix: "m", Rows: 10, NNZ: 50, GBPS: 1 / ms, RoofFraction: 0.1 / ms}
	r.Result = Result(kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: block, Grid: grid}, ms, 0.9, 1.25)
	return Estimated(r)
}

// Estimated is a row that another run finds in the interval within this one.
func Estimated(r store.Row) store.Row {
	r.Time, r.Another = r.Median, trial.Interval{Low: r.WithinLow, High: r.WithinHigh}
	return r
}

// Result is a good result; its interval goes from low to high times its time.
func Result(c kernels.Config, ms, low, high float64) trial.Result {
	return trial.Result{Trial: trial.Trial{Config: c, Cache: trial.Cold}, Status: trial.OK,
		Median: ms / 1e3, WithinLow: ms * low / 1e3, WithinHigh: ms * high / 1e3}
}

// Someday is when the trials were measured.
var Someday = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)

// TileRow is a trial whose interval has no width.
func TileRow(block, grid int, gflops float64, params string) store.Row {
	r := Row("csr_vector", block, grid, 100/gflops)
	r.WithinLow, r.WithinHigh, r.GFLOPS, r.Params = r.Median, r.Median, gflops, kernels.Params(params)
	return Estimated(r)
}

// Timed is a good trial on a matrix, with an interval of ±1%.
func Timed(matrix, kernel, params string, block int, ms float64) store.Row {
	r := Row(kernel, block, 8, ms)
	r.Matrix, r.Params, r.WithinLow, r.WithinHigh, r.GFLOPS = matrix, kernels.Params(params), 0.99e-3*ms, 1.01e-3*ms, 1/ms
	r.NNZ = 1_000_000
	return Estimated(r)
}

// Coarse is a database of one sweep whose trials ended as given.
func Coarse(stops map[trial.Stop]int) *analysis.Data {
	var rows []store.Row
	for stop, n := range stops {
		half := 0.051
		if stop == trial.StopTarget {
			half = 0.01
		}
		for i := range n {
			r := Timed("uniform", "cpu_csr", "", i+1, 1)
			r.WithinLow, r.WithinHigh = r.Median*(1-half), r.Median*(1+half)
			r.Sweep, r.SweepHash, r.Stop = "quick", "h", stop
			rows = append(rows, r)
		}
	}
	d := analysis.New(rows, nil, nil, nil)
	d.Sweeps = []store.Sweep{{Name: "quick", Hash: "h", Settings: configs.Settings{Protocol: configs.Protocol{Target: 0.02}},
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	return d
}
