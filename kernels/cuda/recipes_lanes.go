// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"container/heap"
	"fmt"
	"math/bits"
	"slices"

	"example.org/spmvtune/kernels"
)

// lanesRecipe leaves the matrix as it is, and lists the rows' parts of panels of columns by length.
func lanesRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	how, kb := setting(c, "x"), settingInt(c, "x_kb")
	panels, width := 1, max(1, m.Cols)
	if how == "panels" {
		panels, width = lanesPanels(m.Cols, mostSpaced(kb, v), c.Grid, v)
	}
	if panels > 1 && panels*m.Rows > m.NNZ() {
		return nil, invalid("%d columns are %d panels of x_kb; a row has fewer nonzeros", m.Cols, panels)
	}
	if how == "hot" {
		if err := tagsFit(m, c, v); err != nil {
			return nil, err
		}
	}
	longest := settingInt(c, "longest")
	p, _ := pack(m, fmt.Sprint("lanes ", width, c.Grid, longest), func() (*lanesPacking, error) {
		return packLanes(m, panels, width, c.Grid, longest), nil
	})

	columns, values, last := make([]int32, lanesTake), []int32{-1, -1, -1, -1}, m.NNZ()/lanesTake*lanesTake
	for i := range m.NNZ() - last {
		columns[i], values[i] = m.ColIdx[last+i], int32(last+i)
	}
	sums := scratch("lanes_sums", int(p.first[len(p.row)]))
	r := &recipe{}
	main := configStep(c, c.Kernel+"_"+how, 0, ptr(colIdx), ptr(val), num(m.NNZ()), ints("lanes_last_columns", columns),
		permuted("lanes_last_values", values), ints("lanes_chunks", p.chunk), ints("lanes_spans", p.span),
		ints("lanes_targets", p.target), ints("lanes_parts", p.part), num(len(p.part)/3), ints("lanes_empty", p.empty),
		num(len(p.empty)), num(m.Rows), ptr(vecY), sums, ptr(vecX), kept)
	if how == "panels" {
		main.Shared = spacedBytes(min(width, m.Cols), v)
		main.Args = append(main.Args, num(width), num(m.Cols))
	} else {
		hotLanes(m, r, &main, c, v)
	}
	log := lanesLogOf(p)
	r.Steps = append(r.Steps, main, threadStep(len(p.row)<<log, smallBlock, c.Kernel+"_add", sums, ptr(vecY),
		ints("lanes_cut_rows", p.row), ints("lanes_cut_first", p.first), num(len(p.row)), num(log)))
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

// lanesTake is TAKE of csr_lanes.cuh.
const lanesTake = 4

// log is the logarithm of the lanes that a segment gets: so many that a lane has at most 8 nonzeros, also where
// they don't begin with a multiple of 4.
func (s segment) log() int { return min(5, bits.Len(uint(ceilDiv(s.length()+lanesTake-1, 8)-1))) }

// cutLanes cuts rows, whose columns increase, into segments of panels, of at most `longest` nonzeros.
func cutLanes(m *structure, panels, width, longest int) ([][]segment, cutRows) {
	return cutAll(m.Rows, panels, func(c *cutter, row int32) {
		begin, end := m.RowPtr[row], m.RowPtr[row+1]
		if begin == end {
			c.empty = append(c.empty, row)
		}
		at := begin
		for i := range panels {
			to := end
			if i < panels-1 {
				to = at + int32(lowerBound(m.ColIdx[at:end], (i+1)*width))
			}
			for at < to {
				next := min(to, (at+int32(longest))/lanesTake*lanesTake)
				c.add(i, row, at, next, at == begin && next == end)
				at = next
			}
		}
	})
}

// byLength sorts segments, those with most lanes first; of those with all lanes of a warp, the longest. Others
// keep their order, because neighbours share what memory moves.
func byLength(segments []segment) []segment {
	const most = 1 << 13 // of lengths that are told apart
	sorted, _ := bucketed(segments, most+6, func(s segment) int {
		if log := s.log(); log < 5 {
			return most + 5 - log
		}
		return most - min(s.length(), most)
	})
	return sorted
}

// A lanesPacking lists the segments of a matrix as csr_lanes.cu reads them.
type lanesPacking struct {
	chunk, span, target, part []int32
	cutRows
}

// A share is what a warp takes at a time: segments with 2^log lanes each.
type share struct {
	segments  []segment
	log, cost int
}

// packLanes deals the segments of every panel out to parts, at least one for each panel, and as many as the grid
// has blocks.
func packLanes(m *structure, panels, width, grid, longest int) *lanesPacking {
	segments, cut := cutLanes(m, panels, width, longest)
	p := &lanesPacking{cutRows: cut}
	start, first := []int32{0}, []int{0}
	of := make([][]share, panels)
	for i := range panels {
		of[i] = sharesOf(byLength(segments[i]))
		for _, s := range of[i] {
			start = append(start, start[len(start)-1]+int32(s.cost))
		}
		first = append(first, len(start)-1)
	}
	var hands [][]share
	chunks := 0
	for i, n := range partsOfPanels(start, first, max(grid, panels)) {
		for _, hand := range deal(of[i], n) {
			p.part = append(p.part, int32(i), int32(chunks), int32(chunks+len(hand)))
			hands = append(hands, hand)
			chunks += len(hand)
		}
	}
	p.layOut(slices.Concat(hands...))
	return p
}

// layOut writes shares.
func (p *lanesPacking) layOut(all []share) {
	p.chunk = make([]int32, len(all)+1)
	at := 0
	for i, s := range all {
		p.chunk[i] = int32(8*at + s.log)
		at += len(s.segments)
	}
	p.chunk[len(all)] = int32(8 * at)
	p.span, p.target = make([]int32, 2*at), make([]int32, at)
	each(len(all), fewSteps/warp, func(i int) {
		at := int(p.chunk[i] / 8)
		for k, s := range all[i].segments {
			p.span[2*(at+k)], p.span[2*(at+k)+1], p.target[at+k] = s.begin, s.end, s.target
		}
	})
}

// sharesOf puts neighbours together as far as their lanes are a warp. The first of them has the most lanes.
func sharesOf(segments []segment) []share {
	var list []share
	for len(segments) > 0 {
		log := segments[0].log()
		n := min(warp>>log, len(segments))
		list = append(list, share{segments: segments[:n], log: log})
		segments = segments[n:]
	}
	each(len(list), fewSteps/warp, func(i int) {
		s := &list[i]
		s.cost = 32 // about how long it takes, in nonzeros
		for _, of := range s.segments {
			s.cost += of.length()
		}
	})
	return list
}

// deal gives each share, the most expensive first, to the one of n parts that has least.
func deal(shares []share, n int) [][]share {
	hands := make(hands, n)
	for i := range hands {
		hands[i].part = i
	}
	for _, s := range shares {
		hands[0].cost += s.cost
		hands[0].shares = append(hands[0].shares, s)
		heap.Fix(&hands, 0)
	}
	parts := make([][]share, n)
	for _, h := range hands {
		parts[h.part] = h.shares
	}
	return parts
}

// hands are parts of a panel while it is dealt out, a heap by what they have.
type hands []struct {
	cost, part int
	shares     []share
}

func (h hands) Len() int { return len(h) }
func (h hands) Less(i, j int) bool {
	return h[i].cost < h[j].cost || h[i].cost == h[j].cost && h[i].part < h[j].part
}
func (h hands) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *hands) Push(any)     {}
func (h *hands) Pop() any     { return nil }

// tagBits are the bits of a scattered column.
func tagBits(m *structure) int { return bits.Len(uint(max(m.Cols, 256) - 1)) }

// tagsFit refuses a matrix with too many columns for its places.
func tagsFit(m *structure, c kernels.Config, v int) error {
	if places := lanesPlaces(c, v); 1<<tagBits(m) > 256*places {
		return invalid("%d columns for %d places in shared memory; a tag of 8 bits tells 256 apart", m.Cols, places)
	}
	return nil
}

// hotLanes gives the kernel places in shared memory for the elements of x that most nonzeros need.
func hotLanes(m *structure, r *recipe, main *step, c kernels.Config, v int) {
	places, width := lanesPlaces(c, v), tagBits(m)
	p, _ := pack(m, fmt.Sprint("places ", places), func() (*hotPlaces, error) { return newHotPlaces(m, places, width), nil })
	x := scratch("lanes_hot_x", places)
	main.Shared = places * (v + 1)
	main.Args = append(main.Args, x, ints("lanes_tags", p.tags), num(places), num(width))
	r.Steps = append(r.Steps, threadStep(places*min(m.Cols, 1), smallBlock, c.Kernel+"_x", ptr(vecX),
		ints("lanes_hot_columns", p.column), x, num(places)))
}

// lanesPlaces is how many elements of x have a place and a tag in shared memory.
func lanesPlaces(c kernels.Config, v int) int { return settingInt(c, "x_kb") << 10 / (v + 1) / 16 * 16 }

// hotPlaces are the columns that have places, and their tags, four in an element.
type hotPlaces struct{ column, tags []int32 }

// newHotPlaces gives each place the column that occurs most of those that csr_lanes.cu scatters to it. A
// place whose columns don't occur has column 0, which nobody looks for there.
func newHotPlaces(m *structure, places, bits int) *hotPlaces {
	p := &hotPlaces{make([]int32, places), make([]int32, places/4)}
	most := make([]int32, places)
	for col, n := range columnDegrees(m.ColIdx, m.Cols, 0) {
		if at, _ := placeOfColumn(col, places, bits); n > most[at] {
			most[at], p.column[at] = n, int32(col)
		}
	}
	for at, col := range p.column {
		_, tag := placeOfColumn(int(col), places, bits)
		p.tags[at/4] |= int32(tag) << (at % 4 * 8)
	}
	return p
}

// placeOfColumn is where csr_lanes.cu looks for the column, and the tag that it expects there.
func placeOfColumn(col, places, bits int) (place int, tag uint8) {
	const scatter = 2654435769 // SCATTER of csr_lanes.cu
	scattered := uint32(col) * scatter << (32 - bits)
	return int(uint64(scattered) * uint64(places) >> 32), uint8(scattered >> (32 - bits))
}
