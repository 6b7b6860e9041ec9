// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"slices"
	"sort"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A sellPacking is a matrix in SELL-C-sigma form, as the device gets it.
type sellPacking struct {
	chunkPtr, columns, order []int32
	perm                     []int32 // empty if no row was moved
}

// sellRecipe converts the matrix.
func sellRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	height, sigma := settingInt(c, "chunk"), settingInt(c, "sigma")
	s, err := pack(m, fmt.Sprint("SELL ", height, sigma), func() (*sellPacking, error) { return packSELL(m, height, sigma) })
	if err != nil {
		return nil, err
	}
	return &recipe{Steps: []step{configStep(c, c.Kernel, 0, ints("sell_chunks", s.chunkPtr), ints("sell_columns", s.columns),
		permuted("sell_values", s.order), ptr(vecX), ptr(vecY), num(m.Rows), ints("sell_rows", s.perm), num(min(len(s.perm), 1)),
		num(height), kept)}}, nil
}

// packSELL converts m, unless its padding is too large.
func packSELL(m *structure, height, sigma int) (*sellPacking, error) {
	s, err := sparse.OutlineSELL(m, height, sigma)
	if err != nil {
		return nil, err
	}
	total, most := s.ChunkPtr[s.Chunks()], mostEntries(m.NNZ())
	if total > most {
		return nil, fmt.Errorf("SELL with chunks of %d and windows of %d needs %d entries for %d nonzeros, more than the "+
			"%d allowed", height, sigma, total, m.NNZ(), most)
	}
	p := &sellPacking{chunkPtr: lists.Of(s.ChunkPtr, func(o int) int32 { return int32(o) }), // below mostEntries
		columns: make([]int32, total), order: make([]int32, total)}
	if !slices.IsSorted(s.Perm) {
		p.perm = s.Perm
	}
	p.fill(m, s)
	return p, nil
}

// mostEntries bounds the padding: a matrix may always take twice its nonzeros, and
// at least 2²⁹ entries (6 GB in float64), but never more than indices reach.
func mostEntries(nnz int) int { return min(max(1<<29, 2*nnz), sparse.MaxIndex) }

// fill finds, for every entry of s, its column and the index of its nonzero in m, which is −1 for padding. Padding has
// the column of the entry before it, or 0. Cores share the steps of chunks, because a chunk may be most of the matrix.
func (p *sellPacking) fill(m *structure, s *sparse.SELL[float64]) {
	few := max(1, 2048/s.C) // steps that stay in a core's own cache while it goes from lane to lane
	eachShare(len(p.order)/s.C, few, func(step, end int) {
		h := sort.Search(s.Chunks(), func(h int) bool { return s.ChunkPtr[h+1] > step*s.C })
		for step < end {
			for s.ChunkPtr[h+1] <= step*s.C {
				h++
			}
			to := min(step+few, s.ChunkPtr[h+1]/s.C, end)
			for lane := range s.C {
				p.fillLane(m, s, h, lane, step, to)
			}
			step = to
		}
	})
}

// fillLane is fill for some steps of a lane of chunk h, counted from the first of all chunks.
func (p *sellPacking) fillLane(m *structure, s *sparse.SELL[float64], h, lane, step, to int) {
	var begin, end int32 // none beyond the last row
	if slot := h*s.C + lane; slot < s.Rows {
		row := s.Perm[slot]
		begin, end = m.RowPtr[row], m.RowPtr[row+1]
	}
	at := step*s.C + lane
	for k := int(begin) + step - s.ChunkPtr[h]/s.C; k < int(end) && at < to*s.C; k++ {
		p.order[at], p.columns[at] = int32(k), m.ColIdx[k]
		at += s.C
	}
	last := int32(0)
	if at < to*s.C && begin < end {
		last = m.ColIdx[end-1]
	}
	for ; at < to*s.C; at += s.C {
		p.order[at], p.columns[at] = -1, last
	}
}

// bankBytes are the bytes of all banks of shared memory, one word of each.
const bankBytes = 128

// banked is banked of staged.cuh: where element i of x lies.
func banked(i, v int) int {
	group := bankBytes / v
	return i/group*group + (i+i/group)%group
}

// bankedBytes is the shared memory that n elements of x take.
func bankedBytes(n, v int) int { return ceilDiv(n*v, bankBytes) * bankBytes }

// newHotColumns finds at most `most` columns that occur more often than all others, in increasing
// order. It also returns the code of every column: its place among them, or their number plus its own.
func newHotColumns(colIdx []int32, cols, most int) (columns, code []int32) {
	const highest = 1 << 16 // of degrees that are told apart
	degrees := columnDegrees(colIdx, cols, 0)
	sorted, start := bucketed(counted(cols, 0), highest+1, func(col int32) int { return highest - int(min(degrees[col], highest)) })
	columns = sorted[:min(most, start[highest])] // and none without nonzeros
	slices.Sort(columns)
	code = counted(cols, len(columns))
	for place, col := range columns {
		code[col] = int32(place)
	}
	return columns, code
}

// columnDegrees counts the nonzeros of every column, or of every 1<<shift columns. Every core has counts of its
// own, as long as these are fewer than the nonzeros.
func columnDegrees(colIdx []int32, cols, shift int) []int32 {
	buckets := ceilDiv(cols, 1<<shift)
	counts := make([][]int32, shares(len(colIdx), max(buckets, fewSteps)))
	panics.Parts(len(colIdx), len(counts), func(part, lo, hi int) {
		counts[part] = make([]int32, buckets)
		for _, col := range colIdx[lo:hi] {
			counts[part][col>>shift]++
		}
	})
	eachShare(buckets, fewSteps, func(lo, hi int) {
		for _, more := range counts[1:] {
			for bucket := lo; bucket < hi; bucket++ {
				counts[0][bucket] += more[bucket]
			}
		}
	})
	return counts[0]
}

// panelsOf is the number of panels of at most `most` columns, a multiple of the banks, and how many
// columns all but the last have.
func panelsOf(cols, most, v int) (panels, width int) {
	group := bankBytes / v
	panels = max(1, ceilDiv(cols, most))
	return panels, ceilDiv(max(ceilDiv(cols, panels), 1), group) * group
}

// splitRows says where the part of each row in each panel begins and ends: those of all rows of the
// first panel, then those of the second, and so on.
func splitRows(m *structure, panels, width int) (begin, end []int32) {
	if panels == 1 {
		return m.RowPtr[:m.Rows], m.RowPtr[1:]
	}
	column := make([]int32, panels+1)
	for p := range column {
		column[p] = int32(min(p*width, m.Cols))
	}
	starts := panelStarts(m, column)
	return starts[:panels*m.Rows], starts[m.Rows:]
}

// bankedColumns says where each column lies in its panel's x.
func bankedColumns(cols, width, v int) []uint16 {
	places := make([]uint16, cols)
	eachShare(cols, fewSteps, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			places[j] = uint16(banked(j%width, v))
		}
	})
	return places
}

// mostOfPanel is the most columns of a panel: what x_kb holds and 16 bits can number.
func mostOfPanel(c kernels.Config, v int) int {
	return min(settingInt(c, "x_kb")<<10, v<<16) / bankBytes * bankBytes / v
}

// panelsFit refuses a matrix with too many panels.
func panelsFit(m *structure, most int) error {
	if n := ceilDiv(m.Cols, most); n > mostPanels || n*m.Rows > sparse.MaxIndex/2 {
		return invalid("%d columns are %d panels; it must be at most %d", m.Cols, n, mostPanels)
	}
	return nil
}

// mostPanels bounds what panels cost: a y and a row pointer for each.
const mostPanels = 16

// partsOfPanels shares out parts to panels by their nonzeros: at least one each, and at most one
// for each row.
func partsOfPanels(start []int32, panels []int, most int) []int {
	parts := make([]int, len(panels)-1)
	nnz := int(start[len(start)-1])
	left := most - len(parts)
	length := func(p int) int { return int(start[panels[p+1]] - start[panels[p]]) }
	rest := left
	for p := range parts {
		parts[p] = 1
		if nnz > 0 && left > 0 {
			more := int(int64(left) * int64(length(p)) / int64(nnz))
			parts[p], rest = 1+more, rest-more
		}
	}
	for ; rest > 0 && nnz > 0; rest-- { // to those whose parts are the longest
		longest := 0
		for p := range parts {
			if length(p)*parts[longest] > length(longest)*parts[p] {
				longest = p
			}
		}
		parts[longest]++
	}
	for p := range parts {
		parts[p] = min(parts[p], panels[p+1]-panels[p])
	}
	return parts
}

// sellHotRecipe sorts rows and finds the hot columns.
func sellHotRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	type hotCodes struct{ columns, codes []int32 }
	s, err := stagedRowsOf(m, 1, 0)
	if err != nil {
		return nil, err
	}
	most := settingInt(c, "x_kb") << 10 / v
	p, _ := pack(m, fmt.Sprint("hot ", most), func() (hotCodes, error) {
		columns, code := newHotColumns(m.ColIdx, m.Cols, most)
		return hotCodes{columns, codesOf(s, m.ColIdx, code, 0)}, nil
	})

	hot := len(p.columns)
	x := scratch("staged_x", hot)
	r := s.recipe(c, c.Kernel, p.codes, ptr(vecY), bankedBytes(hot, v), x, num(hot))
	r.Steps = slices.Insert(r.Steps, 0, threadStep(hot, smallBlock, c.Kernel+"_x", ptr(vecX),
		ints("staged_columns", p.columns), x, num(hot)))
	return r, nil
}

// sellLocalRecipe sorts rows within panels of columns.
func sellLocalRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	if err := equalIfAsked(m, c); err != nil {
		return nil, err
	}
	most := mostOfPanel(c, v)
	if err := panelsFit(m, most); err != nil {
		return nil, err
	}
	panels, width := panelsOf(m.Cols, most, v)
	s, err := stagedRowsOf(m, panels, width)
	if err != nil {
		return nil, err
	}
	codes, _ := pack(m, fmt.Sprint("local ", most, v), func() ([]int32, error) {
		zero := uint16(bankedBytes(min(width, m.Cols), v) / v)
		return words(codesOf(s, m.ColIdx, bankedColumns(m.Cols, width, v), zero)), nil
	})

	to := ptr(vecY)
	if panels > 1 {
		to = scratch("staged_panel_sums", panels*m.Rows)
	}
	shared := bankedBytes(min(width, m.Cols), v) + bankBytes // the last for the zero that padding reads
	r := s.recipe(c, c.Kernel+"_"+setting(c, "values"), codes, to, shared, num(width), num(m.Cols))
	if panels > 1 {
		r.Steps = append(r.Steps, threadStep(m.Rows, smallBlock, c.Kernel+"_add", to, ptr(vecY), num(m.Rows), num(panels)))
	}
	return r, nil
}
