package plots

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/store"
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
			return logRate(gflops)
		}
		return rate(gflops)
	},
	series: func(s *scene) []series {
		var list []series
		for i, name := range s.devices() {
			list = append(list, series{id: shortDevice(name), always: true,
				variant: &look{Color: hues[i%len(hues)], Marker: markers[i%len(markers)]},
				of:      func(r *store.Row) bool { return r.Device == name }})
		}
		return list
	},
	least:  2,
	scenes: besideEachOther,
}

// widelySpread is how many times as high the highest throughput is as the lowest where
// bars from zero would hide the lowest: a processor beside a GPU.
const widelySpread = 20

// besideEachOther makes a scene of each cache state: of every matrix and precision that
// several devices measured, one panel with the fastest trial of each.
func besideEachOther(d *data) []scene {
	var list []scene
	for i := range d.panels {
		p := &d.panels[i]
		at := slices.IndexFunc(list, func(s scene) bool { return s.words == p.Cache+" cache" })
		if at < 0 {
			at = len(list)
			list = append(list, scene{words: p.Cache + " cache", file: []string{p.Cache}})
		}
		s := &list[at]
		joint := slices.IndexFunc(s.panels, func(q panel) bool { return q.Matrix == p.Matrix && q.Precision == p.Precision })
		if joint < 0 {
			joint = len(s.panels)
			s.panels = append(s.panels, panel{setup: setup{Cache: p.Cache, Precision: p.Precision}, Matrix: p.Matrix})
		}
		s.panels[joint].rows = append(s.panels[joint].rows, *fastest(p.rows))
	}
	for i := range list {
		list[i].panels = slices.DeleteFunc(list[i].panels, func(p panel) bool { return len(p.rows) < 2 })
		slices.SortStableFunc(list[i].panels, func(a, b panel) int { return cmp.Compare(a.Precision, b.Precision) })
	}
	return list
}

// devices are those of a scene's trials, by name.
func (s *scene) devices() []string {
	var names []string
	for i := range s.panels {
		for j := range s.panels[i].rows {
			names = append(names, s.panels[i].rows[j].Device)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// spread is how many times as high the highest throughput of a scene is as the lowest.
func (s *scene) spread() float64 {
	low, high := math.Inf(1), 0.0
	for i := range s.panels {
		for j := range s.panels[i].rows {
			v := s.panels[i].rows[j].GFLOPS
			low, high = min(low, v), max(high, v)
		}
	}
	return high / low
}

// deviceBests puts the best configurations of devices beside each other, on what several
// of them measured; without rows where nothing is.
func deviceBests(d *data) table {
	type place struct {
		matrix, cache string
		precision     kernels.Precision
	}
	at := map[place]map[string]*store.Best{}
	var places []place
	var devices []string
	for i := range d.best {
		b := &d.best[i]
		p := place{b.Matrix, string(b.Cache), b.Precision}
		if at[p] == nil {
			at[p] = map[string]*store.Best{}
			places = append(places, p)
		}
		at[p][b.Device] = b
		if !slices.Contains(devices, b.Device) {
			devices = append(devices, b.Device)
		}
	}
	t := table{Title: "Devices at their best", Columns: []column{{"matrix", false}, {"precision", false}, {"cache", false}}}
	for _, name := range devices {
		t.Columns = append(t.Columns, column{shortDevice(name), false}, column{"GFLOP/s", true})
	}
	for _, p := range places {
		if len(at[p]) < 2 {
			continue
		}
		row := []cell{words(p.matrix), words(string(p.precision)), words(p.cache)}
		var trials []*store.Row
		var columns []int
		for _, name := range devices {
			b := at[p][name]
			if b == nil {
				row = append(row, words(missing), cell{missing, math.NaN()})
				continue
			}
			trials, columns = append(trials, &b.Row), append(columns, len(row)+1)
			row = append(row, words(b.Kernel), rateCell(&b.Row, b.GFLOPS))
		}
		t.Rows = append(t.Rows, row)
		t.mark(trials, columns)
	}
	return t
}
