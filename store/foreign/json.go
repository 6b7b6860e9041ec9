package foreign

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

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
	t := &table{file: f.Name}
	switch {
	case root.get("cache") != nil && root.get("tune_params_keys") != nil:
		t.kernelTuner(root)
	case root.get("benchmarks") != nil && root.get("devices") != nil:
		t.nvbench(root, names, func(column string) bool {
			return slices.Contains(others, column) && column != "params" || features && isFeature(column)
		})
	default:
		return nil, fmt.Errorf("%s is JSON, but neither a cache of Kernel Tuner nor what nvbench writes", f.Name)
	}
	if len(t.rows) > mostRows || len(t.columns) > mostColumns {
		return nil, fmt.Errorf("%s has more than %d rows or %d columns: import it in pieces", f.Name, mostRows, mostColumns)
	}
	t.columns, err = rename(t.columns, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	t.words("precision", map[string]string{"F32": "float32", "F64": "float64"})
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

// begin adds a row that begins in a line.
func (t *table) begin(line int) (row int) {
	t.rows, t.lines, t.samples = append(t.rows, nil), append(t.lines, line), append(t.samples, nil)
	return len(t.rows) - 1
}

// square gives all rows as many cells as there are columns.
func (t *table) square() {
	for i := range t.rows {
		for len(t.rows[i]) < len(t.columns) {
			t.rows[i] = append(t.rows[i], "")
		}
	}
}

// words replaces words of a column by ours.
func (t *table) words(column string, ours map[string]string) {
	i := slices.Index(t.columns, column)
	for _, row := range t.rows {
		if i >= 0 && ours[row[i]] != "" {
			row[i] = ours[row[i]]
		}
	}
}

// constant adds a column with one value, unless the table has it.
func (t *table) constant(column, value string) {
	if value == "" || t.has(column) {
		return
	}
	t.columns = append(t.columns, column)
	for i := range t.rows {
		t.rows[i] = append(t.rows[i], value)
	}
}
