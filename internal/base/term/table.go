// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
)

// Formats are the formats of a table.
var Formats = []string{"table", "csv", "json", "jsonl", "markdown"}

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
	r.Less(t.Less)
	for _, row := range t.Rows {
		if err := r.Add(row); err != nil {
			return err
		}
	}
	return r.Close()
}

// Print prints t for people. Why it could not, if w is of Escaped, is among what is Lost.
func (t Table) Print(w io.Writer) {
	err := t.Write(w, "table")
	if v, ours := w.(*visible); ours {
		v.lost = cmp.Or(err, v.lost)
	}
}

// Grid prints the values, texts as escape makes them.
func (t Table) Grid(escape func(string) string) *Grid {
	g := &Grid{Rows: make([][]string, len(t.Rows))}
	for i, c := range t.Columns {
		round := t.rounding(i)
		g.Columns, g.Right = append(g.Columns, escape(c)), append(g.Right, t.numeric(i))
		for k, row := range t.Rows {
			g.Rows[k] = append(g.Rows[k], escape(short(row[i], round)))
		}
	}
	return g
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

// sized is a writer that knows how wide a table on it may be.
type sized interface{ Columns() int }

// A Page holds what is printed for a terminal of a width; 0: tables have all columns.
type Page struct {
	bytes.Buffer
	Width int
}

// Columns is the width of the page.
func (p *Page) Columns() int { return p.Width }

// Columns returns how many columns a table written to w may have: those of a terminal, or 0 for any number.
func Columns(w io.Writer) int {
	if s, ok := w.(sized); ok {
		return s.Columns()
	}
	size := SizeOf(w)
	if size == nil {
		return 0
	}
	width, _ := size()
	if width <= 0 {
		return narrowest
	}
	return width
}

// narrowest is the width of a terminal that does not tell its own.
const narrowest = 80

// leastText is how many columns of a text are shown at least, and leastName those of a name: a kernel's is never cut
// while a column can go.
const leastText, leastName = 16, 32

// digest matches a hash, of which people see the first digits.
var digest = regexp.MustCompile("^[0-9a-f]{64}$")

// short prints a value for people.
func short(v any, round func(float64) string) string {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) { // as the store's readers give null
			return ""
		}
		return round(v)
	case string:
		if digest.MatchString(v) {
			return v[:12]
		}
		return v
	default:
		return full(v)
	}
}

// full prints a value with every digit.
func full(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

// Rows writes the rows of a table as they come in CSV and JSON, with every digit. The formats for people
// are laid out when all have come.
type Rows struct {
	table  Table // of Rows only in a format for people
	format string
	w      *bufio.Writer
	width  int // of the terminal; 0: of none
	csv    *csv.Writer
	bytes  int
	some   bool
}

// tableBytes are the most that the texts of a table for people have.
const tableBytes = 20_000_000

// NewRows begins a table in one of the Formats: CSV with a line of column names, JSON as an array of
// objects whose keys keep the order of the columns. Close ends it.
func NewRows(w io.Writer, format string, columns []string) (*Rows, error) {
	r := &Rows{table: Table{Columns: columns}, format: format, w: bufio.NewWriter(w), width: Columns(w)}
	switch format {
	case "csv":
		r.csv = csv.NewWriter(r.w)
		return r, r.csv.Write(cells(columns))
	case "json":
		return r, r.w.WriteByte('[')
	case "jsonl":
		return r, nil
	case "markdown", "table":
		return r, nil
	}
	return nil, fmt.Errorf("unknown format %q: must be one of %v", format, Formats)
}

// Add writes a row.
func (r *Rows) Add(row []any) error {
	switch r.format {
	case "csv":
		return r.csv.Write(cells(row))
	case "json":
		separator := ",\n  "
		if !r.some {
			separator = separator[1:]
		}
		r.some = true
		r.w.WriteString(separator)
		return r.object(row)
	case "jsonl":
		return errors.Join(r.object(row), r.w.WriteByte('\n'))
	}

	r.bytes += lists.Sum(row, func(v any) int { return len(Visible(full(v))) })
	if r.bytes > tableBytes {
		return fmt.Errorf("more than %s are too much for a table: --format csv and json take any number",
			Bytes(tableBytes))
	}
	r.table.Rows = append(r.table.Rows, row)
	return nil
}

// cells are the texts of a line of CSV. All CSV that is written goes through here.
func cells[T any](row []T) []string {
	line := make([]string, len(row))
	for i, v := range row {
		line[i] = full(v)
		switch any(v).(type) {
		case string, []byte:
			line[i] = Cell(Visible(line[i])) // also in files, which people print
		}
	}
	return line
}

func (r *Rows) object(row []any) error {
	r.w.WriteByte('{')
	for j, v := range row {
		if j > 0 {
			r.w.WriteString(", ")
		}
		if blob, ok := v.([]byte); ok {
			v = string(blob)
		}
		key, err := json.Marshal(r.table.Columns[j])
		if err != nil {
			return err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("column %s: %w", r.table.Columns[j], err)
		}
		r.w.Write(key)
		r.w.WriteString(": ")
		r.w.Write(value)
	}
	return r.w.WriteByte('}')
}

// Less names the columns that a narrow terminal can do without, see Table.
func (r *Rows) Less(columns []string) { r.table.Less = columns }

// DropEmpty leaves out the columns of a table for people that have no value in any row, and returns their
// names.
func (r *Rows) DropEmpty() (dropped []string) { return r.table.DropEmpty() }

// DropEmpty leaves out the columns that have no value in any row, and returns their names.
func (t *Table) DropEmpty() (dropped []string) {
	for i := len(t.Columns) - 1; i >= 0 && len(t.Rows) > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []any) bool { return full(row[i]) != "" }) {
			continue
		}
		dropped = append(dropped, t.Columns[i])
		t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
	}
	slices.Reverse(dropped)
	return dropped
}

// Close ends the table.
func (r *Rows) Close() error {
	switch r.format {
	case "csv":
		r.csv.Flush()
	case "json":
		r.w.WriteString("\n]\n")
	case "jsonl":
	case "markdown":
		fmt.Fprintln(r.w, r.table.Grid(Markdown).pretty().RenderMarkdown())
	default:
		r.forTerminal()
	}
	return r.w.Flush()
}

// forTerminal lays the table out, as wide as the terminal at most, and says what that leaves out.
func (r *Rows) forTerminal() {
	g := r.table.Grid(Visible)
	var left []string
	if r.width > 0 {
		left = g.fit(r.width, r.table.Less)
	}
	fmt.Fprintln(r.w, g.pretty().Render())
	if len(left) > 0 {
		fmt.Fprintln(r.w, Wrap("(without "+Some(left, 8)+": --wide shows all columns)", r.width, " "))
	}
}

// Within returns the lines of t for people, at most so wide: what does not fit is shortened or left out.
func (t Table) Within(width int) []string {
	g := t.Grid(Visible)
	g.fit(width, t.Less)
	return lists.Of(strings.Split(g.pretty().Render(), "\n"), func(line string) string { return strings.TrimRight(line, " ") })
}
