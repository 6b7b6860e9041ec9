package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// formats are what --format takes.
var formats = []string{"table", "csv", "json", "markdown"}

// grid is a table to print: values are string, quantity, int, int64, float64,
// []byte, nil.
type grid struct {
	columns []string
	rows    [][]any
}

// A quantity is a number that is printed already, with its unit.
type quantity string

// write prints g in one of the formats. csv and json keep every digit; in the
// two for people the numbers of a column are rounded alike.
func (g grid) write(w io.Writer, format string) error {
	switch format {
	case "csv":
		return g.csv(w)
	case "json":
		return g.json(w)
	case "markdown":
		_, err := fmt.Fprintln(w, g.pretty().RenderMarkdown())
		return err
	case "table":
		_, err := fmt.Fprintln(w, g.pretty().Render())
		return err
	default:
		return usage(fmt.Errorf("unknown format %q: it is one of %v", format, formats))
	}
}

func (g grid) pretty() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	t.SetStyle(style)
	header := make(table.Row, len(g.columns))
	var configs []table.ColumnConfig
	shorts := make([]func(float64) string, len(g.columns))
	for i, c := range g.columns {
		header[i] = c
		shorts[i] = g.rounding(i)
		if g.numeric(i) {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, row := range g.rows {
		r := make(table.Row, len(row))
		for i, v := range row {
			r[i] = short(v, shorts[i])
		}
		t.AppendRow(r)
	}
	return t
}

// numeric reports whether a column holds numbers, as far as it holds anything.
func (g grid) numeric(column int) bool {
	some := false
	for _, row := range g.rows {
		switch row[column].(type) {
		case int64, float64, int, quantity:
			some = true
		case nil:
		default:
			return false
		}
	}
	return some
}

// rounding returns how the numbers of a column that are no integers are printed:
// with as many decimals as give the smallest of them three digits or, where they
// span too much for that, with powers of ten.
func (g grid) rounding(column int) func(float64) string {
	least, most, whole := math.Inf(1), 0.0, true
	for _, row := range g.rows {
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

// digest matches a hash in full, of which a few digits tell as much.
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

func (g grid) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(g.columns); err != nil {
		return err
	}
	for _, row := range g.rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = full(v)
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// json prints an array of objects whose keys keep the order of the columns.
func (g grid) json(w io.Writer) error {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range g.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  {")
		for j, v := range row {
			if j > 0 {
				b.WriteString(", ")
			}
			if blob, ok := v.([]byte); ok {
				v = string(blob)
			}
			key, err := json.Marshal(g.columns[j])
			if err != nil {
				return err
			}
			value, err := json.Marshal(v)
			if err != nil {
				return fmt.Errorf("column %s: %w", g.columns[j], err)
			}
			b.Write(key)
			b.WriteString(": ")
			b.Write(value)
		}
		b.WriteByte('}')
	}
	b.WriteString("\n]\n")
	_, err := w.Write(b.Bytes())
	return err
}

// writeJSON prints one object or array.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
