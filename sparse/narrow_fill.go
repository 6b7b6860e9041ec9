package sparse

import (
	"fmt"
	"slices"
)

// outline writes Heads, and makes room in Starts and Upper.
func (t *Narrow) outline(rowPtr, colIdx []int32, ranges [][]int32) error {
	first := slices.Concat(ranges...)
	n := len(first)
	t.Heads = make([]int32, 4*n)
	eachPart(len(colIdx), func(part, parts int) {
		lo, hi := share(n, part, parts)
		for i := lo; i < hi; i++ {
			end := t.Rows
			if i+1 < n {
				end = int(first[i+1])
			}
			t.describe(rowPtr, colIdx, i, int(first[i]), end)
		}
	})

	upper := 0
	for i := range n {
		head := t.Heads[4*i : 4*i+4]
		head[1] = int32(t.Entries / eight)
		own := int(head[3] & 0xffff)
		t.Entries += own
		if head[2] < 0 {
			head[2] = int32(-1 - upper/eight)
			upper += own
		}
	}
	if t.Entries > MaxIndex {
		return fmt.Errorf("%d entries with padding are more than indices reach", t.Entries)
	}
	t.Upper = make([]uint16, upper)
	if n > 0 {
		t.Starts = make([]uint16, StartsAt(n, int32(t.Rows)))
	}
	return nil
}

// describe writes the head of tile i, but for what depends on the tiles before it.
func (t *Narrow) describe(rowPtr, colIdx []int32, i, row, end int) {
	low, high := int32(MaxIndex), int32(0)
	for r := row; r < end; r++ {
		if from, to := rowPtr[r], rowPtr[r+1]; from < to {
			low, high = min(low, colIdx[from]), max(high, colIdx[to-1])
		}
	}
	switch {
	case low > high: // there are no nonzeros
		low = 0
	case high-low >= 1<<16:
		low = -1
	}
	entries := (rowPtr[end] - rowPtr[row] + eight - 1) / eight * eight
	copy(t.Heads[4*i:], []int32{int32(row), 0, low, entries | int32(end-row)<<16})
}

// fill writes the entries of tile i.
func (t *Narrow) fill(rowPtr, colIdx []int32, i int) {
	row, at, base := int(t.Heads[4*i]), int(t.Heads[4*i+1])*eight, t.Heads[4*i+2]
	entries, rows := int(t.Heads[4*i+3]&0xffff), int(t.Heads[4*i+3]>>16)
	starts := t.Starts[StartsAt(i, int32(row)):]
	from, to := rowPtr[row], rowPtr[row+rows]
	for r := range rows + 1 {
		starts[r] = uint16(rowPtr[row+r] - from)
	}

	columns, order := t.Columns[at:at+entries], t.Order[at:at+entries]
	var upper []uint16
	if base < 0 {
		base, upper = 0, t.Upper[int(-1-base)*eight:]
	}
	nonzero := from
	for chunk := 0; chunk < entries; chunk += sliceRows * t.Vector { // in the order of At
		lanes := min(sliceRows, (entries-chunk)/t.Vector)
		for i := range t.Vector {
			for place := chunk + i; place < chunk+lanes*t.Vector; place += t.Vector {
				if nonzero == to {
					order[place] = -1
					continue
				}
				order[place], columns[place] = nonzero, uint16(colIdx[nonzero]-base)
				if upper != nil {
					upper[place] = uint16(colIdx[nonzero] >> 16)
				}
				nonzero++
			}
		}
	}
}
