// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

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
