package cuda

import "spmvtune/kernels"

// sellHotRecipe sorts rows and finds the hot columns.
func sellHotRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		column = "staged_columns"
		hotX   = "staged_x"
	)
	type key struct{ most int }
	type result struct {
		columns []int32
		rows    *stagedRows
	}
	most := settingInt(c, "x_kb") << 10 / v
	p := pack(m, key{most}, func() (result, int64) {
		columns, code := newHotColumns(m.ColIdx, m.Cols, most)
		s := newStagedRows(m.RowPtr[:m.Rows], m.RowPtr[1:], 1)
		if s.err == nil {
			s.codes = make([]int32, len(s.values))
			fillStaged(s, m.ColIdx, code, s.codes)
		}
		return result{columns, s}, s.bytes()
	})
	if p.rows.err != nil {
		return nil, p.rows.err
	}

	hot := len(p.columns)
	r := p.rows.recipe(c, c.Kernel+"_"+setting(c, "l2"), vecY, bankedBytes(hot, v), ptr(hotX), num(hot))
	r.Aux = append(r.Aux, aux{Name: column, Ints: p.columns}, aux{Name: hotX, Values: hot})
	r.Steps = append([]step{{
		Entry: c.Kernel + "_x", Grid: ceilDiv(hot, smallBlock), Block: smallBlock,
		Args: []arg{ptr(vecX), ptr(column), ptr(hotX), num(hot)},
	}}, r.Steps...)
	return r, nil
}
