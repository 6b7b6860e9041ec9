// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse"
)

// A table is a text of rows and columns.
type table struct {
	file    string
	columns []string // names of the columns, as this program calls them
	rows    [][]string
	lines   []int // line of each row in the file, or its number where these are entries of JSON
	entries bool
	// samples are those of each row, in seconds, and failed counts rows that have no time. Both are only in JSON.
	samples [][]float64
	failed  int
	errs    []mistake
}

// A mistake is what is wrong in a line of a table.
type mistake struct {
	line int
	error
}

// mostErrors is how many mistakes in a table are told at once.
const mostErrors = 10

// readTable reads rows of fields with commas between them, or tabs where the header has
// one; names says what some columns are called in the file, by our names.
func readTable(r io.Reader, file string, names map[string]string) (*table, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(b.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	first, _, _ := strings.Cut(string(head), "\n")
	c := csv.NewReader(b)
	if strings.Contains(first, "\t") {
		c.Comma = '\t'
	}
	header, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty: its first line must name the columns", file)
	}
	if err != nil {
		return nil, syntax(file, err)
	}

	if len(header) > mostColumns {
		return nil, fmt.Errorf("%s:1: more than %d columns", file, mostColumns)
	}
	t := &table{file: file}
	if t.columns, err = rename(header, names); err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, syntax(file, err)
		}
		line, _ := c.FieldPos(0)
		if len(t.rows) == mostRows {
			return nil, fmt.Errorf("%s:%d: more than %d rows: import it in pieces", file, line, mostRows)
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
}

// syntax tells the line of a mistake in how a table is written.
func syntax(file string, err error) error {
	p, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return fmt.Errorf("reading %s: %w", file, err)
	case errors.Is(p.Err, csv.ErrFieldCount):
		return fmt.Errorf("%s:%d: the number of fields differs from the header's: "+
			"give each column a value, and quote values with commas", file, p.Line)
	default:
		return fmt.Errorf("%s:%d: %w: write quotes in a value twice", file, p.Line, p.Err)
	}
}

// rename gives the columns the names that we know them by.
func rename(header []string, names map[string]string) ([]string, error) {
	columns := lists.Of(header, func(h string) string {
		return strings.TrimSpace(strings.TrimPrefix(h, "\ufeff")) // Excel writes that mark
	})
	for _, ours := range sortedKeys(names) {
		at := slices.Index(columns, names[ours])
		if at < 0 {
			err := fmt.Errorf("no column is called %q, which --column gives for %s", names[ours], ours)
			if near := configs.Nearest(names[ours], columns); near != "" {
				err = fmt.Errorf("%w: did you mean %q?", err, near)
			}
			return nil, err
		}
		if old := slices.Index(columns, ours); old >= 0 && old != at {
			columns[old] = "other " + ours // not used, and reported as such
		}
		columns[at] = ours
	}

	for i, c := range columns {
		if c == "nnz" && !slices.Contains(columns, "nonzeros") {
			columns[i] = "nonzeros"
		}
		if slices.Contains(columns[:i], columns[i]) {
			return nil, fmt.Errorf("two columns are called %q: leave one out", columns[i])
		}
	}

	return columns, nil
}

// has reports whether the table has a column.
func (t *table) has(column string) bool { return slices.Contains(t.columns, column) }

// cell is a value of a row, "" where there is no such column or the row ends before it.
func (t *table) cell(row int, column string) string {
	i := slices.Index(t.columns, column)
	if i < 0 || i >= len(t.rows[row]) {
		return ""
	}
	return strings.TrimSpace(t.rows[row][i])
}

// where is a row in its file.
func (t *table) where(row int) string {
	if t.entries {
		return fmt.Sprintf("%s, entry %d", t.file, t.lines[row])
	}
	return fmt.Sprintf("%s:%d", t.file, t.lines[row])
}

// fail notes a mistake in a row.
func (t *table) fail(row int, format string, args ...any) {
	t.errs = append(t.errs, mistake{t.lines[row], fmt.Errorf("%s: "+format, append([]any{t.where(row)}, args...)...)})
}

// err gives the mistakes in the order of their lines, the first ones of many.
func (t *table) err() error {
	slices.SortStableFunc(t.errs, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
	list := lists.Of(t.errs[:min(len(t.errs), mostErrors)], func(m mistake) error { return m.error })
	if more := len(t.errs) - mostErrors; more > 0 {
		list = append(list, fmt.Errorf("%s: and %d more mistakes", t.file, more))
	}
	return errors.Join(list...)
}

// sizes are the features that every table has to give.
var sizes = []string{"rows", "cols", "nonzeros"}

var featureNames = sparse.FeatureNames()

// features reads the features in a row. It notes what is wrong with them.
func (t *table) features(row int, f *sparse.Features) {
	for _, name := range featureNames {
		if !t.has(name) {
			continue
		}
		text := t.cell(row, name)
		if text == "" {
			t.fail(row, "%s is empty: give it on each line, or leave the column out", name)
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.fail(row, "%s = %q is not a number: write it as 1234 or 12.5", name, text)
		} else if err := f.Set(name, x); err != nil {
			t.fail(row, "%w: docs/database.md says what it means", err)
		}
	}

	if hi, lo := bits.Mul64(uint64(max(f.Rows, 0)), uint64(max(f.Cols, 0))); hi == 0 && uint64(max(f.Nonzeros, 0)) > lo {
		t.fail(row, "%d nonzeros do not fit into %d rows and %d columns", f.Nonzeros, f.Rows, f.Cols)
	}
	if f.Rows > 0 && f.Nonzeros >= 0 {
		mean := float64(f.Nonzeros) / float64(f.Rows)
		if off := math.Abs(f.RowMean - mean); off > 0.01*mean {
			t.fail(row, "row_mean = %v, but nonzeros/rows is %.6g: leave the column out, or correct one of them",
				f.RowMean, mean)
		}
		f.RowMean = mean
	}
}

// isFeature reports whether a column is a feature.
func isFeature(column string) bool { return slices.Contains(featureNames, column) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
