package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"

	"spmvtune/tuner/stat"
)

// A winnerMap shows, for one setup, how near each kernel comes to the best on each matrix: a table
// of shares, with kernels by falling geometric mean and matrices by row length.
type winnerMap struct {
	tagged
	ID, Title string
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
		if len(c.Contenders) < 2 {
			continue
		}
		m := winnerMap{tagged: tagsOf(s), ID: fmt.Sprintf("winners-%d", len(list)+1), Title: d.Words(s),
			Folded: len(c.Places) > mostUnfolded}
		for i := range c.Contenders {
			k := &c.Contenders[i]
			m.Kernels = append(m.Kernels, mapKernel{k, styles.Kernel(k.Kernel), shareCell(k.Mean)})
			m.Partly = m.Partly || k.Tried < len(c.Places)
		}
		var tips strings.Builder
		for i := range c.Places {
			m.add(d, c, i)
			for k := range c.Contenders {
				fmt.Fprintln(&tips, texts.number(cellTip(c, i, k)))
			}
		}
		m.means(c)
		m.Tips = packed(tips.String())
		list = append(list, m)
	}

	turnOn(d, list)
	return list
}

// add adds the i-th matrix, to the class of its row length.
func (m *winnerMap) add(d *analysis.Data, c *analysis.Contest, i int) {
	r := &c.Places[i].Rows[0]
	mean := float64(r.NNZ) / float64(max(1, r.Rows))
	for k := range d.Matrices {
		if d.Matrices[k].Name == r.Matrix && d.Matrices[k].RowMean > 0 {
			mean = d.Matrices[k].RowMean
		}
	}
	if title := analysis.RowClass(mean); len(m.Classes) == 0 || m.Classes[len(m.Classes)-1].Title != title {
		m.Classes = append(m.Classes, mapClass{Title: title})
	}

	row := mapRow{Matrix: r.Matrix, Length: term.Significant(mean, 3)}
	for k := range c.Contenders {
		row.Cells = append(row.Cells, entryCell(&c.Contenders[k].Entries[i]))
	}
	class := &m.Classes[len(m.Classes)-1]
	class.Rows = append(class.Rows, row)
}

// means gives each class the geometric means of its shares. The highest is marked.
func (m *winnerMap) means(c *analysis.Contest) {
	at := 0
	for i := range m.Classes {
		class := &m.Classes[i]
		best, highest := -1, 0.0
		for k := range c.Contenders {
			var mean stat.GeometricMean
			for _, e := range c.Contenders[k].Entries[at : at+len(class.Rows)] {
				if e.Row != nil {
					mean.Add(e.Share)
				}
			}
			class.Cells = append(class.Cells, shareCell(mean.Value()))
			if mean.Value() > highest {
				best, highest = k, mean.Value()
			}
		}
		if best >= 0 {
			class.Cells[best].Class += " top"
		}
		at += len(class.Rows)
	}
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
