// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// An object is one of a JSON text. The other values are []any, string, json.Number, bool and nil.
type object = map[string]any

// Most values of a JSON text that may lie in objects and lists of their own, and all values. Tests change them.
var mostInside, mostValues = 2_000_000, 12_000_000

// parseTree reads a JSON text.
func parseTree(text []byte) (root any, err error) {
	inside, values := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")), bytes.Count(text, []byte(","))
	if inside > mostInside || values > mostValues {
		return nil, errors.New("1: too many values: import the file in pieces")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err = dec.Decode(&root); err == nil && len(bytes.TrimSpace(text[dec.InputOffset():])) > 0 {
		err = errors.New("there is more text after the value")
	}
	if err != nil {
		end := dec.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			end = syntax.Offset
		}
		return nil, fmt.Errorf("%d: %w", 1+bytes.Count(text[:end], []byte("\n")), err)
	}
	return root, nil
}

// get is a field of an object, nil where there is none.
func get(v any, name string) any {
	o, _ := v.(object)
	return o[name]
}

// list are the items of an array.
func list(v any) []any {
	items, _ := v.([]any)
	return items
}

// text is a scalar as text, "" if there is none.
func text(v any) string {
	switch v.(type) {
	case nil, object, []any:
		return ""
	}
	return fmt.Sprint(v)
}

// readMeasured reads a table of times: text, or what a program has written in JSON. features says whether it also has
// the features of matrices.
func readMeasured(f File, names map[string]string, features bool) (*table, error) {
	text, err := io.ReadAll(f.Content)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	trimmed := bytes.TrimSpace(text)
	if !bytes.HasPrefix(trimmed, []byte("{")) {
		return readTable(bytes.NewReader(text), f.Name, names)
	}

	root, err := parseTree(text)
	if err != nil { // a tuning session that goes on, or was killed, has not closed its cache
		if closed, again := parseTree(slices.Concat(bytes.TrimSuffix(trimmed, []byte(",")), []byte("}}"))); again == nil {
			root, err = closed, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", f.Name, err)
	}
	t := &table{file: f.Name, entries: true}
	switch {
	case get(root, "cache") != nil && get(root, "tune_params_keys") != nil:
		t.kernelTuner(root)
	case list(get(root, "results")) != nil && get(root, "schema_version") != nil:
		t.t4(root)
	case get(root, "benchmarks") != nil && get(root, "devices") != nil:
		t.nvbench(root, names, func(column string) bool {
			return slices.Contains(others, column) && column != "params" || features && isFeature(column)
		})
	default:
		return nil, fmt.Errorf("%s is JSON, but neither a cache of Kernel Tuner, nor T4, nor what nvbench writes", f.Name)
	}
	if len(t.rows) > mostRows || len(t.columns) > mostColumns {
		return nil, fmt.Errorf("%s has more than %d rows or %d columns: import it in pieces", f.Name, mostRows, mostColumns)
	}
	t.columns, err = rename(t.columns, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	for row := range t.rows { // nvbench has names of its own
		if precision := map[string]string{"F32": "float32", "F64": "float64"}[t.cell(row, "precision")]; precision != "" {
			t.put(row, "precision", precision)
		}
	}
	return t, nil
}

// put gives the row a value. Rows get their columns as they come.
func (t *table) put(row int, column, value string) {
	i := slices.Index(t.columns, column)
	if i < 0 {
		i = len(t.columns)
		t.columns = append(t.columns, column)
	}
	for len(t.rows[row]) <= i {
		t.rows[row] = append(t.rows[row], "")
	}
	t.rows[row][i] = value
}

// begin adds a row.
func (t *table) begin() (row int) {
	t.rows, t.lines, t.samples = append(t.rows, nil), append(t.lines, len(t.rows)+t.failed+1), append(t.samples, nil)
	return len(t.rows) - 1
}

// constant adds a column with one value, unless the table has it.
func (t *table) constant(column, value string) {
	if value == "" || t.has(column) {
		return
	}
	t.columns = append(t.columns, column)
	for row := range t.rows {
		t.put(row, column, value)
	}
}
