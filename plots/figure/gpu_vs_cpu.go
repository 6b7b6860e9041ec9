package figure

import (
	"fmt"
	"slices"

	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// simpleOnGPU are the kernels of coo-spmv-final, Table V.
var simpleOnGPU = []string{"coo_thread_chunk", "coo_grid_stride", "coo_warp_chunk", "coo_block_chunk"}

var gpuAndCPU = &barFigure{
	id:    "gpu-vs-cpu",
	title: func(*scene) string { return "Processor and GPU" },
	says: func(*scene) string {
		return "COO and CSR on one thread of the processor, and the fastest of the four simple kernels on the GPU; " +
			"log axis."
	},
	quantity: func(*scene) quantity { return logRate(data.PaperGBPS) },
	series: func(*scene) []series {
		return append(each(onProcessor, nil), series{id: fastestSimple, of: data.OfKernels(simpleOnGPU...)})
	},
	least:  2,
	scenes: pairs,
	states: func(t *tally) string {
		var gains stat.GeometricMean
		for _, entries := range t.cells {
			gpu, cpu := t.rowOf(entries, fastestSimple), t.rowOf(entries, onProcessor[0])
			if csr := t.rowOf(entries, onProcessor[1]); cpu == nil || csr != nil && csr.Time < cpu.Time {
				cpu = csr
			}
			if gpu != nil && cpu != nil {
				gains.Add(cpu.Time / gpu.Time)
			}
		}
		if gains.Count() < 2 {
			return ""
		}
		return fmt.Sprintf("The GPU is %s times as fast as a thread of the processor (geometric mean of %d)",
			number.Significant(gains.Value(), 2), gains.Count())
	},
}

// fastestSimple is the series of the kernels on the GPU.
const fastestSimple = "fastest simple kernel"

// pairs makes a scene of each processor with each GPU. What both measured of a matrix in the
// same precision and cache state is one panel. Processors without COO or CSR and GPUs without
// simple kernels are left out.
func pairs(d *data.Report) []scene {
	has := func(at data.Condition, names []string) bool {
		named := data.OfKernels(names...)
		return slices.ContainsFunc(d.Under(at), func(p data.Panel) bool { return p.FastestOf(named) != nil })
	}

	var list []scene
	for _, cpu := range d.Conditions() {
		for _, gpu := range d.Conditions() {
			if cpu.Device == gpu.Device || cpu.Cache != gpu.Cache || !has(cpu, onProcessor) || !has(gpu, simpleOnGPU) {
				continue
			}
			list = append(list, scene{
				words:  d.ConditionWords(cpu) + " and " + d.DeviceWords(gpu.Device),
				file:   []string{data.ShortDevice(cpu.Device), data.ShortDevice(gpu.Device), string(cpu.Cache)},
				panels: joined(d.Under(cpu), d.Under(gpu)),
			})
		}
	}

	return list
}

// joined merges the panels of two conditions that agree in matrix and precision, and drops the
// others.
func joined(a, b []data.Panel) []data.Panel {
	var list []data.Panel
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
