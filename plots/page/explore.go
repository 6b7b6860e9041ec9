package page

import (
	"fmt"
	"math"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/tuner/trial"
)

// explored packs what the page explores: a line with the names of columns, and a line for each good trial. The
// columns after the parameters are numbers. Tabs stand between them.
func explored(d *analysis.Data) string {
	matrices := map[string]*trial.Matrix{}
	for i := range d.Matrices {
		matrices[d.Matrices[i].Name] = &d.Matrices[i]
	}
	var b strings.Builder
	b.WriteString("matrix\tprecision\tcache\tdevice\tkernel\tparameters\tblock\tgrid\ttime (ms)\tlow\thigh\tGFLOP/s\tGB/s\t" +
		"preparation (ms)\trows\tcolumns\tnonzeros\tnonzeros a row\tlongest row\n")
	for _, p := range d.Panels {
		for i := range p.Rows {
			r := &p.Rows[i]
			text := []any{r.Matrix, r.Precision, r.Cache, r.Device, r.Kernel, r.Params.String()}
			for k := range text {
				text[k] = strings.Map(oneLine, strings.ReplaceAll(term.Visible(fmt.Sprint(text[k])), "\t", " "))
			}
			fmt.Fprintf(&b, strings.Repeat("%s\t", len(text)), text...)
			m := matrices[r.Matrix]
			if m == nil {
				m = &trial.Matrix{}
			}
			low, high := "", "" // not known
			if r.Another.Low > 0 && !math.IsInf(r.Another.High, 0) {
				low, high = fmt.Sprintf("%.4g", 1e3*r.Another.Low), fmt.Sprintf("%.4g", 1e3*r.Another.High)
			}
			fmt.Fprintf(&b, "%d\t%d\t%.4g\t%s\t%s\t%.4g\t%.4g\t%.4g\t%d\t%d\t%d\t%.4g\t%d\n", r.Block, r.Grid, 1e3*r.Time,
				low, high, r.GFLOPS, r.GBPS, 1e3*r.Prepare, r.Rows, m.Features.Cols, r.NNZ, float64(r.NNZ)/float64(r.Rows),
				m.Features.RowMax)
		}
	}
	return packed(b.String())
}
