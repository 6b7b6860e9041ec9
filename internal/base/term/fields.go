package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

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
	rows := make([]map[string]any, len(list))
	for i, element := range list {
		rows[i] = map[string]any{}
		err := eachField(element, "", func(name string, value any) {
			if rows[i][name] = value; !slices.Contains(t.Columns, name) {
				t.Columns = append(t.Columns, name)
			}
		})
		if err != nil {
			return t, err
		}
	}
	for _, row := range rows {
		values := make([]any, len(t.Columns))
		for i, name := range t.Columns {
			values[i] = row[name]
		}
		t.Rows = append(t.Rows, values)
	}
	return t, nil
}

// eachField calls add for each value in a text of JSON, in its order. What has no name is called "value".
func eachField(text json.RawMessage, name string, add func(name string, value any)) error {
	if len(text) > 0 && text[0] == '{' {
		return eachMember(text, func(key string, member json.RawMessage) error {
			if name != "" {
				key = name + "." + key
			}
			return eachField(member, key, add)
		})
	}
	if name == "" {
		name = "value"
	}
	value, err := cellOf(text)
	add(name, value)
	return err
}

// eachMember calls do for each member of an object of JSON, in its order.
func eachMember(text json.RawMessage, do func(key string, member json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return err
		}
		if err := do(fmt.Sprint(key), member); err != nil {
			return err
		}
	}
	return nil
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
