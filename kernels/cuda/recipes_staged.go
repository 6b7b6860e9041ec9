package cuda

import (
	"math/bits"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// The most nonzeros of a lane and of a warp that sell_staged.cuh plans with; longer rows are cut.
const (
	stagedLane    = 32
	stagedSegment = stagedLane * warp
	smallBlock    = 256 // of the kernels that only add or collect
)

// A piece is a row, or a segment of a long one, in the lanes of one warp.
type piece struct{ start, n, target int32 }

// lanesLog is the logarithm of the lanes that n nonzeros get, at most stagedSegment.
func lanesLog(n int32) int { return bits.Len(uint(ceilDiv(int(n), stagedLane) - 1)) }

// steps are the nonzeros of the longest lane.
func (p piece) steps() int { return ceilDiv(int(p.n), 1<<lanesLog(p.n)) }

// order sorts pieces: those with most lanes first, and of these those with most steps.
func (p piece) order() int { return (5-lanesLog(p.n))*(stagedLane+1) + stagedLane - p.steps() }

const pieceOrders = 6 * (stagedLane + 1)

// stagedRows are rows in the chunks of sell_staged.cuh. Row r of panel p has number p·rows + r.
type stagedRows struct {
	rows       int     // of all panels together
	at, target []int32 // of chunks and of lanes
	first      []int   // chunk of each panel, and at the end the number of chunks
	values     []int32 // of places: the nonzero whose value it is, or −1
	empty      []int32 // rows without nonzeros
	cutRow     []int32 // rows that are cut
	cutFirst   []int32 // of each the first segment, and at the end the number of segments
}

func (s *stagedRows) panels() int { return len(s.first) - 1 }

// stagedRowsOf are the rows of m in panels. Where there is one panel, all kernels and precisions share them.
func stagedRowsOf(m *structure, panels, width int) (*stagedRows, error) {
	type key struct{ panels, width int }
	k := key{panels, width}
	if panels == 1 {
		k.width = 0
	}
	return pack(m, k, func() (*stagedRows, error) {
		begin, end := splitRows(m, panels, width)
		return newStagedRows(begin, end, panels)
	})
}

// newStagedRows puts the rows of some panels into chunks. begin and end have the rows of the first panel, then those of
// the second, and so on.
func newStagedRows(begin, end []int32, panels int) (*stagedRows, error) {
	s := &stagedRows{rows: len(begin), cutFirst: []int32{0}, first: []int{0}}
	var chunks [][]piece
	pairs := 0
	for p := range panels {
		pieces := s.sort(begin, end, s.rows/panels*p, s.rows/panels*(p+1))
		chunks, pairs = s.chunk(chunks, pieces, pairs)
		s.first = append(s.first, len(chunks))
	}
	s.at = append(s.at, int32(8*pairs))
	if places := 2 * warp * pairs; places > sparse.MaxIndex {
		return nil, invalid("%d places with padding; it must be at most %d", places, sparse.MaxIndex)
	}

	s.values, s.target = make([]int32, 2*warp*pairs), make([]int32, warp*len(chunks))
	eachShare(len(chunks), fewSteps/(2*warp), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			s.fill(c, chunks[c])
		}
	})
	return s, nil
}

// rowPieces calls f for every piece of a row; the target of a segment is its number within the row.
func rowPieces(start, end int32, f func(p piece)) {
	n := end - start
	segments := int32(ceilDiv(int(n), stagedSegment))
	for k := range segments {
		from, to := int32(int64(n)*int64(k)/int64(segments)), int32(int64(n)*int64(k+1)/int64(segments))
		f(piece{start + from, to - from, k})
	}
}

// sort returns the pieces of rows lo to hi in order, and notes empty rows and those that are cut.
func (s *stagedRows) sort(begin, end []int32, lo, hi int) []piece {
	rows := hi - lo
	parts := shares(rows, fewSteps)
	counts := make([][pieceOrders]int, parts)
	empty, cut := make([][]int32, parts), make([][]int32, parts)
	eachShare(rows, fewSteps, func(part, from, to int) {
		for r := lo + from; r < lo+to; r++ {
			switch n := end[r] - begin[r]; {
			case n == 0:
				empty[part] = append(empty[part], int32(r))
				continue
			case n > stagedSegment:
				cut[part] = append(cut[part], int32(r))
			}
			rowPieces(begin[r], end[r], func(p piece) { counts[part][p.order()]++ })
		}
	})

	segment := s.cut(begin, end, cut)
	s.empty = append(s.empty, slices.Concat(empty...)...)
	pieces := make([]piece, places(counts))
	eachShare(rows, fewSteps, func(part, from, to int) {
		for r := lo + from; r < lo+to; r++ {
			target := int32(r)
			if first, ok := segment[target]; ok {
				target = int32(s.rows) + first
			}
			rowPieces(begin[r], end[r], func(p piece) {
				at := &counts[part][p.order()]
				p.target += target
				pieces[*at] = p
				*at++
			})
		}
	})
	return pieces
}

// cut numbers the segments of rows, and returns the first of each.
func (s *stagedRows) cut(begin, end []int32, rows [][]int32) map[int32]int32 {
	first := map[int32]int32{}
	segments := s.cutFirst[len(s.cutRow)]
	for _, r := range slices.Concat(rows...) {
		first[r] = segments
		segments += int32(ceilDiv(int(end[r]-begin[r]), stagedSegment))
		s.cutRow, s.cutFirst = append(s.cutRow, r), append(s.cutFirst, segments)
	}
	return first
}

// places turns the counts of parts into where each part's pieces of each order begin, and returns
// the number of all.
func places(counts [][pieceOrders]int) int {
	total := 0
	for order := range pieceOrders {
		for part := range counts {
			n := counts[part][order]
			counts[part][order] = total
			total += n
		}
	}
	return total
}

// chunk shares sorted pieces out to chunks, whose pieces have as many lanes each, from pair on. It returns
// the pair after the last.
func (s *stagedRows) chunk(chunks [][]piece, pieces []piece, pair int) ([][]piece, int) {
	for len(pieces) > 0 {
		log := lanesLog(pieces[0].n)
		n := min(warp>>log, len(pieces))
		for lanesLog(pieces[n-1].n) != log {
			n--
		}
		s.at = append(s.at, int32(8*pair+log))
		pair += ceilDiv(pieces[0].steps(), 2)
		chunks, pieces = append(chunks, pieces[:n]), pieces[n:]
	}
	return chunks, pair
}

// fill sets the targets of a chunk, and the nonzeros of its places.
func (s *stagedRows) fill(chunk int, pieces []piece) {
	lanes := int32(1) << (s.at[chunk] % 8)
	values := s.values[2*warp*int(s.at[chunk]/8) : 2*warp*int(s.at[chunk+1]/8)]
	target := s.target[warp*chunk : warp*(chunk+1)]
	for i := range values {
		values[i] = -1
	}
	for i := range target {
		target[i] = -1
	}
	for i, p := range pieces {
		lane := int32(i) * lanes
		target[lane] = p.target
		step := int32(0)
		for k := p.start; k < p.start+p.n; k += lanes {
			at := step/2*2*warp + 2*lane + step%2
			for j := k; j < min(k+lanes, p.start+p.n); j++ {
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
	eachShare(len(codes), fewSteps, func(_, lo, hi int) {
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
	sums := scratch("staged_sums", int(s.cutFirst[len(s.cutRow)]))
	args := []arg{ints("staged_codes", codes), permuted("staged_values", vals), ints("staged_chunks", s.at),
		ints("staged_targets", s.target), ints("staged_parts", parts), num(len(parts) / 5), num(s.rows), y, sums,
		ints("staged_empty", s.empty), num(len(s.empty)), ptr(vecX)}
	return &recipe{Steps: []step{
		configStep(c, entry, shared, append(args, more...)...),
		threadStep(len(s.cutRow)*warp, smallBlock, c.Kernel+"_sum", sums, y, ints("staged_cut_rows", s.cutRow),
			ints("staged_cut_first", s.cutFirst), num(len(s.cutRow))),
	}}
}
