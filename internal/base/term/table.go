package term

import (
	"io"
	"math"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Formats are the formats of a table.
var Formats = []string{"table", "csv", "json", "markdown"}

// A Table is a table to print. Values are string, Quantity, int, int64, float64, []byte or nil.
type Table struct {
	Columns []string
	Rows    [][]any
	// Less names the columns that a narrow terminal can do without, the first to go first.
	Less []string
}

// A Quantity is a number that is already printed, with its unit.
type Quantity string

// Add appends a row.
func (t *Table) Add(values ...any) { t.Rows = append(t.Rows, values) }

// Write prints t in one of the Formats. CSV and JSON keep every digit; the two formats for
// people round the numbers of a column alike.
func (t Table) Write(w io.Writer, format string) error {
	r, err := NewRows(w, format, t.Columns)
	if err != nil {
		return err
	}
	r.table.Less = t.Less
	for _, row := range t.Rows {
		if err := r.Add(row); err != nil {
			return err
		}
	}
	return r.Close()
}

// Print prints t for people.
func (t Table) Print(w io.Writer) error { return t.Write(w, "table") }

// grid prints the values, texts as escape makes them.
func (t Table) grid(escape func(string) string) *grid {
	g := &grid{}
	for i, c := range t.Columns {
		round := t.rounding(i)
		g.header, g.right = append(g.header, escape(c)), append(g.right, t.numeric(i))
		for k, row := range t.Rows {
			if i == 0 {
				g.rows = append(g.rows, make([]string, len(row)))
			}
			g.rows[k][i] = escape(short(row[i], round))
		}
	}
	return g
}

// pretty lays a grid out.
func (g *grid) pretty() table.Writer {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	out := table.NewWriter()
	out.SetStyle(style)

	header := make(table.Row, len(g.header))
	var configs []table.ColumnConfig
	for i, c := range g.header {
		header[i] = c
		if g.right[i] {
			c := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
			configs = append(configs, c)
		}
	}
	out.AppendHeader(header)
	out.SetColumnConfigs(configs)

	for _, row := range g.rows {
		r := make(table.Row, len(row))
		for i, v := range row {
			r[i] = v
		}
		out.AppendRow(r)
	}
	return out
}

// numeric reports whether a column holds numbers and nothing else.
func (t Table) numeric(column int) bool {
	some := false
	for _, row := range t.Rows {
		switch row[column].(type) {
		case int64, float64, int, Quantity:
			some = true
		case nil:
		default:
			return false
		}
	}

	return some
}

// rounding returns the function that prints the floating-point numbers of a column: with as
// many decimals as give the smallest of them three digits or, if they span too much for that,
// with exponents.
func (t Table) rounding(column int) func(float64) string {
	least, most, whole := math.Inf(1), 0.0, true
	for _, row := range t.Rows {
		v, ok := row[column].(float64)
		if v = math.Abs(v); !ok || v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		least, most = min(least, v), max(most, v)
		whole = whole && v == math.Trunc(v)
	}

	format, decimals := byte('f'), 0
	switch {
	case whole && most < 1e15:
	case least < 1e-4 || most/least >= 1e7:
		format, decimals = 'e', 2
	default:
		decimals = max(0, 2-magnitude(least))
	}

	return func(v float64) string {
		if v == 0 {
			return "0"
		}
		return strconv.FormatFloat(v, format, decimals, 64)
	}
}
