package plots

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A synthetic database follows formulas that give lines their typical shapes:
// rising, peaking, flat, and crossing from matrix to matrix. It has no noise
// source, so pictures of it can be compared.
type synthetic struct {
	device     string
	matrices   []string
	kernels    []string
	precisions []kernels.Precision
	blocks     []int
	grids      []int
	params     map[string][]string // further parameters of a kernel; none: its defaults
}

func processor() synthetic {
	return synthetic{
		device: "Intel(R) Xeon(R) Processor @ 2.10GHz",
		matrices: []string{"ecology1", "mycielskian13", "power-law", "road-chains", "fem-blocks", "uniform",
			"giant-row", "rectangular"},
		kernels:    []string{"cpu_coo", "cpu_csr", "cpu_coo_chunks", "cpu_csr_rows", "cpu_csr_merge", "cpu_sell"},
		precisions: []kernels.Precision{kernels.Float32, kernels.Float64},
		blocks:     []int{16, 64, 256, 1024, 4096, 16384},
		grids:      []int{1, 2},
	}
}

// crowd is a GPU with so many of its kernels.
func crowd(matrices, blocks, n int) synthetic {
	s := gpu(matrices, blocks)
	s.kernels = nil
	for _, k := range kernels.Catalogue {
		if k.Backend == "cuda" && len(s.kernels) < n {
			s.kernels = append(s.kernels, k.Name)
		}
	}
	return s
}

func gpu(matrices, blocks int) synthetic {
	s := synthetic{
		device:     "NVIDIA H100 80GB HBM3",
		precisions: []kernels.Precision{kernels.Float32},
		grids:      []int{1, 2, 4, 8, 16, 32, 64, 128, 256},
		kernels: []string{"coo_atomic", "coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk",
			"coo_segscan_warp", "coo_segscan_block", "csr_scalar", "csr_vector", "csr_hybrid", "csr_merge"},
	}
	for i := range matrices {
		s.matrices = append(s.matrices, fmt.Sprintf("matrix-%02d", i))
	}
	for b := 32; b <= blocks; b += 32 {
		s.blocks = append(s.blocks, b)
	}
	return s
}

// someday is when the trials of tests were measured.
var someday = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)

// data makes the database.
func (s synthetic) data() *data {
	var rows []store.Row
	var matrices []store.Matrix
	backend := "cpu"
	if s.device[0] == 'N' {
		backend = "cuda"
	}
	const roof = 40.0
	for mi, m := range s.matrices {
		mean := math.Round(3*math.Pow(1.35, float64((mi*5)%len(s.matrices)))*10) / 10
		n := 1_000_000
		f := sparse.Features{Rows: n, Cols: n, Nonzeros: int(mean * float64(n)), RowMean: mean, RowMax: int(4 * mean)}
		matrices = append(matrices, store.Matrix{Name: m, Class: m, Hash: m, Source: "generated", Features: f})
		for ki, k := range s.kernels {
			kernel, _ := kernels.Lookup(k)
			for pi, p := range s.precisions {
				for _, block := range sizesOr0(s.blocks, kernel.Block != "") {
					for _, grid := range sizesOr0(s.grids, kernel.Grid != "") {
						for vi, params := range variants(s.params[k]) {
							rate := roof * (0.25 + 0.6*wave(ki*3+mi+7*vi)) * shape(block, ki, mi) * scaling(grid, s.grids)
							bytes := float64(f.Nonzeros*(4+p.Bytes()) + n*(4+2*p.Bytes()))
							if kernel.Format == kernels.COO {
								bytes = float64(f.Nonzeros*(8+p.Bytes()) + 2*n*p.Bytes())
							}
							ms := bytes / rate / 1e6
							wide := 0.004 + 0.03*wave(block+grid+ki+mi+pi)
							c := kernels.Config{Kernel: k, Precision: p, Block: block, Grid: grid, Params: kernels.Params(params)}
							r := store.Row{
								Sweep: "synthetic", Device: s.device, Matrix: m, Rows: n, Cols: n, NNZ: f.Nonzeros, Format: kernel.Format,
								Result: timedResult(c, ms, 1-wide, 1+1.2*wide), Taken: 21,
								GFLOPS: 2 * float64(f.Nonzeros) / ms / 1e6, GBPS: rate, RoofFraction: rate / roof,
							}
							r.Prepare, r.MaxError, r.At = ms/3e3, 0.01, someday
							rows = append(rows, r)
						}
					}
				}
			}
		}
	}
	d := newData(rows, nil, matrices, []store.Device{{
		Label: s.device, Device: kernels.Device{Backend: backend, Name: s.device, Units: 2}, Roof: kernels.Roof{Read: roof},
	}})
	d.patterns = map[string]*sparse.Density{}
	for i := range matrices {
		if m := &matrices[i]; m.Name == "rectangular" {
			m.Rows = m.Cols / 20
		}
		d.patterns[matrices[i].Hash] = pattern(i)
	}
	d.rule = validated(d)
	d.launches = launchesOf(d)
	for i := range d.panels {
		d.best = append(d.best, store.Best{Row: *fastest(d.panels[i].rows), Margin: 0.05, TieSize: 1 + i%3})
	}
	d.searched = searchedOn(s.device)
	for i, m := range s.matrices {
		d.drifts = append(d.drifts, drift(s.device, m, i))
	}
	return d
}

// validated is a rule that was validated on every matrix.
func validated(d *data) *rule.Rule {
	r := &rule.Rule{Version: rule.Version, Sweep: "synthetic"}
	for _, place := range d.setups() {
		leaf := &rule.Node{Choice: &kernels.Config{Kernel: "cpu_coo"}, Fraction: 0.9}
		sel := rule.Selector{Device: place.Device, Precision: place.Precision, Cache: trial.Cache(place.Cache), Root: leaf}
		for i, m := range d.matrices {
			leaf.Matrices = append(leaf.Matrices, m.Name)
			sel.Validation.Cases = append(sel.Validation.Cases, rule.Case{Matrix: m.Name, Choice: *leaf.Choice, Evidence: rule.Measured,
				Fraction: 0.7 + 0.3*wave(i), SingleConfig: 0.3 + 0.4*wave(i+1), SingleKernel: 0.5 + 0.5*wave(i+2),
				CuSPARSE: 0.4 + 0.5*wave(i+3), COOFinal: 0.3 + 0.5*wave(i+4), CSRFive: 0.4 + 0.4*wave(i+5)})
		}
		sel.Validation.Matrices = len(d.matrices)
		r.Selectors = append(r.Selectors, sel)
	}
	return r
}

// pattern is a band, with a block of a density that grows, a giant row, and scattered
// entries.
func pattern(n int) *sparse.Density {
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
			case wave(i*131+j*7+n) > 0.995:
				count = 1
			}
			d.Count[i*side+j] = uint32(count)
			d.Most = max(d.Most, uint32(count))
		}
	}
	return d
}

// wave maps an integer to [0, 1], irregularly.
func wave(n int) float64 { return 0.5 + 0.5*math.Sin(float64(n)*1.7) }

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
	off := math.Log2(float64(block)) - 6 - 4*wave(kernel+matrix)
	return 0.35 + 0.65*math.Exp(-off*off/12)
}

func scaling(grid int, grids []int) float64 {
	if grid == 0 {
		return 0.7
	}
	full := float64(grids[len(grids)-1])
	return math.Sqrt(float64(grid)/full)*0.6 + 0.4*float64(grid)/full
}

// bins are the kernels of csr-bins-and-hybrid in both forms.
func bins() synthetic {
	s := gpu(4, 64)
	s.precisions = append(s.precisions, kernels.Float64)
	s.kernels = []string{"csr_thread_row_v1", "csr_thread_row", "csr_warp_row_v1", "csr_warp_row", "csr_bins_v1", "csr_bins",
		"csr_hybrid_v1", "csr_hybrid", "cusparse_csr_alg1"}
	s.params = map[string][]string{"csr_thread_row": {"min_blocks=none", "min_blocks=1", "min_blocks=2", "min_blocks=3"}}
	return s
}

// scans are the prefix sums of COO.
func scans() synthetic {
	s := gpu(4, 64)
	s.precisions = append(s.precisions, kernels.Float64)
	s.kernels = []string{"coo_atomic", "coo_block_chunk", "coo_scan_shared", "coo_segscan_shared", "coo_blelloch", "coo_blelloch_padded",
		"coo_scan_warp", "coo_segscan_warp", "coo_scan_block", "coo_segscan_block", "coo_scan_warp_chunk", "coo_segscan_warp_chunk",
		"coo_segscan_warp_chunk_unroll"}
	s.params = map[string][]string{"coo_segscan_warp_chunk_unroll": {"unroll=2", "unroll=4", "unroll=8"}}
	return s
}

// drift is that of a device that slows down by steps, more on later matrices, measured
// every three minutes.
func drift(device, matrix string, n int) store.Drift {
	s := store.Drift{Device: device, Matrix: matrix, Cache: []trial.Cache{"warm", "cold"}[n%2], Significant: n > 2}
	trial := row("cpu_csr_rows", 64, 2, 1.5)
	trial.Device, trial.Matrix, trial.Cache = device, matrix, s.Cache
	var points []stat.Point
	for i := range 12 {
		q := stat.Point{At: 1_800_000_000_000 + int64(180_000*i), Ratio: stat.Ratio{Value: 1, Low: 1, High: 1}, P: 1}
		if i > 0 {
			v := 1 + 0.01*float64(n)*float64(i/4) + 0.004*wave(17*i+n)
			q.Ratio, q.P = stat.Ratio{Value: v, Low: v - 0.006, High: v + 0.008}, 0.001
		}
		points, s.Points = append(points, q), append(s.Points, store.Sentinel{Point: q, Trial: &trial})
	}
	s.Drift = stat.NewDrift(points)
	return s
}

// both are a processor and a GPU, some of whose matrices are the same.
func both() *data {
	a, b := processor(), gpu(3, 64)
	b.matrices = append(a.matrices[:4:4], b.matrices...)
	x, y := a.data(), b.data()
	d := newData(slices.Concat(x.rows, y.rows), slices.Concat(x.best, y.best), slices.Concat(x.matrices, y.matrices[4:]), slices.Concat(x.devices, y.devices))
	d.patterns, d.drifts = x.patterns, slices.Concat(x.drifts, y.drifts)
	d.searched.outcomes = slices.Concat(x.searched.outcomes, y.searched.outcomes)
	return d
}

// launchesOf is what a GPU would tell of the kernels at their fastest.
func launchesOf(d *data) []store.Launch {
	var list []store.Launch
	for i := range d.panels {
		p := &d.panels[i]
		for j, name := range kernelsOf(d.panels[i : i+1]) {
			r := fastest(p.byKernel(name))
			if k, _ := kernels.Lookup(name); k.Backend != "cuda" || strings.HasPrefix(name, "cusparse") {
				continue
			}
			registers := float64(24 + 8*(j%6))
			list = append(list, store.Launch{Device: p.Device, Matrix: p.Matrix, Kernel: name, Precision: p.Precision, Cache: trial.Cache(p.Cache),
				Block: r.Block, Grid: r.Grid, Median: r.Median, Facts: map[string]float64{"registers": registers, "occupancy": min(1, 32/registers)}})
		}
	}
	return list
}

// profiled adds what a profiler would count in the launches.
func profiled(d *data) *data {
	for i, l := range d.launches {
		facts := maps.Clone(l.Facts)
		facts["achieved_occupancy"] = facts["occupancy"] * (0.6 + 0.35*wave(i))
		facts["warp_efficiency"], facts["load_efficiency"] = 0.1+0.9*wave(3*i), 0.2+0.8*wave(5*i)
		d.launches[i].Facts = facts
	}
	return d
}
