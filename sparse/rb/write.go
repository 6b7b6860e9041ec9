package rb

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// Values take 26 columns, 3 a line: 17 digits read back as they were, and a blank is
// between them for readers that do not count columns.
const (
	lineWidth    = 80
	valuesInLine = 3
	valueWidth   = 26
)

// write writes m by columns, as Duff, Grimes and Lewis define it (The
// Rutherford-Boeing sparse matrix collection, RAL-TR-97-031, 1997).
func write(w io.Writer, m *sparse.CSR[float64], opt text.Writing) error {
	t := m.Transpose() // its rows are m's columns
	if opt.Symmetric {
		t = lowerColumns(t)
	}
	kind := []byte("rua")

	switch {
	case opt.Symmetric:
		kind[1] = 's'
	case m.Rows != m.Cols:
		kind[1] = 'r'
	}

	pointers := intLines(len(t.RowPtr), t.NNZ()+1)
	indices := intLines(t.NNZ(), m.Rows)
	values := (t.NNZ() + valuesInLine - 1) / valuesInLine
	valueFormat := fmt.Sprintf("(%dE%d.16)", valuesInLine, valueWidth)
	if opt.Pattern {
		kind[0], values, valueFormat = 'p', 0, ""
	} else {
		for _, v := range t.Val {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("Rutherford-Boeing has no values that are not finite, such as %v", v)
			}
		}
	}

	fmt.Fprintf(w, "%-72s%-8s\n", ascii(opt.Comment, 72), ascii(opt.Name, 8))
	fmt.Fprintf(w, "%14d%14d%14d%14d\n", pointers.lines+indices.lines+values, pointers.lines, indices.lines, values)
	fmt.Fprintf(w, "%-14s%14d%14d%14d%14d\n", kind, m.Rows, m.Cols, t.NNZ(), 0)
	fmt.Fprintf(w, "%-16s%-16s%-20s\n", pointers.format(), indices.format(), valueFormat)
	if err := pointers.write(w, t.RowPtr); err != nil {
		return err
	}

	if err := indices.write(w, t.ColIdx); err != nil || opt.Pattern {
		return err
	}
	var line []byte

	for k, v := range t.Val {
		start := len(line)
		line = flushRight(strconv.AppendFloat(line, v, 'E', 16, 64), start, valueWidth)
		if k%valuesInLine == valuesInLine-1 || k == len(t.Val)-1 {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
			line = line[:0]
		}
	}

	return nil
}

// lowerColumns keeps of each column the entries on and below the diagonal.
func lowerColumns(t *sparse.CSR[float64]) *sparse.CSR[float64] {
	low := &sparse.CSR[float64]{Rows: t.Rows, Cols: t.Cols, RowPtr: []int32{0}}
	for j := range t.Rows {
		rows, values := t.Row(j)
		for k, i := range rows {
			if int(i) >= j {
				low.ColIdx, low.Val = append(low.ColIdx, i), append(low.Val, values[k])
			}
		}
		low.RowPtr = append(low.RowPtr, int32(len(low.ColIdx)))
	}

	return low
}

// ints are lines of integers in columns of a width.
type ints struct{ width, inLine, lines int }

// intLines lays out n integers up to largest, with a blank between them.
func intLines(n, largest int) ints {
	width := len(strconv.Itoa(largest)) + 1
	inLine := lineWidth / width
	return ints{width, inLine, (n + inLine - 1) / inLine}
}

func (l ints) format() string { return fmt.Sprintf("(%dI%d)", l.inLine, l.width) }

// write writes list, which counts from 0, as Fortran does, from 1.
func (l ints) write(w io.Writer, list []int32) error {
	var line []byte
	for k, v := range list {
		start := len(line)
		line = flushRight(strconv.AppendInt(line, int64(v)+1, 10), start, l.width)
		if k%l.inLine == l.inLine-1 || k == len(list)-1 {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
			line = line[:0]
		}
	}

	return nil
}

// flushRight moves what text has from start on to the right end of a column.
func flushRight(text []byte, start, width int) []byte {
	const blanks = "                          " // valueWidth, the widest
	return slices.Insert(text, start, []byte(blanks[:width-(len(text)-start)])...)
}

// ascii returns a title as a card has it: one line of at most width characters.
func ascii(s string, width int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
	return s[:min(len(s), width)]
}
