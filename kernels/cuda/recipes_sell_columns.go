package cuda

import (
	"unsafe"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

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
	degrees := columnDegrees(colIdx, cols)
	limit, at := threshold(degrees, most)
	columns, code = []int32{}, make([]int32, cols)
	for col, d := range degrees {
		code[col] = -1
		if len(columns) < most && (d > limit || d == limit && at > 0) {
			if d == limit {
				at--
			}
			code[col] = int32(len(columns))
			columns = append(columns, int32(col))
		}
	}
	for col := range code {
		if code[col] < 0 {
			code[col] = int32(len(columns) + col)
		}
	}
	return columns, code
}

// columnDegrees counts the nonzeros of every column. Every core has counts of its own, as long as
// these are fewer than the nonzeros.
func columnDegrees(colIdx []int32, cols int) []int32 {
	parts := max(1, min(shares(len(colIdx)), len(colIdx)/max(cols, 1)))
	counts := make([][]int32, parts)
	eachShare(len(colIdx), parts, func(part, lo, hi int) {
		counts[part] = make([]int32, cols)
		for _, col := range colIdx[lo:hi] {
			counts[part][col]++
		}
	})
	eachShare(cols, shares(cols), func(_, lo, hi int) {
		for _, more := range counts[1:] {
			for col := lo; col < hi; col++ {
				counts[0][col] += more[col]
			}
		}
	})
	return counts[0]
}

// threshold says which degrees the `most` columns of the highest degrees have: all above limit, and
// `at` columns have limit itself. Columns without nonzeros are not among them.
func threshold(degrees []int32, most int) (limit int32, at int) {
	const highest = 1 << 16 // of degrees that are told apart
	var having [highest + 1]int
	for _, d := range degrees {
		having[min(d, highest)]++
	}
	left := most
	for d := highest; d > 0; d-- {
		if having[d] > left {
			if d == highest { // more columns than fit; which of them does not matter
				return highest - 1, 0
			}
			return int32(d), left
		}
		left -= having[d]
	}
	return 0, 0
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
	eachShare(cols, shares(cols), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			places[j] = uint16(banked(j%width, v))
		}
	})
	return places
}

// halvesOf are the elements of words as pairs of 16 bits.
func halvesOf(words []int32) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
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
	for p := range parts {
		parts[p] = 1
		if nnz > 0 && left > 0 {
			parts[p] += int(int64(left) * int64(length(p)) / int64(nnz))
		}
	}
	for left = most - sum(parts); left > 0 && nnz > 0; left-- { // to those whose parts are the longest
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

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}
