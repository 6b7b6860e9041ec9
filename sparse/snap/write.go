package snap

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"spmvtune/sparse"
	"spmvtune/sparse/internal/text"
)

// write writes a line for each entry, row and column from 0 with a tab between.
func write(w io.Writer, m *sparse.CSR[float64], opt text.Writing) error {
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "# %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(w, "# Nodes: %d Edges: %d\n# FromNodeId\tToNodeId\n", max(m.Rows, m.Cols), m.NNZ())
	var line []byte

	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			line = strconv.AppendInt(line[:0], int64(i), 10)
			line = append(line, '\t')
			line = strconv.AppendInt(line, int64(j), 10)
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}

	return nil
}
