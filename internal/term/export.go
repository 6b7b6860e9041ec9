package term

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
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

// CSV writes t with a line of column names.
func (t Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = full(v)
			if _, text := v.(string); text {
				line[i] = Cell(line[i])
			}
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}

	c.Flush()
	return c.Error()
}

// JSON writes an array of objects whose keys keep the order of the columns.
func (t Table) JSON(w io.Writer) error {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range t.Rows {
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
			key, err := json.Marshal(t.Columns[j])
			if err != nil {
				return err
			}
			value, err := json.Marshal(v)
			if err != nil {
				return fmt.Errorf("column %s: %w", t.Columns[j], err)
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

// WriteJSON prints one object or array.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
