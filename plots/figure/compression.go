package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
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
		if m.Nonzeros > 0 && m.RowMean > 0 {
			known = append(known, m)
		}
	}

	switch {
	case len(known) == 0:
		return nil, nil
	case len(known) > mostMatrices.here():
		return []*canvas.Picture{compressionCloud(known)}, nil
	}
	return []*canvas.Picture{compressionPage(known)}, nil
}

// compressionCloud draws more matrices than a page has rows for, over their row length.
func compressionCloud(matrices []store.Matrix) *canvas.Picture {
	var stops []stop
	set := chart.Set{Look: canvas.Look{Color: canvas.SoftColor}}
	lowest := 0.0
	for _, m := range matrices { // by mean row length
		v := savedBy(m)
		lowest = min(lowest, v)
		stops = append(stops, stop{m.Name, m.RowMean})
		set.Points = append(set.Points, chart.Point{X: m.RowMean, Y: v, Low: v, High: v})
	}
	cl := chart.Cloud{Sets: []chart.Set{set}, X: byRowLength.axis(stops, 12), Y: canvas.Shares(lowest, 5)}
	p := &canvas.Picture{Name: "csr-compression", Subtitle: compressionWords, Keys: []canvas.Key{},
		Alt: "share saved on " + term.GroupedCount(len(stops), "matrix", "matrices"), Height: 260}
	entitle(p, savedWords(matrices), compressionTitle)
	p.Body = func(c draw.Canvas) {
		chart.DrawClouds(c, []chart.Cloud{cl}, 1, byRowLength.by, "entries saved")
	}
	return p
}

const (
	compressionTitle = "What CSR saves over COO in the array of rows"
	compressionWords = "1 − rows/nonzeros. Both formats have the same columns and values."
)

// savedBy is the share of the entries of the array of rows that CSR saves.
func savedBy(m store.Matrix) float64 { return 1 - float64(m.Rows)/float64(m.Nonzeros) }

// savedWords states the range of what is saved.
func savedWords(matrices []store.Matrix) string {
	if len(matrices) < 2 {
		return ""
	}
	low, high := 1.0, 0.0
	for _, m := range matrices {
		low, high = min(low, savedBy(m)), max(high, savedBy(m))
	}
	return fmt.Sprintf("CSR saves %s to %s of the row indices", number.Percent3(low), number.Percent3(high))
}

func compressionPage(matrices []store.Matrix) *canvas.Picture {
	b := &chart.Bars{Slots: 1, Columns: []string{""}, Label: "entries that CSR saves in the array of rows",
		Number: number.Percent3}
	names := make([]string, len(matrices))

	lowest := 0.0
	for i, m := range matrices {
		names[i] = m.Name
		v := savedBy(m)
		lowest = min(lowest, v)
		b.Rows = append(b.Rows, chart.BarRow{
			Name: m.Name, Note: number.Significant(m.RowMean, 3) + " per row",
			Cells: [][]chart.Mark{{{Look: canvas.Look{Color: canvas.SoftColor}, V: v, Low: v, High: v,
				Hollow: math.NaN(), Name: m.Name}}},
		})
	}

	b.Axis = canvas.Shares(lowest, 5)
	p := &canvas.Picture{
		Name:     "csr-compression",
		Subtitle: compressionWords + " Matrices by rising mean row length.",
		Alt:      "share saved on " + data.Enumerate(names),
		Height:   b.Height(),
		Body:     b.Draw,
	}
	entitle(p, savedWords(matrices), compressionTitle)
	return p
}
