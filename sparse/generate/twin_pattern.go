// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"math"
	"slices"
)

// A pattern says which columns a row's entries take, once it is known how many there
// are. A row is made of runs of consecutive columns. A run is shared by some
// consecutive rows, in which it stays in its columns or moves along the diagonal.
type pattern struct {
	Run   float64 // mean columns in a run: neighbour rate is 2·(1 − 1/run)
	Keep  float64 // mean rows that share a run: row similarity is about 1 − 1/keep
	Drift float64 // share of runs that move along the diagonal

	Near  float64 // columns from the diagonal within which runs lie
	Far   float64 // share of runs that lie anywhere within reach
	Reach float64 // columns from the diagonal, at full size

	Popular float64 // above 0: runs that are far start at column cols·u^(1+popular), u uniform, scattered
	Attract bool    // runs that are far start at a row drawn by its length (symmetric twins)

	// Above 0: runs lie in clusters of about as many. Of these, a run is at least r columns
	// long with probability r^−tail, up to longestRun, and a gap before the next at least g
	// columns wide with g^−gap, up to widestGap. run and near are not used.
	Cluster   float64
	Tail, Gap float64

	Slack    bool // the last columns, as many as there are rows, are the identity
	Diagonal bool // every row has its diagonal entry
	Regular  bool // symmetric twins: runs lie at the same distances in all rows
}

// block is the rows of a regular pattern's dense blocks.
func (p *pattern) block() int {
	if p.Drift == 1 {
		return 1
	}
	return max(1, int(math.Round(p.Run)))
}

// A filler makes the rows of a pattern, each without the others.
type filler struct {
	pattern
	src        source
	rows, cols int
	lower      bool    // columns left of the diagonal only
	scale      float64 // of near and reach

	avoid int // a column for no run; none: there is no such column

	hub     float64 // share of rows that have an entry in column 0
	stretch int     // rows that have it or not together

	offsets []int32 // attract: where rows start
}

// fill makes row i: len(columns) distinct columns, increasing.
func (f *filler) fill(i int, columns []int32) {
	if len(columns) == 0 {
		return
	}
	lo, hi, center := 0, f.cols, i
	if structural := f.cols - f.rows; f.Slack && len(columns) <= structural {
		last := len(columns) - 1
		columns[last] = int32(structural + i)
		columns, hi = columns[:last], structural
	}
	if f.rows != f.cols {
		center = int(int64(i) * int64(f.cols) / int64(f.rows))
	}

	if f.lower {
		hi = i
	}
	if len(columns) >= hi-lo {
		run(columns[:0], lo, len(columns))
		return
	}

	row := columns[:0]
	if f.hubRow(i) && hi > 0 {
		row = append(row, 0)
	}
	if f.Diagonal && !f.lower && len(row) < len(columns) && (len(row) == 0 || center != 0) {
		row = append(row, int32(center))
	}

	switch {
	case f.Regular:
		row = f.lattice(row, len(columns), i)
	case f.Cluster > 0:
		row = f.filled(row, len(columns), i, func(row []int32, _ int, s *stream) []int32 {
			return f.runs(row, len(columns), int(s.unit()*float64(hi)), hi, s)
		})
	default:
		row = f.scattered(row, len(columns), i, lo, hi, center)
	}
	f.complete(row, columns, lo, hi, center)
}

// hubRow reports whether row i meets the hub; such rows form evenly spread stretches.
func (f *filler) hubRow(i int) bool {
	if f.hub == 0 {
		return false
	}
	t := float64(i / f.stretch)
	return math.Floor((t+1)*f.hub) > math.Floor(t*f.hub)
}

// distinct sorts a row and drops duplicates.
func distinct(row []int32) []int32 {
	slices.Sort(row)
	return slices.Compact(row)
}

// complete fills a row that runs over each other have left short with the free columns
// that are nearest below center, then above.
func (f *filler) complete(row, columns []int32, lo, hi, center int) {
	row = distinct(row)
	have := row
	add := func(j int) {
		if j == f.avoid {
			return
		}
		if _, there := slices.BinarySearch(have, int32(j)); !there {
			row = append(row, int32(j))
		}
	}

	for j := min(center, hi-1); j >= lo && len(row) < len(columns); j-- {
		add(j)
	}
	for j := max(lo, center+1); j < hi && len(row) < len(columns); j++ {
		add(j)
	}

	if len(row) < len(columns) {
		row = append(row, int32(f.avoid)) // after all
	}
	slices.Sort(row)
}

// filled draws what the slots of row i hold, one after the other, until the row has most entries. draw is given the first
// of the rows that share a slot, and the slot's stream.
func (f *filler) filled(row []int32, most, i int, draw func(row []int32, first int, s *stream) []int32) []int32 {
	for slot := 0; len(row) < most && slot <= 4*most+16; slot++ {
		first, s := f.shared(i, slot)
		if row = draw(row, first, &s); len(row) == most {
			row = distinct(row)
		}
	}
	return row
}

// put appends n columns from start on, of those that lie between lo and hi, until the row has most entries.
func (f *filler) put(row []int32, most, start, n, lo, hi int) []int32 {
	for j := start; j < start+n && len(row) < most; j++ {
		if j >= lo && j < hi && j != f.avoid {
			row = append(row, int32(j))
		}
	}
	return row
}

// scattered appends runs at random places.
func (f *filler) scattered(row []int32, most, i, lo, hi, center int) []int32 {
	// Rows that are long for the window would find it full.
	near := max(f.Near*f.scale, 2*float64(most), 1)
	if f.Far < 1 && f.Far > 0 {
		near = max(f.Near*f.scale, 2*(1-f.Far)*float64(most), 1)
	}
	reach := max(f.Reach*f.scale, near)

	return f.filled(row, most, i, func(row []int32, first int, s *stream) []int32 {
		from := center
		if s.unit() > f.Drift {
			from = first
			if f.rows != f.cols {
				from = int(int64(first) * int64(f.cols) / int64(f.rows))
			}
		}

		u, length := s.unit(), int(f.Run+1-s.unit())
		var start int
		switch {
		case s.unit() > f.Far:
			start = f.around(from, u, near)
		case f.Attract:
			start = f.owner(int(u*float64(f.offsets[max(first, 1)])), i)
		case f.Popular > 0:
			rank := int(float64(f.cols) * math.Pow(u, 1+f.Popular))
			start = int(mix(uint64(rank)*golden+1) % uint64(f.cols))
		default:
			start = f.around(from, u, reach)
		}

		return f.put(row, most, start, length, lo, hi)
	})
}

// shared returns the stream that says where the slot-th part of row i lies, and the first
// of the rows that share it.
func (f *filler) shared(i, slot int) (first int, s stream) {
	own := f.src.at(uint64(slot) | 1<<40)
	height := 1
	if f.Keep > 1 { // rounded at random, slot by slot
		height = int(f.Keep + unitOf(own>>20))
	}
	first = i - (i+int(own%uint64(height)))%height
	return first, f.src.stream(uint64(first+height)<<20 ^ uint64(slot))
}

// around picks a column within distance of one, or to the left of it.
func (f *filler) around(column int, u, distance float64) int {
	if f.lower {
		return column - 1 - int(u*distance)
	}
	return column + int(math.Round((2*u-1)*distance))
}

func unitOf(r uint64) float64 { return float64(r&(1<<40-1)) * 0x1p-40 }

// owner returns the row before i that holds entry e.
func (f *filler) owner(e, i int) int {
	lo, hi := 0, i
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); int(f.offsets[mid+1]) <= e {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// lattice appends runs that lie at the same distances from the diagonal in all rows,
// so that a column has as many entries below the diagonal as the rows around it: the
// rest of the row's dense block, dense blocks to the left of it, and in the places after
// theirs runs that move along the diagonal. A place keeps its distance where a slowly
// growing row turns its run into a block.
func (f *filler) lattice(row []int32, most, i int) []int32 {
	put := func(start, n int) { row = f.put(row, most, start, n, 0, i) }
	block := f.block()
	first := i - i%block
	put(first, i-first)
	rest := most - (i - first)
	blocks := 0
	if block > 1 {
		blocks = max(0, int((1-f.Drift)*float64(rest)/float64(block)))
	}

	step := max(block, int(math.Ceil(f.Run)))
	distance := func(place int) int {
		if place == 0 { // the farthest
			return max(2, int(f.Reach*f.scale)/step) * step
		}
		return 3 * place * step
	}

	for b := range blocks {
		put(first-distance(b), block)
	}
	rest -= blocks * block
	runs := max(1, int(math.Round(float64(rest)/f.Run)))
	for q := range runs {
		put(i-distance(blocks+q), (q+1)*rest/runs-q*rest/runs)
	}

	return row
}

const (
	longestRun = 256
	widestGap  = 4096
)

// runs appends a cluster of runs from start on, as far as they lie below hi and the row has
// less than most entries. A row of clusters at random places is what a row of a set covering problem looks like whose
// columns are enumerated depth first, so that neighbouring columns share most rows.
func (f *filler) runs(row []int32, most, start, hi int, s *stream) []int32 {
	for range int(1 + 2*f.Cluster*s.unit()) {
		end := min(start+heavy(s.unit(), f.Tail, longestRun), hi)
		for ; start < end && len(row) < most; start++ {
			row = append(row, int32(start))
		}

		start = end + heavy(s.unit(), f.Gap, widestGap)
		if start >= hi || len(row) == most {
			break
		}
	}
	return row
}

// heavy turns u, uniform in (0, 1], into a whole number that is at least n with probability
// n^−exponent, and at most most.
func heavy(u, exponent float64, most int) int {
	return int(min(math.Pow(u, -1/exponent), float64(most)))
}
