// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
)

// customPrefix begins the names of entries that are not in the PTX of this package.
const customPrefix = "own."

// customRecipe makes the recipe of a kernel of the sweep, whose entry takes the sizes of the matrix,
// its arrays, x and y.
func customRecipe(o kernels.Custom, m *structure, c kernels.Config) (*recipe, error) {
	sizes := o.Variables(c, m.Rows, m.Cols, m.NNZ())
	grid, err := custom.Value(o.Launch, sizes)
	if err != nil {
		return nil, invalid("blocks: %v", err)
	}
	shared, err := custom.Value(o.Shared, sizes)
	if err != nil {
		return nil, invalid("shared: %v", err)
	}
	s := step{
		Entry: customPrefix + o.Name, Grid: grid, Block: c.Block, Shared: shared,
		Args: []arg{num(m.Rows), num(m.Cols), num(m.NNZ())},
	}
	switch o.Format {
	case kernels.COO:
		s.Args = append(s.Args, ptr(rowIdx), ptr(colIdx), ptr(val))
	case kernels.SELL:
		slices, err := customSlices(o, m, c)
		if err != nil {
			return nil, err
		}
		s.Args = append(s.Args, slices...)
	default:
		s.Args = append(s.Args, ptr(rowPtr), ptr(colIdx), ptr(val))
	}
	s.Args = append(s.Args, ptr(vecX), ptr(vecY))
	if o.Zero && (m.Rows == 0 || m.NNZ() == 0) {
		s.Grid = 0
	}
	return &recipe{Zero: o.Zero, Steps: []step{s}}, nil
}

// customSlices are the arrays of the matrix as SELL, in the order of the entry's arguments.
func customSlices(o kernels.Custom, m *structure, c kernels.Config) ([]arg, error) {
	settings := o.Variables(c, 0, 0, 0)
	chunk, sigma := settings["chunk"], settings["sigma"]
	if sigma > 1 { // a window holds whole chunks
		sigma = ceilDiv(sigma, chunk) * chunk
	}
	s, err := pack(m, fmt.Sprint("own SELL ", chunk, sigma), func() (*sellPacking, error) {
		p, err := packSELL(m, chunk, sigma)
		if err == nil && len(p.perm) == 0 { // no row was moved
			p.perm = counted(m.Rows, 0)
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	return []arg{ints("own_chunks", s.chunkPtr), ints("own_rows", s.perm), ints("own_columns", s.columns),
		permuted("own_values", s.order)}, nil
}
