package figure

import (
	"fmt"
	"math"

	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// drawCompression draws the share that CSR saves in the array of rows: 1 − rows/nonzeros. COO
// stores an index for every nonzero, CSR one for every row.
func drawCompression(d *data.Report) ([]*canvas.Picture, []error) {
	var known []store.Matrix
	for _, m := range d.Matrices {
		if m.Nonzeros > 0 {
			known = append(known, m)
		}
	}

	var list []*canvas.Picture
	pages := (len(known) + mostMatrices - 1) / mostMatrices
	for n := range pages {
		p := compressionPage(known[n*mostMatrices : min(len(known), (n+1)*mostMatrices)])
		if pages > 1 {
			p.Name += fmt.Sprintf("-%d", n+1)
			p.Title += fmt.Sprintf(" (%d of %d)", n+1, pages)
		}
		list = append(list, p)
	}

	return list, nil
}

func compressionPage(matrices []store.Matrix) *canvas.Picture {
	b := &chart.Bars{Slots: 1, Columns: []string{""}, Label: "entries that CSR saves in the array of rows",
		Number: number.Percent3}
	names := make([]string, len(matrices))

	lowest := 0.0
	for i, m := range matrices {
		names[i] = m.Name
		v := 1 - float64(m.Rows)/float64(m.Nonzeros)
		lowest = min(lowest, v)
		b.Rows = append(b.Rows, chart.BarRow{
			Name: m.Name, Note: number.Significant(m.RowMean, 3) + " per row",
			Cells: [][]chart.Mark{{{Look: canvas.Look{Color: canvas.SoftColor}, V: v, Low: v, High: v,
				Hollow: math.NaN(), Name: m.Name}}},
		})
	}

	b.Axis = canvas.Shares(lowest, 1.08, 5)
	return &canvas.Picture{
		Name:  "csr-compression",
		Title: "What CSR saves over COO in the array of rows",
		Subtitle: "1 − rows/nonzeros. Both formats have the same columns and values. Matrices by rising mean row " +
			"length.",
		Alt:    "share saved on " + data.Enumerate(names),
		Height: b.Height(),
		Body:   b.Draw,
	}
}
