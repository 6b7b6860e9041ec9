package mtx

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// Write writes m as a coordinate real general file, by rows, with the lines of
// comment behind the banner. Values have the fewest digits that read back to the
// same value of type V; only the payload of a NaN is lost.
func Write[V sparse.Float](w io.Writer, m *sparse.CSR[V], comment string) error {
	bits := 64
	if any(V(0)) == any(float32(0)) {
		bits = 32
	}
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintln(out, "%%MatrixMarket matrix coordinate real general")
	if comment != "" {
		for line := range strings.Lines(comment) {
			fmt.Fprintf(out, "%%%s\n", strings.TrimRight(line, "\r\n"))
		}
	}
	fmt.Fprintln(out, m.Rows, m.Cols, m.NNZ())

	var text []byte
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			text = strconv.AppendInt(text[:0], int64(i)+1, 10)
			text = append(text, ' ')
			text = strconv.AppendInt(text, int64(j)+1, 10)
			text = append(text, ' ')
			text = appendValue(text, float64(vals[k]), bits)
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

// appendValue writes integers without exponent, as readers parse them fastest.
func appendValue(text []byte, v float64, bits int) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendFloat(text, v, 'f', -1, bits)
	}
	return strconv.AppendFloat(text, v, 'g', -1, bits)
}
