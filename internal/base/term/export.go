package term

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
)

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
func (r *Rows) DropEmpty() (dropped []string) {
	t := &r.table
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
		fmt.Fprintln(r.w, r.table.grid(Markdown).pretty().RenderMarkdown())
	default:
		r.forTerminal()
	}
	return r.w.Flush()
}

// forTerminal lays the table out, as wide as the terminal at most, and says what that leaves out.
func (r *Rows) forTerminal() {
	g := r.table.grid(Visible)
	var left []string
	if r.width > 0 {
		left = g.fit(r.width, r.table.Less)
	}
	fmt.Fprintln(r.w, g.pretty().Render())
	if len(left) > 0 {
		fmt.Fprintln(r.w, Wrap("(without "+Some(left, 8)+": --wide shows all columns)", r.width, " "))
	}
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
