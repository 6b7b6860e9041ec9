package rule

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"spmvtune/kernels"
)

// neighbours returns for each configuration with use[c] the configurations one step away from
// it, up or down, in block or in grid. A step leads to the next value among the configurations
// in use. They say how robust a choice is: a good configuration among bad ones is likely to be
// luck.
func neighbours(configs []kernels.Config, use []bool) [][]int {
	adjacent := make([][]int, len(configs))
	link := func(line func(kernels.Config) string, along func(kernels.Config) int) {
		lines := make(map[string][]int)
		for c, config := range configs {
			if use[c] {
				lines[line(config)] = append(lines[line(config)], c)
			}
		}

		for _, on := range lines {
			slices.SortFunc(on, func(a, b int) int { return cmp.Compare(along(configs[a]), along(configs[b])) })
			for i := 1; i < len(on); i++ {
				adjacent[on[i]] = append(adjacent[on[i]], on[i-1])
				adjacent[on[i-1]] = append(adjacent[on[i-1]], on[i])
			}
		}
	}

	name := func(c kernels.Config, fixed int) string {
		return c.Kernel + " " + strconv.Itoa(fixed) + " " + c.Params.String()
	}
	link(func(c kernels.Config) string { return name(c, c.Grid) }, func(c kernels.Config) int { return c.Block })
	link(func(c kernels.Config) string { return name(c, c.Block) }, func(c kernels.Config) int { return c.Grid })
	return adjacent
}

// distance between two configurations of a kernel: doublings of the block, plus
// doublings of the grid, plus one for each parameter that differs.
func distance(a, b kernels.Config) float64 {
	doublings := func(x, y int) float64 {
		return math.Abs(math.Log2(float64(max(x, 1)) / float64(max(y, 1))))
	}
	d := doublings(a.Block, b.Block) + doublings(a.Grid, b.Grid)

	for name, v := range a.Params.All() {
		if other, _ := b.Params.Get(name); other != v {
			d++
		}
	}

	for name := range b.Params.All() {
		if _, ok := a.Params.Get(name); !ok {
			d++
		}
	}
	return d
}

func sortedConfigs(byID map[kernels.Config]kernels.Config) []kernels.Config {
	all := slices.Collect(maps.Values(byID))
	slices.SortFunc(all, func(a, b kernels.Config) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Block, b.Block),
			cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params.String(), b.Params.String()))
	})
	return all
}

// idOf identifies a configuration within a precision.
func idOf(c kernels.Config) kernels.Config {
	c.Precision = ""
	return c
}
