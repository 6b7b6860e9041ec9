package data

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Leaders returns n kernels, in the catalogue's order: those that are fastest
// most often, and of those equally often, nearest to the fastest in the geometric
// mean. A case holds the speed of each kernel, in any unit.
func Leaders(cases []map[string]float64, n int) []string {
	wins, logs, count := map[string]int{}, map[string]float64{}, map[string]int{}
	for _, speeds := range cases {
		names := slices.Collect(maps.Keys(speeds))
		SortKernels(names) // sums are the same in each run
		var best string
		for _, name := range names {
			if best == "" || speeds[name] > speeds[best] {
				best = name
			}
		}
		for _, name := range names {
			logs[name] += math.Log(speeds[name] / speeds[best])
			count[name]++
		}
		if best != "" {
			wins[best]++
		}
	}
	names := slices.Collect(maps.Keys(count))
	SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(-cmp.Compare(wins[a], wins[b]), -cmp.Compare(logs[a]/float64(count[a]), logs[b]/float64(count[b])))
	})
	names = names[:min(n, len(names))]
	SortKernels(names)
	return names
}

// speeds gives the speed of each kernel of a panel at its fastest, in products
// per millisecond.
func (p *Panel) speeds() map[string]float64 {
	speeds := map[string]float64{}
	for i := range p.Rows {
		r := &p.Rows[i]
		speeds[r.Kernel] = max(speeds[r.Kernel], 1/r.Median)
	}
	return speeds
}

// LeadersOf are the n leaders of some panels.
func LeadersOf(panels []Panel, n int) []string {
	cases := make([]map[string]float64, len(panels))
	for i := range panels {
		cases[i] = panels[i].speeds()
	}
	return Leaders(cases, n)
}
