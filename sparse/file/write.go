// SPDX-License-Identifier: Apache-2.0

package file

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse"
)

// Writing says what is known of a matrix that is written, beside its entries.
type Writing struct {
	// Name and Comment stand in the header, where the format has one.
	Name, Comment string
	// Pattern says that all values are 1; they are left out where the format allows it.
	Pattern bool
	// Symmetric says that the entries are the lower triangle of a symmetric matrix.
	Symmetric bool
}

// WriteEntries writes a line for each entry, by rows: row and column, counted from least, and, unless opt says that it is
// 1, the value. It has the fewest digits that read back to the same value, and integers have no exponent, as readers
// parse them fastest.
func writeEntries(w io.Writer, m *sparse.CSR[float64], least int64, between byte, opt Writing) error {
	var line []byte
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			line = append(strconv.AppendInt(line[:0], int64(i)+least, 10), between)
			line = strconv.AppendInt(line, int64(j)+least, 10)
			if !opt.Pattern {
				v, form := vals[k], byte('g')
				if v == math.Trunc(v) && math.Abs(v) < 1e15 {
					form = 'f'
				}
				line = strconv.AppendFloat(append(line, between), v, form, -1, 64)
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Form is a format that matrices are written in, plain or gzipped.
type Form struct {
	// Extension is that of the file, with the dot.
	Extension string
	// Doc says what the form is.
	Doc string
	// Loses is what the form can't hold, "" for nothing.
	Loses string

	format format
	gzip   bool
}

// Forms are all forms that matrices are written in. A format that can't hold a matrix
// whole is among them where users expect it, and Loses says what is lost.
var Forms = func() (all []Form) {
	for _, f := range formats {
		if f.Write == nil {
			continue
		}
		form := Form{Extension: f.Extensions[0], Doc: f.Name, Loses: f.Loses, format: f}
		if f.Doc != "" {
			form.Doc += ", " + f.Doc
		}
		all = append(all, form)
		if !f.Packed {
			form.Extension, form.Doc, form.gzip = form.Extension+".gz", f.Name+", gzipped", true
			all = append(all, form)
		}
	}
	return all
}()

// FormOf returns the form that belongs to the extension of a file's name.
func FormOf(path string) (f Form, known bool) {
	return lists.First(Forms, func(f Form) bool { return strings.HasSuffix(strings.ToLower(path), f.Extension) })
}

// Write writes m to a stream. Values that the form can't express are refused, and so is a triangle of a matrix that is
// not symmetric.
func (f Form) Write(w io.Writer, m *sparse.CSR[float64], opt Writing) error {
	switch {
	case opt.Symmetric && !f.format.Triangle:
		return fmt.Errorf("a %s file can't store a symmetric matrix as a triangle", f.Extension)
	case opt.Symmetric && m.Hash() != m.Transpose().Hash():
		return errors.New("the matrix is not symmetric: it is not equal to its transpose")
	case opt.Symmetric:
		m = lower(m)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if !f.gzip {
		return cmp.Or(f.format.Write(out, m, opt), out.Flush())
	}
	z := gzip.NewWriter(out)
	return cmp.Or(f.format.Write(z, m, opt), z.Close(), out.Flush())
}

// lower returns the entries on and below the diagonal.
func lower(m *sparse.CSR[float64]) *sparse.CSR[float64] {
	low := &sparse.CSR[float64]{Rows: m.Rows, Cols: m.Cols, RowPtr: []int32{0}}
	for i := range m.Rows {
		cols, values := m.Row(i)
		n, _ := slices.BinarySearch(cols, int32(min(i+1, sparse.MaxIndex)))
		low.ColIdx, low.Val = append(low.ColIdx, cols[:n]...), append(low.Val, values[:n]...)
		low.RowPtr = append(low.RowPtr, int32(len(low.ColIdx)))
	}
	return low
}
