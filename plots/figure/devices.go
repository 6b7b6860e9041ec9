package figure

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// bestByDevice shows what each device gives at its best.
var bestByDevice = &barFigure{
	id:    "best-by-device",
	title: func(*scene) string { return "Devices at their best" },
	says: func(s *scene) string {
		if s.spread() > widelySpread {
			return "its throughput, whatever the kernel; log axis."
		}
		return "its throughput, whatever the kernel."
	},
	each: "device",
	quantity: func(s *scene) quantity {
		if s.spread() > widelySpread {
			return logRate(data.GFLOPS)
		}
		return rate(data.GFLOPS)
	},
	series: func(s *scene) []series {
		var list []series
		for i, name := range s.devices() {
			list = append(list, series{id: data.ShortDevice(name), always: true,
				variant: &canvas.Look{Color: canvas.Hues[i%len(canvas.Hues)],
					Marker: canvas.Markers[i%len(canvas.Markers)]},
				of: func(r *store.Row) bool { return r.Device == name }})
		}
		return list
	},
	least:  2,
	scenes: besideEachOther,
}

// widelySpread is the ratio of the highest to the lowest throughput above which bars from zero
// would hide the lowest, as with a processor beside a GPU.
const widelySpread = 20

// besideEachOther makes a scene of each cache state. Each matrix and precision that several
// devices measured is one panel with the fastest trial of each device.
func besideEachOther(d *data.Report) []scene {
	var list []scene
	for i := range d.Panels {
		p := &d.Panels[i]
		at := slices.IndexFunc(list, func(s scene) bool { return s.words == string(p.Cache)+" cache" })
		if at < 0 {
			at = len(list)
			list = append(list, scene{words: string(p.Cache) + " cache", file: []string{string(p.Cache)}})
		}
		s := &list[at]
		joint := slices.IndexFunc(s.panels, func(q data.Panel) bool {
			return q.Matrix == p.Matrix && q.Precision == p.Precision
		})
		if joint < 0 {
			joint = len(s.panels)
			s.panels = append(s.panels, data.Panel{Case: trial.Case{Matrix: p.Matrix, Precision: p.Precision,
				Cache: p.Cache}})
		}
		s.panels[joint].Rows = append(s.panels[joint].Rows, *data.Fastest(p.Rows))
	}

	for i := range list {
		list[i].panels = slices.DeleteFunc(list[i].panels, func(p data.Panel) bool { return len(p.Rows) < 2 })
		slices.SortStableFunc(list[i].panels,
			func(a, b data.Panel) int { return cmp.Compare(a.Precision, b.Precision) })
	}

	return list
}

// devices lists the devices of a scene's trials, by name.
func (s *scene) devices() []string {
	var names []string
	for i := range s.panels {
		for j := range s.panels[i].Rows {
			names = append(names, s.panels[i].Rows[j].Device)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// spread returns the ratio of the highest to the lowest throughput of a scene.
func (s *scene) spread() float64 {
	low, high := math.Inf(1), 0.0
	for i := range s.panels {
		for j := range s.panels[i].Rows {
			v := s.panels[i].Rows[j].GFLOPS
			low, high = min(low, v), max(high, v)
		}
	}
	return high / low
}
