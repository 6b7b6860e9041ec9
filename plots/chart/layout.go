package chart

import (
	"gonum.org/v1/plot/vg"
)

// ColumnsFor returns how many of n panels stand side by side.
func ColumnsFor(n int) int {
	switch {
	case n <= 2:
		return max(n, 1)
	case n <= 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// PanelHeight returns the height of panels that keeps them near the golden ratio.
func PanelHeight(columns int) vg.Length {
	return map[int]vg.Length{1: 300, 2: 220, 3: 165}[min(columns, 3)] - vg.Length(max(0, columns-3))*20
}
