package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"spmvtune/store"
)

// drawCompression draws what CSR saves in the index of rows: 1 − rows/nonzeros. COO
// stores one for every nonzero, CSR one for every row.
func drawCompression(d *data) ([]*page, []error) {
	var known []store.Matrix
	for _, m := range d.matrices {
		if m.Nonzeros > 0 {
			known = append(known, m)
		}
	}
	var list []*page
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

func compressionPage(matrices []store.Matrix) *page {
	b := &bars{slots: 1, columns: []string{""}, label: "entries that CSR saves in the array of rows", number: percent3}
	names := make([]string, len(matrices))
	lowest := 0.0
	for i, m := range matrices {
		names[i] = m.Name
		v := 1 - float64(m.Rows)/float64(m.Nonzeros)
		lowest = min(lowest, v)
		b.rows = append(b.rows, barRow{
			name: m.Name, note: significant(m.RowMean, 3) + " per row",
			cells: [][]mark{{{look: look{Color: softColor}, v: v, low: v, high: v, hollow: math.NaN(), name: m.Name}}},
		})
	}
	b.axis = shares(lowest, 1.08, 5)
	return &page{
		Name:     "csr-compression",
		Title:    "What CSR saves over COO in the array of rows",
		Subtitle: "1 − rows/nonzeros. Columns and values are as many in both formats. Matrices by rising mean row length.",
		Alt:      "share saved on " + enumerate(names),
		height:   b.height(),
		body:     b.draw,
	}
}

// shares is a linear scale of fractions from 0, or below, with about n ticks up to 1
// and room for words up to highest.
func shares(lowest, highest float64, n int) scale {
	s := scale{min: min(0, lowest), max: highest, norm: plot.LinearScale{}}
	step := niceStep(1-s.min, n)
	for i := int(math.Ceil(s.min / step)); float64(i)*step <= 1; i++ {
		v := float64(i) * step
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: percent0(v)})
	}
	return s
}

// percent3 prints a fraction with three digits: "97.4%"; as all only what is all.
func percent3(v float64) string {
	if v < 1 && v >= 0.9995 {
		return ">99.9%"
	}
	return significant(100*v, 3) + "%"
}
