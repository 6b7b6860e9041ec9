package mtx

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

// write writes m as a coordinate file, by rows, with the lines of the comment behind the
// banner. Values have the fewest digits that read back to the same value; only the payload
// of a NaN is lost.
func write(w io.Writer, m *sparse.CSR[float64], opt text.Writing) error {
	field, symmetry, entries := "real", "general", m.NNZ()
	if opt.Pattern {
		field = "pattern"
	}
	if opt.Symmetric {
		symmetry, entries = "symmetric", lower(m)
	}

	fmt.Fprintln(w, "%%MatrixMarket matrix coordinate", field, symmetry)
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "%%%s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintln(w, m.Rows, m.Cols, entries)

	var line []byte
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if opt.Symmetric && int(j) > i {
				break
			}
			line = strconv.AppendInt(line[:0], int64(i)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			if !opt.Pattern {
				line = append(line, ' ')
				line = appendValue(line, vals[k])
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}

	return nil
}

// lower counts the entries on and below the diagonal.
func lower(m *sparse.CSR[float64]) (n int) {
	for i := range m.Rows {
		cols, _ := m.Row(i)
		on, _ := slices.BinarySearch(cols, int32(min(i+1, sparse.MaxIndex)))
		n += on
	}
	return n
}

// appendValue writes integers without exponent, as readers parse them fastest.
func appendValue(text []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendFloat(text, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(text, v, 'g', -1, 64)
}
