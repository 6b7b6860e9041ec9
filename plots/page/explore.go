// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
)

// mostExplored is up to how many trials the page has each. Of more it has each kernel's fastest at each place: a browser
// draws that many in a tenth of a second, and the file has some 30 bytes of each.
const mostExplored = 100_000

// explored packs what the page explores: a line with the names of columns, and a line for each good trial. The
// columns after what a trial says are numbers. Tabs stand between them. It also says what was left out.
func explored(d *analysis.Data) (lines, note string) {
	var b strings.Builder
	b.WriteString("matrix\tprecision\tcache\tdevice\tkernel\tparameters\tsaid\tblock\tgrid\ttime (ms)\tGFLOP/s\tGB/s\t" +
		"preparation (ms)\trows\tcolumns\tnonzeros\tnonzeros a row\tlongest row\n")
	if len(d.Rows) > mostExplored {
		note = fmt.Sprintf("Of %s, the fastest of each kernel on each matrix.", term.Trials(len(d.Rows)))
	}
	for _, p := range d.Panels {
		rows, m := p.Rows, d.Matrix(p.Matrix)
		if note != "" {
			rows = lists.Of(p.Kernels(), func(name string) store.Row { return *p.Best(name) })
		}
		for i := range rows {
			r := &rows[i]
			for _, text := range []any{r.Matrix, r.Precision, r.Cache, r.Device, r.Kernel, r.Params, analysis.TimeWords(r)} {
				b.WriteString(strings.Map(oneLine, strings.ReplaceAll(term.Visible(fmt.Sprint(text)), "\t", " ")) + "\t")
			}
			fmt.Fprintf(&b, "%d\t%d\t%.4g\t%.4g\t%.4g\t%.4g\t%d\t%d\t%d\t%.4g\t%d\n", r.Block, r.Grid, 1e3*r.Time, r.GFLOPS,
				r.GBPS, 1e3*r.Prepare, r.Rows, m.Features.Cols, r.NNZ, float64(r.NNZ)/float64(r.Rows), m.Features.RowMax)
		}
	}
	return packed(b.String()), note
}
