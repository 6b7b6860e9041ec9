package plots

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Beyond these numbers kernels can't be told apart: bars of one matrix on a page
// of speed-ups, lines in a small panel and lines in a large one.
const (
	mostBars       = 10
	mostSmallLines = 10
	mostLargeLines = 16
	mostLongLines  = 8 // over more than longLine matrices
)

// leaders returns n kernels, in the catalogue's order: those that are fastest
// most often, and of those equally often, nearest to the fastest in the geometric
// mean. A case holds the speed of each kernel, in any unit.
func leaders(cases []map[string]float64, n int) []string {
	wins, logs, count := map[string]int{}, map[string]float64{}, map[string]int{}
	for _, speeds := range cases {
		names := slices.Collect(maps.Keys(speeds))
		sortKernels(names) // sums are the same in each run
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
	sortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(-cmp.Compare(wins[a], wins[b]), -cmp.Compare(logs[a]/float64(count[a]), logs[b]/float64(count[b])))
	})
	names = names[:min(n, len(names))]
	sortKernels(names)
	return names
}

// speeds gives the speed of each kernel of a panel at its fastest, in products
// per millisecond.
func (p *panel) speeds() map[string]float64 {
	speeds := map[string]float64{}
	for i := range p.rows {
		r := &p.rows[i]
		speeds[r.Kernel] = max(speeds[r.Kernel], 1/r.Median)
	}
	return speeds
}

// leadersOf are the n leaders of some panels.
func leadersOf(panels []panel, n int) []string {
	cases := make([]map[string]float64, len(panels))
	for i := range panels {
		cases[i] = panels[i].speeds()
	}
	return leaders(cases, n)
}
