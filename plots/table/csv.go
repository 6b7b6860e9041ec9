package table

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"

	"spmvtune/internal/base/term"
)

// csv prints all digits of numbers. Columns whose numbers have intervals are followed by those of
// their ends. Tables with the same columns become one, with the title of each in the first column.
// Others follow after an empty line.
func (s *Sheet) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b) // a bytes.Buffer takes everything

	var header []string
	for i := range s.Tables {
		t := &s.Tables[i]
		unsure := s.unsure(t)
		if columns := t.header(unsure); !slices.Equal(columns, header) {
			if w.Flush(); header != nil {
				b.WriteByte('\n')
			}
			header = columns
			w.Write(header)
		}
		for r := range t.Rows {
			w.Write(t.line(r, unsure))
		}
	}

	w.Flush()
	return b.Bytes()
}

// unsure tells which columns of a table have intervals, there or in another table of the sheet with
// as many columns.
func (s *Sheet) unsure(t *Table) map[int]bool {
	columns := map[int]bool{}
	for i := range s.Tables {
		if len(s.Tables[i].Columns) == len(t.Columns) {
			for at := range s.Tables[i].intervals {
				columns[at.column] = true
			}
		}
	}
	return columns
}

func (t *Table) header(unsure map[int]bool) []string {
	names := []string{"table"}
	for i, c := range t.Columns {
		names = append(names, c.Name)
		if unsure[i] {
			names = append(names, c.Name+" low", c.Name+" high")
		}
	}
	return names
}

func (t *Table) line(row int, unsure map[int]bool) []string {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	cells := []string{term.Cell(t.Title)}
	for i, c := range t.Rows[row] {
		switch {
		case c.Text == term.Missing:
			cells = append(cells, "")
		case t.Columns[i].Right && !math.IsNaN(c.Key):
			cells = append(cells, exact(c.Key))
		default:
			cells = append(cells, term.Cell(c.Text))
		}
		if !unsure[i] {
			continue
		}
		if of, known := t.intervals[spot{row, i}]; known {
			cells = append(cells, exact(of.low), exact(of.high))
		} else {
			cells = append(cells, "", "")
		}
	}
	return cells
}
