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
type object struct {
	line   int // that it begins in
	names  []string
	fields map[string]any
}

// deepest is how many values may lie in each other.
const deepest = 50

// mostValues is how many values there may be, which take some 600 bytes each at most, and mostNumbers how many numbers
// in arrays. Tests change them.
var mostValues, mostNumbers = 2_000_000, 10_000_000

// parseTree reads a JSON text.
func parseTree(text []byte) (any, error) {
	p := &treeParser{text: text, line: 1, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	root, err := p.value(0)
	if err == nil {
		if _, more := p.token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more text after the value")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, p.at(err)
	}
	return root, nil
}

type treeParser struct {
	text   []byte
	dec    *json.Decoder
	seen   int64 // how far lines are counted
	line   int
	values int
	// numbers are those of arrays.
	numbers int
}

// at is an error with its line.
func (p *treeParser) at(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > p.seen {
		p.line += bytes.Count(p.text[p.seen:min(syntax.Offset, int64(len(p.text)))], []byte("\n"))
	}
	return fmt.Errorf("%d: %w", p.line, err)
}

func (p *treeParser) token() (json.Token, error) {
	token, err := p.dec.Token()
	if end := p.dec.InputOffset(); err == nil {
		p.line += bytes.Count(p.text[p.seen:end], []byte("\n"))
		p.seen = end
	}
	return token, err
}

func (p *treeParser) value(depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("values are nested more than %d deep", deepest)
	}
	if p.values++; p.values > mostValues {
		return nil, fmt.Errorf("more than %d values: import the file in pieces", mostValues)
	}
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &object{line: p.line, fields: map[string]any{}}
		for p.dec.More() {
			name, err := p.token()
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			if _, twice := o.fields[key]; twice {
				return nil, fmt.Errorf("%q occurs twice in one object: leave one out", key)
			}
			if o.fields[key], err = p.value(depth + 1); err != nil {
				return nil, err
			}
			o.names = append(o.names, key)
		}
		_, err = p.token() // its end
		return o, err
	case json.Delim('['):
		items := []any{}
		for p.dec.More() {
			item, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if _, is := item.(json.Number); is {
				p.values--
				if p.numbers++; p.numbers > mostNumbers {
					return nil, fmt.Errorf("more than %d numbers in lists: import the file in pieces", mostNumbers)
				}
			}
			items = append(items, item)
		}
		_, err = p.token()
		return items, err
	}
	return token, nil
}

// get is a field of an object, nil where there is none.
func get(v any, name string) any {
	if o, is := v.(*object); is {
		return o.fields[name]
	}
	return nil
}

// list are the items of an array.
func list(v any) []any {
	items, _ := v.([]any)
	return items
}

// text is a scalar as text, "" if there is none.
func text(v any) string {
	switch v.(type) {
	case nil, *object, []any:
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
	t := &table{file: f.Name}
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

// words replaces words of a column by ours.
func (t *table) words(column string, ours map[string]string) {
	for row := range t.rows {
		if word := ours[t.cell(row, column)]; word != "" {
			t.put(row, column, word)
		}
	}
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
