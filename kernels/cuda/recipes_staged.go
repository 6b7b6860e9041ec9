// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"
	"math/bits"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// The most nonzeros of a lane and of a warp that sell_staged.cuh plans with; longer rows are cut.
const (
	stagedLane    = 32
	stagedSegment = stagedLane * warp
	smallBlock    = 256 // of the kernels that only add or collect
)

// stagedLog is the logarithm of the lanes of a segment, which has at most stagedSegment nonzeros.
func (s segment) stagedLog() int { return bits.Len(uint(ceilDiv(s.length(), stagedLane) - 1)) }

// steps are the nonzeros of the longest of these lanes.
func (s segment) steps() int { return ceilDiv(s.length(), 1<<s.stagedLog()) }

// order sorts segments: those with most lanes first, and of these those with most steps.
func (s segment) order() int { return (5-s.stagedLog())*(stagedLane+1) + stagedLane - s.steps() }

const stagedOrders = 6 * (stagedLane + 1)

// stagedRows are rows in the chunks of sell_staged.cuh. Row r of panel p has number p·rows + r.
type stagedRows struct {
	rows       int     // of all panels together
	at, target []int32 // of chunks and of lanes
	first      []int   // chunk of each panel, and at the end the number of chunks
	values     []int32 // of places: the nonzero whose value it is, or −1
	cut        cutRows
}

func (s *stagedRows) panels() int { return len(s.first) - 1 }

// stagedRowsOf are the rows of m in panels. Where there is one panel, all kernels and precisions share them.
func stagedRowsOf(m *structure, panels, width int) (*stagedRows, error) {
	if panels == 1 {
		width = 0
	}
	return pack(m, fmt.Sprint("staged ", panels, width), func() (*stagedRows, error) {
		begin, end := splitRows(m, panels, width)
		return newStagedRows(begin, end, panels)
	})
}

// newStagedRows puts the rows of some panels into chunks. begin and end have the rows of the first panel, then those of
// the second, and so on.
func newStagedRows(begin, end []int32, panels int) (*stagedRows, error) {
	s := &stagedRows{rows: len(begin), first: []int{0}}
	segments, cut := cutAll(s.rows, panels, func(c *cutter, r int32) {
		n := end[r] - begin[r]
		if n == 0 {
			c.empty = append(c.empty, r)
		}
		at := func(k, of int32) int32 { return begin[r] + int32(int64(n)*int64(k)/int64(of)) }
		for k, of := int32(0), int32(ceilDiv(int(n), stagedSegment)); k < of; k++ {
			c.add(int(r)/(s.rows/panels), r, at(k, of), at(k+1, of), of == 1)
		}
	})
	s.cut = cut
	var chunks [][]segment
	pairs := 0
	for _, of := range segments {
		sorted, _ := bucketed(of, stagedOrders, segment.order)
		chunks, pairs = s.chunk(chunks, sorted, pairs)
		s.first = append(s.first, len(chunks))
	}
	s.at = append(s.at, int32(8*pairs))
	if places := 2 * warp * pairs; places > sparse.MaxIndex {
		return nil, invalid("%d places with padding; it must be at most %d", places, sparse.MaxIndex)
	}

	s.values, s.target = make([]int32, 2*warp*pairs), make([]int32, warp*len(chunks))
	each(len(chunks), fewSteps/(2*warp), func(c int) { s.fill(c, chunks[c]) })
	return s, nil
}

// chunk shares sorted segments out to chunks, of which all have as many lanes, from pair on. It returns
// the pair after the last.
func (s *stagedRows) chunk(chunks [][]segment, sorted []segment, pair int) ([][]segment, int) {
	for len(sorted) > 0 {
		log := sorted[0].stagedLog()
		n := min(warp>>log, len(sorted))
		for sorted[n-1].stagedLog() != log {
			n--
		}
		s.at = append(s.at, int32(8*pair+log))
		pair += ceilDiv(sorted[0].steps(), 2)
		chunks, sorted = append(chunks, sorted[:n]), sorted[n:]
	}
	return chunks, pair
}

// fill sets the targets of a chunk, and the nonzeros of its places.
func (s *stagedRows) fill(chunk int, segments []segment) {
	lanes := int32(1) << (s.at[chunk] % 8)
	values := s.values[2*warp*int(s.at[chunk]/8) : 2*warp*int(s.at[chunk+1]/8)]
	target := s.target[warp*chunk : warp*(chunk+1)]
	for _, s := range [][]int32{values, target} {
		for i := range s {
			s[i] = -1
		}
	}
	for i, p := range segments {
		lane := int32(i) * lanes
		target[lane] = p.target
		step := int32(0)
		for k := p.begin; k < p.end; k += lanes {
			at := step/2*2*warp + 2*lane + step%2
			for j := k; j < min(k+lanes, p.end); j++ {
				values[at] = j
				at += 2
			}
			step++
		}
	}
}

// codesOf gives each place the code of its nonzero's column, and the others that for none.
func codesOf[C int32 | uint16](s *stagedRows, colIdx []int32, code []C, none C) []C {
	codes := make([]C, len(s.values))
	eachShare(len(codes), fewSteps, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			if codes[at] = none; s.values[at] >= 0 {
				codes[at] = code[colIdx[s.values[at]]]
			}
		}
	})
	return codes
}

// parts shares out blocks to panels by their places, and lists PART numbers of sell_staged.cuh for each.
func (s *stagedRows) parts(grid int) []int32 {
	var parts []int32
	of := partsOfPanels(s.at, s.first, max(grid, s.panels()))
	for p, n := range of {
		for i := range n {
			parts = append(parts, int32(p), int32(s.first[p]), int32(s.first[p+1]), int32(i), int32(n))
		}
	}
	return parts
}

// recipe launches an entry over the chunks with codes of columns in its form, whose last arguments are more, and the
// sum of rows that are cut. Rows are written to the array y.
func (s *stagedRows) recipe(c kernels.Config, entry string, codes []int32, y arg, shared int, more ...arg) *recipe {
	parts, vals := s.parts(c.Grid), s.values
	if setting(c, "values") == "equal" {
		vals = vals[:min(1, len(vals))] // which is the first nonzero's
	}
	sums := scratch("staged_sums", int(s.cut.first[len(s.cut.row)]))
	args := []arg{ints("staged_codes", codes), permuted("staged_values", vals), ints("staged_chunks", s.at),
		ints("staged_targets", s.target), ints("staged_parts", parts), num(len(parts) / 5), num(s.rows), y, sums,
		ints("staged_empty", s.cut.empty), num(len(s.cut.empty)), ptr(vecX), kept}
	return &recipe{Steps: []step{
		configStep(c, entry, shared, append(args, more...)...),
		threadStep(len(s.cut.row)*warp, smallBlock, c.Kernel+"_sum", sums, y, ints("staged_cut_rows", s.cut.row),
			ints("staged_cut_first", s.cut.first), num(len(s.cut.row))),
	}}
}
