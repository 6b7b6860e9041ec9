package cuda

import "spmvtune/kernels"

// sellLocalRecipe sorts rows within panels of columns.
func sellLocalRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const panelSums = "staged_panel_sums"
	if setting(c, "values") == "equal" &&
		!pack(m, valuesEqual{}, func() (bool, int64) { return allEqual(m.Val), 0 }) {
		return nil, invalid("the matrix's values are not all equal")
	}
	most := mostOfPanel(c, v)
	if err := panelsFit(m, most); err != nil {
		return nil, err
	}
	type key struct{ most, v int }
	type result struct {
		width int
		rows  *stagedRows
	}
	p := pack(m, key{most, v}, func() (result, int64) {
		panels, width := panelsOf(m.Cols, most, v)
		begin, end := splitRows(m, panels, width)
		s := newStagedRows(begin, end, panels)
		if s.err == nil {
			s.codes = make([]int32, len(s.values)/2)
			halves, zero := halvesOf(s.codes), bankedBytes(min(width, m.Cols), v)/v
			for i := range halves {
				halves[i] = uint16(zero)
			}
			fillStaged(s, m.ColIdx, bankedColumns(m.Cols, width, v), halves)
		}
		return result{width, s}, s.bytes()
	})
	if p.rows.err != nil {
		return nil, p.rows.err
	}

	to, panels := vecY, p.rows.panels()
	if panels > 1 {
		to = panelSums
	}
	shared := bankedBytes(min(p.width, m.Cols), v) + bankBytes // the last for the zero that padding reads
	r := p.rows.recipe(c, c.Kernel+"_"+setting(c, "values"), to, shared, num(p.width), num(m.Cols))
	if panels > 1 {
		r.Aux = append(r.Aux, aux{Name: panelSums, Values: panels * m.Rows})
		r.Steps = append(r.Steps, step{
			Entry: c.Kernel + "_add", Grid: ceilDiv(m.Rows, smallBlock), Block: smallBlock,
			Args: []arg{ptr(panelSums), ptr(vecY), num(m.Rows), num(panels)},
		})
	}
	return r, nil
}
