package plots

import (
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
)

// onProcessor are the two kernels of coo-spmv-final, Table III.
var onProcessor = []string{"cpu_coo", "cpu_csr"}

var cpuBandwidth = &barFigure{
	id:       "cpu-bandwidth",
	title:    func(*scene) string { return "COO and CSR on the processor, one thread" },
	says:     func(*scene) string { return "what the paper calls its bandwidth." },
	quantity: func(*scene) quantity { return rate(gbpsPaper) },
	series:   func(*scene) []series { return each(onProcessor, nil) },
	least:    2,
}

// csrBandwidth shows how near the kernels for CSR come to the memory's bandwidth.
var csrBandwidth = &barFigure{
	id:       "bandwidth-by-kernel",
	title:    func(*scene) string { return "Bandwidth of the kernels for CSR" },
	says:     func(*scene) string { return "compulsory traffic divided by its time." },
	quantity: func(*scene) quantity { return rate(gbps) },
	series: func(s *scene) []series {
		list := each(kernelsOf(s.panels), nil)
		for i := range list {
			list[i].of = list[i].of.and(func(r *store.Row) bool { return r.Format == kernels.CSR })
			list[i].always = strings.HasPrefix(list[i].id, "cusparse_")
		}
		return list
	},
	least: 2,
}

var launchBounds = &barFigure{
	id:       "launch-bounds",
	title:    func(*scene) string { return "Bandwidth of csr_thread_row by launch bound" },
	says:     func(*scene) string { return "compulsory traffic divided by its time." },
	each:     "bound",
	quantity: func(*scene) quantity { return rate(gbps) },
	series:   func(*scene) []series { return byParam("csr_thread_row", "min_blocks", nil) },
	least:    2,
}

// simpleOnGPU are the kernels of coo-spmv-final, Table V.
var simpleOnGPU = []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk"}

var gpuAndCPU = &barFigure{
	id:    "gpu-vs-cpu",
	title: func(*scene) string { return "Processor and GPU" },
	says: func(*scene) string {
		return "COO and CSR on one thread of the processor, and of the four simple kernels of the GPU the fastest; log axis."
	},
	quantity: func(*scene) quantity { return logRate(gbpsPaper) },
	series: func(*scene) []series {
		return append(each(onProcessor, nil), series{id: "fastest simple kernel", of: ofKernels(simpleOnGPU...)})
	},
	least:  2,
	scenes: pairs,
}

// pairs makes a scene of each processor with each GPU: what both measured of a
// matrix in the same precision and cache state is one panel. Processors without COO
// or CSR, and GPUs without simple kernels, have nothing to compare.
func pairs(d *data) []scene {
	has := func(place [2]string, names []string) bool {
		return slices.ContainsFunc(d.panels, func(p panel) bool {
			return p.Device == place[0] && p.Cache == place[1] && p.fastestOf(ofKernels(names...)) != nil
		})
	}
	var list []scene
	for _, cpu := range d.places() {
		for _, gpu := range d.places() {
			if cpu[0] == gpu[0] || cpu[1] != gpu[1] || !has(cpu, onProcessor) || !has(gpu, simpleOnGPU) {
				continue
			}
			list = append(list, scene{
				words:  cpu[1] + " cache, " + d.deviceWords(cpu[0]) + " and " + d.deviceWords(gpu[0]),
				file:   []string{shortDevice(cpu[0]), shortDevice(gpu[0]), cpu[1]},
				panels: joined(d.panels, cpu[0], gpu[0], cpu[1]),
			})
		}
	}
	return list
}

// joined merges the panels of two devices that agree in matrix and precision, and
// leaves out the others.
func joined(panels []panel, a, b, cache string) []panel {
	var list []panel
	for _, p := range panels {
		if p.Device != a || p.Cache != cache {
			continue
		}
		for _, q := range panels {
			if q.Device == b && q.Cache == cache && q.Matrix == p.Matrix && q.Precision == p.Precision {
				p.rows = slices.Concat(p.rows, q.rows)
				list = append(list, p)
			}
		}
	}
	return list
}
