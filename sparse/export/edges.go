package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// writeEdges writes a line for each entry, row and column from 0 with a tab between.
func writeEdges(w io.Writer, m *sparse.CSR[float64], opt Options) error {
	for line := range strings.Lines(opt.Comment) {
		fmt.Fprintf(w, "# %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(w, "# Nodes: %d Edges: %d\n# FromNodeId\tToNodeId\n", max(m.Rows, m.Cols), m.NNZ())
	var text []byte
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			text = strconv.AppendInt(text[:0], int64(i), 10)
			text = append(text, '\t')
			text = strconv.AppendInt(text, int64(j), 10)
			if _, err := w.Write(append(text, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}
