// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"math/bits"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// Limits gives what is enough for a configuration to be legal on a matrix, where that follows from its
// features. Where it also depends on the pattern, other matrices may be legal, too. Kernels that are
// legal on any matrix have none. One whose refusals no feature tells has a limit that nothing is within.
func Limits(c kernels.Config) []kernels.Limit {
	v := c.Precision.Bytes()
	switch c.Kernel {
	case "sell_local":
		return []kernels.Limit{
			most("cols", mostPanels*mostOfPanel(c, v)),
			most("rows", sparse.MaxIndex/2/mostPanels),
		}
	case "csr_lanes":
		if setting(c, "x") == "panels" {
			return []kernels.Limit{lanesLimit(mostSpaced(settingInt(c, "x_kb"), v))}
		}
		return []kernels.Limit{most("cols", 1<<(bits.Len(uint(256*lanesPlaces(c, v)))-1))}
	case "panel_sell":
		return []kernels.Limit{most("cols", 1<<16-1), panelLimit(c, v)}
	case "sell_c_sigma":
		return []kernels.Limit{{{
			times(1, "rows", "row_max"), times(settingFloat(c, "chunk"), "row_max"),
			times(-float64(mostEntries(0))),
		}}}
	case "sell_blocks":
		return []kernels.Limit{{}}
	case "sell_diagonals":
		// A slice of 32 rows has all diagonals at most, and fills up its last turn.
		turn := settingFloat(c, "turn")
		return []kernels.Limit{
			most("diagonals", sparse.MaxDiagonals-settingInt(c, "turn")),
			{{
				times(1, "rows", "diagonals"), times(warp, "diagonals"), times(turn, "rows"),
				times(warp * turn), times(-2, "nonzeros"),
			}},
		}
	}
	return nil
}

// Legal reports whether a configuration can run on a matrix, by packing the matrix for it. Without a recipe it can.
func Legal(a *sparse.CSR[float64], c kernels.Config) bool {
	_, err := newRecipe(a, c, c.Precision.Bytes())
	return err == nil || recipes[c.Kernel] == nil
}

// most limits a feature.
func most(feature string, n int) kernels.Limit {
	return kernels.Limit{{times(1, feature), times(-float64(n))}}
}

// lanesLimit asks for one panel, or for as many nonzeros a row as there are panels. They are at most twice
// as many as the columns need, because blocks share them evenly.
func lanesLimit(width int) kernels.Limit {
	return append(most("cols", width), kernels.Sum{
		times(2, "cols", "rows"), times(2*float64(width), "rows"), times(-float64(width), "nonzeros"),
	})
}

// panelLimit keeps a panel in shared memory whatever its pattern. A row has a slot in it, and one more for
// each 64 nonzeros. A panel has a block's share of them, and a column more; blocks have at least four
// nonzeros of each row.
func panelLimit(c kernels.Config, v int) kernels.Limit {
	const shared = 220 << 10
	value := float64(v)
	return kernels.Limit{{
		times(value*(1+9./64), "rows"), times(value/64/float64(c.Grid), "nonzeros"),
		times(value * settingFloat(c, "columns")), times(2, "rows"), times(2 - shared),
	}}
}

func settingFloat(c kernels.Config, name string) float64 { return float64(settingInt(c, name)) }

func times(factor float64, features ...string) kernels.Term {
	return kernels.Term{Factor: factor, Features: features}
}
