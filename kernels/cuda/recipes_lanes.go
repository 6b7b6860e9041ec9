package cuda

import (
	"math/bits"

	"spmvtune/kernels"
)

// lanesRecipe leaves the matrix as it is, and lists the rows' parts of panels of columns by length.
func lanesRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		lastCol = "lanes_last_columns"
		lastVal = "lanes_last_values"
		chunk   = "lanes_chunks"
		span    = "lanes_spans"
		target  = "lanes_targets"
		part    = "lanes_parts"
		empty   = "lanes_empty"
		row     = "lanes_cut_rows"
		first   = "lanes_cut_first"
		sums    = "lanes_sums"
	)
	how, kb := setting(c, "x"), settingInt(c, "x_kb")
	panels, width := 1, max(1, m.Cols)
	if how == "panels" {
		panels, width = lanesPanels(m.Cols, mostSpaced(kb, v), c.Grid, v)
	}
	if panels > 1 && panels*m.Rows > m.NNZ() {
		return nil, invalid("%d columns are %d panels of x_kb; a row has fewer nonzeros", m.Cols, panels)
	}
	type key struct{ width, grid, longest int }
	k := key{width, c.Grid, settingInt(c, "longest")}
	p := pack(m, k, func() (*lanesPacking, int64) {
		p := packLanes(m, panels, width, c.Grid, k.longest)
		return p, p.bytes()
	})

	columns, values, last := make([]int32, lanesTake), []int32{-1, -1, -1, -1}, m.NNZ()/lanesTake*lanesTake
	for i := range m.NNZ() - last {
		columns[i], values[i] = m.ColIdx[last+i], int32(last+i)
	}
	main := step{
		Entry: c.Kernel + "_" + how, Grid: c.Grid, Block: c.Block,
		Args: []arg{ptr(colIdx), ptr(val), num(m.NNZ()), ptr(lastCol), ptr(lastVal), ptr(chunk), ptr(span), ptr(target),
			ptr(part), num(len(p.part) / 3), ptr(empty), num(len(p.empty)), num(m.Rows), ptr(vecY), ptr(sums), ptr(vecX)},
	}
	r := &recipe{
		Aux: []aux{
			{Name: lastCol, Ints: columns}, {Name: lastVal, Vals: values}, {Name: chunk, Ints: p.chunk},
			{Name: span, Ints: p.span}, {Name: target, Ints: p.target}, {Name: part, Ints: p.part},
			{Name: empty, Ints: p.empty}, {Name: row, Ints: p.row}, {Name: first, Ints: p.first},
			{Name: sums, Values: int(p.first[len(p.row)])},
		},
	}
	switch how {
	case "panels":
		main.Shared = spacedBytes(min(width, m.Cols), v)
		main.Args = append(main.Args, num(width), num(m.Cols))
	case "hot":
		if err := hotLanes(m, r, &main, c, v); err != nil {
			return nil, err
		}
	}
	log := lanesLogOf(p)
	r.Steps = append(r.Steps, main, step{
		Entry: c.Kernel + "_add", Grid: ceilDiv(len(p.row)<<log, smallBlock), Block: smallBlock,
		Args: []arg{ptr(sums), ptr(vecY), ptr(row), ptr(first), num(len(p.row)), num(log)},
	})
	return r, nil
}

// lanesLogOf is the logarithm of the lanes that add the sums of a row.
func lanesLogOf(p *lanesPacking) int {
	mean := int(p.first[len(p.row)]) / max(1, len(p.row))
	return bits.Len(uint(max(1, min(mean/2, warp)))) - 1
}

// lanesPanels is the number of panels of at most `most` columns, so that each gets as many blocks, and their width.
func lanesPanels(cols, most, grid, v int) (panels, width int) {
	panels, width = panelsOf(cols, most, v)
	even := ceilDiv(panels, grid) * grid
	if panels < grid {
		even = grid / (grid / panels)
	}
	if panels > 1 {
		_, width = panelsOf(cols, ceilDiv(cols, even), v)
		panels = ceilDiv(cols, width)
	}
	return panels, width
}

// spacedBytes is the shared memory that n elements of x take with the gaps of spaced in csr_lanes.cu.
func spacedBytes(n, v int) int { return ceilDiv(n*v, bankBytes) * (bankBytes + v) }

// mostSpaced is the most columns whose x lies in that many KB, a multiple of the banks.
func mostSpaced(kb, v int) int { return kb << 10 / (bankBytes + v) * (bankBytes / v) }
