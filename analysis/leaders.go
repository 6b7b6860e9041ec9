package analysis

import (
	"cmp"
	"maps"
	"slices"

	"spmvtune/tuner/stat"
)

// Leaders returns n kernels in the catalogue's order: those that are the fastest most often
// and, among those equally often, nearest to the fastest in the geometric mean. A case holds
// the speed of each kernel, in any unit.
func Leaders(cases []map[string]float64, n int) []string {
	wins, means := map[string]int{}, map[string]*stat.GeometricMean{}
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
			if means[name] == nil {
				means[name] = new(stat.GeometricMean)
			}
			means[name].Add(speeds[name] / speeds[best])
		}
		if best != "" {
			wins[best]++
		}
	}

	names := slices.Collect(maps.Keys(means))
	SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(wins[b], wins[a]), cmp.Compare(means[b].Value(), means[a].Value()))
	})
	names = names[:min(n, len(names))]
	SortKernels(names)
	return names
}

// speeds gives the speed of each kernel of a panel at its fastest, in products per second.
func (p *Panel) speeds() map[string]float64 {
	speeds := map[string]float64{}
	for i := range p.Rows {
		r := &p.Rows[i]
		speeds[r.Kernel] = max(speeds[r.Kernel], 1/r.Time)
	}
	return speeds
}

// LeadersOf returns the n leaders of some panels.
func LeadersOf(panels []Panel, n int) []string {
	cases := make([]map[string]float64, len(panels))
	for i := range panels {
		cases[i] = panels[i].speeds()
	}
	return Leaders(cases, n)
}
