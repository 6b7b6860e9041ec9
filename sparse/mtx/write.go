package mtx

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// Write writes m as a coordinate real general file, by rows, with the lines of
// comment behind the banner. Values have the fewest digits that read back to the
// same value of type V; only the payload of a NaN is lost.
func Write[V sparse.Float](w io.Writer, m *sparse.CSR[V], comment string) error {
	return WriteForm(w, m, Form{}, comment)
}

// A Form says which of the forms of a coordinate file is written. The zero value is
// real and general.
type Form struct {
	Pattern   bool // without values
	Symmetric bool // without the entries above the diagonal, of a symmetric matrix
}

// WriteForm is Write in another form. That m is as the form says is for the caller to
// see to.
func WriteForm[V sparse.Float](w io.Writer, m *sparse.CSR[V], form Form, comment string) error {
	bits := 64
	if any(V(0)) == any(float32(0)) {
		bits = 32
	}
	out := bufio.NewWriterSize(w, 1<<16)
	field, symmetry, entries := "real", "general", m.NNZ()
	if form.Pattern {
		field = "pattern"
	}
	if form.Symmetric {
		symmetry, entries = "symmetric", lower(m)
	}
	fmt.Fprintln(out, "%%MatrixMarket matrix coordinate", field, symmetry)
	if comment != "" {
		for line := range strings.Lines(comment) {
			fmt.Fprintf(out, "%%%s\n", strings.TrimRight(line, "\r\n"))
		}
	}
	fmt.Fprintln(out, m.Rows, m.Cols, entries)

	var text []byte
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if form.Symmetric && int(j) > i {
				break
			}
			text = strconv.AppendInt(text[:0], int64(i)+1, 10)
			text = append(text, ' ')
			text = strconv.AppendInt(text, int64(j)+1, 10)
			if !form.Pattern {
				text = append(text, ' ')
				text = appendValue(text, float64(vals[k]), bits)
			}
			text = append(text, '\n')
			if _, err := out.Write(text); err != nil {
				return fmt.Errorf("writing matrix: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing matrix: %w", err)
	}
	return nil
}

// lower counts the entries on and below the diagonal.
func lower[V sparse.Float](m *sparse.CSR[V]) (n int) {
	for i := range m.Rows {
		cols, _ := m.Row(i)
		on, _ := slices.BinarySearch(cols, int32(min(i+1, sparse.MaxIndex)))
		n += on
	}
	return n
}

// appendValue writes integers without exponent, as readers parse them fastest.
func appendValue(text []byte, v float64, bits int) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendFloat(text, v, 'f', -1, bits)
	}
	return strconv.AppendFloat(text, v, 'g', -1, bits)
}
