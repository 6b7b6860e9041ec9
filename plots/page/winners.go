// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
)

// A winnerMap shows, for one setup, how near each kernel comes to the best on each matrix: a table
// of shares, with kernels by falling geometric mean and matrices by row length.
type winnerMap struct {
	tagged
	ID, Title string
	Device    string
	Kernels   []mapKernel
	Classes   []mapClass
	Partly    bool   // Some kernels were measured on some of the matrices only.
	Folded    bool   // Classes are folded: only their means show until one is opened.
	Tips      string // What the cells of matrices are, row by row; see book.
}

// A mapKernel heads a column.
type mapKernel struct {
	*analysis.Contender
	Tone  string
	Share mapCell // Its geometric mean over the matrices.
}

// A mapClass is a range of row lengths.
type mapClass struct {
	Title string
	Cells []mapCell // The geometric means over the class.
	Rows  []mapRow
}

type mapRow struct {
	Matrix, Length string
	Cells          []mapCell
}

// A mapCell is a share of the best speed. Shade goes from 0, the slowest, to 9, the fastest.
type mapCell struct{ Text, Class string }

// mostUnfolded is the number of matrices up to which a map shows each.
const mostUnfolded = 32

// winnerMaps makes a map for each setup in which kernels compete.
func winnerMaps(d *analysis.Data, styles *canvas.WebStyles, texts *book) []winnerMap {
	var list []winnerMap
	for _, s := range d.Setups() {
		c := analysis.NewContest(d.In(s))
		c.Order(analysis.NewContest(d.Under(s.Condition)))
		if len(c.Contenders) < 2 {
			continue
		}
		m := winnerMap{tagged: tagsOf(s), ID: fmt.Sprintf("winners-%d", len(list)+1), Title: d.Words(s), Device: s.Device,
			Folded: len(c.Places) > mostUnfolded}
		for i := range c.Contenders {
			k := &c.Contenders[i]
			m.Kernels = append(m.Kernels, mapKernel{k, styles.Kernel(k.Kernel), shareCell(k.Mean)})
			m.Partly = m.Partly || k.Tried < len(c.Places)
		}
		var tips strings.Builder
		for i := range c.Places {
			for k := range c.Contenders {
				fmt.Fprintln(&tips, texts.number(cellTip(c, i, k)))
			}
		}
		m.Classes = lists.Of(figure.Classes(d, c), func(class figure.Class) mapClass { return classOf(c, &class) })
		m.Tips = packed(tips.String())
		list = append(list, m)
	}

	turnOn(d, list)
	return list
}

// classOf is a class of the contest with its matrices and their geometric means, the highest of which is marked.
func classOf(c *analysis.Contest, class *figure.Class) mapClass {
	h := mapClass{Title: class.Title}
	best, highest := -1, 0.0
	for k := range c.Contenders {
		mean := figure.MeanShare(&c.Contenders[k], class.Places)
		h.Cells = append(h.Cells, shareCell(mean))
		if mean > highest {
			best, highest = k, mean
		}
	}
	if best >= 0 {
		h.Cells[best].Class += " top"
	}
	for i, place := range class.Places {
		cells := lists.Of(c.Contenders, func(k analysis.Contender) mapCell { return entryCell(&k.Entries[place]) })
		h.Rows = append(h.Rows, mapRow{c.Places[place].Matrix, term.Significant(class.RowMeans[i], 3), cells})
	}
	return h
}

// entryCell is a kernel on a matrix.
func entryCell(e *analysis.Entry) mapCell {
	cell := shareCell(e.Share)
	switch {
	case e.Row == nil:
		return mapCell{Text: term.Missing}
	case e.Named:
		cell.Class += " best"
	case e.Tied:
		cell.Text = "=" + cell.Text
		cell.Class += " tied"
	}
	return cell
}

// shades are the lowest shares of the shades from 1 on.
var shades = [...]float64{0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99}

// shareCell prints a share in percent.
func shareCell(share float64) mapCell {
	if math.IsNaN(share) {
		return mapCell{Text: term.Missing}
	}
	shade := 0
	for i, low := range shades {
		if share >= low {
			shade = i + 1
		}
	}
	return mapCell{Text: term.OfBest(share), Class: "h" + strconv.Itoa(shade)}
}

// cellTip says what a cell is, beside the share that stands in it.
func cellTip(c *analysis.Contest, place, kernel int) string {
	s := &c.Contenders[kernel]
	if row := s.Entries[place].Row; row != nil {
		return analysis.About(row)
	}
	return s.Kernel + ", " + c.Places[place].Matrix + ": not measured"
}
