// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"slices"

	"example.org/spmvtune/internal/base/panics"
)

// A segment is a row's part of a panel, or a piece of it, from nonzero begin up to end. Its target is its row or, if that
// has several, the number of rows and a place among the sums of such rows, in the order of their nonzeros.
type segment struct{ begin, end, target int32 }

func (s segment) length() int { return int(s.end - s.begin) }

// cutRows are the rows that are not one segment.
type cutRows struct {
	empty      []int32 // rows without nonzeros
	row, first []int32 // rows of several, and of each its first sum, and at the end the number of sums
}

// A cutter is what a core makes of its rows.
type cutter struct {
	segments   [][]segment // of panels
	rows       int         // of all cores
	sums       int32       // of the rows so far
	empty      []int32     // rows that cut notes
	row, ends  []int32     // rows of several segments, and the sums up to the end of each
	sumsBefore int32       // of the cores before
	before     []int       // of each panel the segments of the cores before
}

// add appends a segment of a row, which may be the whole row.
func (c *cutter) add(panel int, row, begin, end int32, whole bool) {
	if !whole {
		row = int32(c.rows) + c.sums
		c.sums++
	}
	c.segments[panel] = append(c.segments[panel], segment{begin, end, row})
}

// cutAll cuts rows into segments of panels, on all cores. cut adds those of a row.
func cutAll(rows, panels int, cut func(c *cutter, row int32)) ([][]segment, cutRows) {
	cores := make([]cutter, shares(rows, fewSteps))
	panics.Parts(rows, len(cores), func(part, lo, hi int) {
		c := cutter{segments: make([][]segment, panels), rows: rows}
		for i := range c.segments {
			c.segments[i] = make([]segment, 0, (hi-lo)/panels)
		}
		cores[part] = c.all(lo, hi, cut)
	})

	all, counts, sums := cutRows{first: []int32{0}}, make([]int, panels), int32(0)
	for part := range cores {
		c := &cores[part]
		c.sumsBefore, c.before = sums, slices.Clone(counts)
		sums += c.sums
		for i, of := range c.segments {
			counts[i] += len(of)
		}
		all.empty, all.row = append(all.empty, c.empty...), append(all.row, c.row...)
		for _, end := range c.ends {
			all.first = append(all.first, c.sumsBefore+end)
		}
	}
	segments := make([][]segment, panels)
	for i, n := range counts {
		segments[i] = make([]segment, n)
	}
	each(len(cores), 1, func(i int) { cores[i].move(segments) })
	return segments, all
}

// all cuts some rows.
func (c cutter) all(lo, hi int, cut func(c *cutter, row int32)) cutter {
	for row := int32(lo); row < int32(hi); row++ {
		sums := c.sums
		cut(&c, row)
		if c.sums > sums {
			c.row, c.ends = append(c.row, row), append(c.ends, c.sums)
		}
	}
	return c
}

// move puts the segments among those of all cores.
func (c *cutter) move(all [][]segment) {
	for i, of := range c.segments {
		to := all[i][c.before[i]:]
		for k, s := range of {
			if int(s.target) >= c.rows {
				s.target += c.sumsBefore
			}
			to[k] = s
		}
	}
}
