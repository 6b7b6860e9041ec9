package cuda

import "math/bits"

// lanesTake is TAKE of csr_lanes.cuh.
const lanesTake = 4

// A segment is a row's part of a panel, or a piece of it, from nonzero begin up to end.
type segment struct{ begin, end, target int32 }

func (s segment) length() int { return int(s.end - s.begin) }

// log is the logarithm of the lanes that a segment gets: so many that a lane has at most 8 nonzeros, also where
// they don't begin with a multiple of 4.
func (s segment) log() int { return min(5, bits.Len(uint(ceilDiv(s.length()+lanesTake-1, 8)-1))) }

// cutRows cuts rows, whose columns increase, into segments of panels, of at most `longest` nonzeros. A row of more
// than one gets sums in the order of its nonzeros.
func cutRows(m *structure, panels, width, longest int) ([][]segment, *lanesPacking) {
	p := &lanesPacking{span: []int32{}, target: []int32{}, part: []int32{}, empty: []int32{}, row: []int32{},
		first: []int32{0}}
	segments := make([][]segment, panels)
	sums := int32(0)
	for r := range m.Rows {
		begin, end, single := m.RowPtr[r], m.RowPtr[r+1], true
		if begin == end {
			p.empty = append(p.empty, int32(r))
			continue
		}
		at := begin
		for i := range panels {
			to := end
			if i < panels-1 {
				to = at + int32(lowerBound(m.ColIdx[at:end], (i+1)*width))
			}
			for ; at < to; single = false {
				s := segment{at, min(to, (at+int32(longest))/lanesTake*lanesTake), int32(m.Rows) + sums}
				if single && s.end == end { // all of the row
					s.target = int32(r)
				} else {
					sums++
				}
				segments[i] = append(segments[i], s)
				at = s.end
			}
		}
		if sums > p.first[len(p.row)] {
			p.row, p.first = append(p.row, int32(r)), append(p.first, sums)
		}
	}
	return segments, p
}

// byLength sorts segments, those with most lanes first; of those with all lanes of a warp, the longest. Others
// keep their order, because neighbours share what memory moves.
func byLength(segments []segment) []segment {
	const most = 1 << 13 // of lengths that are told apart
	var at [most + 6]int
	place := func(s segment) int {
		if log := s.log(); log < 5 {
			return most + 5 - log
		}
		return most - min(s.length(), most)
	}
	for _, s := range segments {
		at[place(s)]++
	}
	next := 0
	for i, n := range at {
		at[i] = next
		next += n
	}
	sorted := make([]segment, len(segments))
	for _, s := range segments {
		i := &at[place(s)]
		sorted[*i] = s
		*i++
	}
	return sorted
}
