package term

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// pretty lays a grid out.
func (g *Grid) pretty() table.Writer {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	out := table.NewWriter()
	out.SetStyle(style)

	header := make(table.Row, len(g.Columns))
	var configs []table.ColumnConfig
	for i, c := range g.Columns {
		header[i] = c
		if g.Right[i] {
			c := table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
			configs = append(configs, c)
		}
	}
	out.AppendHeader(header)
	out.SetColumnConfigs(configs)

	for _, row := range g.Rows {
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

// leastText is how many columns of a text are shown at least.
const leastText = 16

// A Grid is a table of texts.
type Grid struct {
	Columns []string   `json:"columns"`
	Right   []bool     `json:"right"` // whether a column is of numbers, which stand at the right
	Rows    [][]string `json:"rows"`
}

// width is that of a column.
func (g *Grid) width(column int) int {
	w := text.LongestLineLen(g.Columns[column])
	for _, row := range g.Rows {
		w = max(w, text.LongestLineLen(row[column]))
	}
	return w
}

// total is the width of the whole table: a column has a space on each side.
func (g *Grid) total() int {
	n := 0
	for i := range g.Columns {
		n += g.width(i) + 2
	}
	return n
}

// drop leaves out a column, and says what it is: with its value if that is the same everywhere.
func (g *Grid) drop(column int) string {
	said := g.Columns[column]
	if same := g.Rows[0][column]; same != "" && len(g.Rows) > 1 && len(same) <= leastText &&
		!slices.ContainsFunc(g.Rows, func(row []string) bool { return row[column] != same }) {
		said += " (" + same + ")"
	}
	g.Columns = slices.Delete(slices.Clone(g.Columns), column, column+1)
	g.Right = slices.Delete(slices.Clone(g.Right), column, column+1)
	for i, row := range g.Rows {
		g.Rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	return said
}

// fit makes the table at most so wide, and returns the columns that are left out. First go those of less, in
// that order; then long texts are shortened; then the last columns go.
func (g *Grid) fit(width int, less []string) (left []string) {
	if len(g.Rows) == 0 {
		return nil
	}
	for _, name := range less {
		if i := slices.Index(g.Columns, name); i >= 0 && g.total() > width {
			left = append(left, g.drop(i))
		}
	}
	for g.total() > width && g.shorten(g.total()-width) {
	}
	for g.total() > width && len(g.Columns) > 1 {
		left = append(left, g.drop(len(g.Columns)-1))
	}
	return left
}

// shorten makes the widest column of texts narrower by up to so much. It reports whether it could.
func (g *Grid) shorten(by int) bool {
	widest := -1
	for i := range g.Columns {
		if w := g.width(i); !g.Right[i] && w > max(leastText, text.LongestLineLen(g.Columns[i])) &&
			(widest < 0 || w > g.width(widest)) {
			widest = i
		}
	}
	if widest < 0 {
		return false
	}
	room := max(g.width(widest)-by, leastText, text.LongestLineLen(g.Columns[widest]))
	for _, row := range g.Rows {
		row[widest] = narrowed(row[widest], room)
	}
	return true
}

// narrowed wraps a text of several lines, and cuts the middle out of others: the ends tell names apart.
func narrowed(s string, width int) string {
	if strings.Contains(s, "\n") {
		s = Wrap(strings.Join(strings.Fields(s), " "), width, "")
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > width {
			tail := (width - 1) / 3
			lines[i] = string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
		}
	}
	return strings.Join(lines, "\n")
}

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
		return r, r.csv.Write(columns)
	case "json":
		return r, r.w.WriteByte('[')
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
		return r.object(row)
	}

	for _, v := range row {
		r.bytes += len(Visible(full(v)))
	}
	if r.bytes > tableBytes {
		return fmt.Errorf("more than %s are too much for a table: --format csv and json take any number",
			Bytes(tableBytes))
	}
	r.table.Rows = append(r.table.Rows, row)
	return nil
}

func cells(row []any) []string {
	line := make([]string, len(row))
	for i, v := range row {
		line[i] = full(v)
		switch v.(type) {
		case string, []byte:
			line[i] = Cell(Visible(line[i])) // also in files, which people print
		}
	}
	return line
}

func (r *Rows) object(row []any) error {
	separator := ",\n  {"
	if !r.some {
		separator = separator[1:]
	}
	r.some = true
	r.w.WriteString(separator)
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
	lines := strings.Split(g.pretty().Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// CSV writes t with a line of column names.
func (t Table) CSV(w io.Writer) error { return t.Write(w, "csv") }

// JSON writes an array of objects whose keys keep the order of the columns.
func (t Table) JSON(w io.Writer) error { return t.Write(w, "json") }

// WriteJSON prints one object or array.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Format writes a value in one of the Formats but "table": a Table as it is, anything else as its JSON or, in the
// other formats, as the table that Tabulate makes of that.
func Format(w io.Writer, format string, v any) error {
	t, ok := v.(Table)
	if !ok {
		if format == "json" {
			return WriteJSON(w, v)
		}
		var err error
		if t, err = Tabulate(v); err != nil {
			return err
		}
	}
	return t.Write(w, format)
}

// Tabulate makes a table of a value's JSON: of a list a row for each element, of anything else a row for each field.
// The name of a field within another has a dot. Lists within are texts.
func Tabulate(v any) (Table, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return Table{}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		t := Table{Columns: []string{"name", "value"}}
		return t, eachField(text, "", func(name string, value any) { t.Add(name, value) })
	}

	var t Table
	for _, element := range list {
		row := make([]any, len(t.Columns))
		err := eachField(element, "", func(name string, value any) {
			i := slices.Index(t.Columns, name)
			if i < 0 {
				i = len(row)
				t.Columns, row = append(t.Columns, name), append(row, nil)
			}
			row[i] = value
		})
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, row)
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]any, len(t.Columns)-len(row))...)
	}
	return t, nil
}

// eachField calls add for each value in a text of JSON, in its order. What has no name is called "value".
func eachField(text json.RawMessage, name string, add func(name string, value any)) error {
	if text[0] != '{' {
		value, err := cellOf(text)
		add(cmp.Or(name, "value"), value)
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token()
	for err == nil && d.More() {
		key, _ := d.Token()
		var member json.RawMessage
		if err = d.Decode(&member); err == nil {
			err = eachField(member, strings.TrimPrefix(fmt.Sprintf("%s.%s", name, key), "."), add)
		}
	}
	return err
}

// cellOf returns a value of JSON for a table: of a list of plain values their enumeration.
func cellOf(text json.RawMessage) (any, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case bool:
		return fmt.Sprint(v), nil
	case []any:
		var words []string
		for _, element := range v {
			switch element.(type) {
			case []any, map[string]any:
				return string(text), nil
			}
			words = append(words, fmt.Sprint(element))
		}
		return strings.Join(words, ", "), nil
	}
	return value, nil
}
