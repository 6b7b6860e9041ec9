package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// PreparationSheet says after how many products the preparation of kernels pays off: two tables
// for each setup.
func PreparationSheet(d *analysis.Data) Sheet {
	s := Sheet{"preparation", "", "Products until preparation pays off", slices.DeleteFunc([]string{
		analysis.Twins(d.Matrices),
		"Each kernel in its fastest configuration. Products: how much more it takes to prepare (conversion, row " +
			"blocks, analysis) than the other, divided by what it saves in each product. Never: it is slower, or " +
			"the data can't tell that it is faster. At once: it takes no more to prepare. cuSPARSE: its fastest algorithm.",
	}, isEmpty), nil}
	for _, setup := range d.Setups() {
		p := preparation{base: d.PlainCSROf(setup.Device)}
		for _, panel := range d.In(setup) {
			if panel.Prepared() {
				p.add(&panel)
			}
		}
		if len(p.rows) > 0 {
			summary, rows := p.summary(d.Words(setup)), p.table(d.Words(setup))
			summary.About, rows.About = setup, setup
			s.Tables = append(s.Tables, summary, rows)
		}
	}
	return s
}

// A preparation is what preparing pays in one setup.
type preparation struct {
	base   string // the kernel that needs CSR alone, "" if none was measured
	vendor bool   // whether cuSPARSE was measured
	rows   []prepared
}

// A prepared is a kernel on a matrix, with the products after which it pays off; NaN: it is
// compared with nothing there.
type prepared struct {
	*store.Row
	overBase, overLibrary float64
}

func (p *preparation) add(panel *analysis.Panel) {
	base, vendor := panel.Best(p.base), panel.CuSPARSE()
	p.vendor = p.vendor || vendor != nil
	over := func(base, r *store.Row) float64 {
		if base == nil || base.Kernel == r.Kernel {
			return math.NaN()
		}
		return analysis.PaysOff(base, r)
	}
	for _, name := range analysis.KernelsOf([]analysis.Panel{*panel}) {
		r := panel.Best(name)
		p.rows = append(p.rows, prepared{r, over(base, r), over(vendor, r)})
	}
}

// others are the columns of what kernels are compared with.
func (p *preparation) others() (names []string, of []func(*prepared) float64) {
	if p.base != "" {
		names, of = append(names, p.base), append(of, func(r *prepared) float64 { return r.overBase })
	}
	if p.vendor {
		names, of = append(names, "cuSPARSE"), append(of, func(r *prepared) float64 { return r.overLibrary })
	}
	return names, of
}

func (p *preparation) table(title string) Table {
	t := Table{Title: title, Columns: Columns("matrix", "kernel", ">block", ">grid", "parameters",
		">preparation (ms)", ">time (ms)")}
	names, of := p.others()
	for _, name := range names {
		t.Columns = append(t.Columns, Column{Name: "products against " + name, Right: true})
	}
	for i := range p.rows {
		r := &p.rows[i]
		row := []Cell{Text(r.Matrix), Text(r.Kernel), integer(r.Block), integer(r.Grid), Text(r.Params.String()),
			{term.Significant(1e3*r.Prepare, 3), 1e3 * r.Prepare}, timeCell(r.Row)}
		for _, value := range of {
			row = append(row, productsCell(value(r)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// summary says of each kernel on how many matrices it pays off, and after how many products.
func (p *preparation) summary(title string) Table {
	t := Table{Title: "By kernel, " + title, Columns: Columns("kernel")}
	names, of := p.others()
	for _, name := range names {
		t.Columns = append(t.Columns, Columns(">pays off against "+name, ">after products (median)", ">at most")...)
	}

	byKernel := map[string][]*prepared{}
	var order []string
	for i := range p.rows {
		r := &p.rows[i]
		if byKernel[r.Kernel] == nil {
			order = append(order, r.Kernel)
		}
		byKernel[r.Kernel] = append(byKernel[r.Kernel], r)
	}
	analysis.SortKernels(order)
	for _, name := range order {
		row := []Cell{Text(name)}
		for _, value := range of {
			row = append(row, summed(byKernel[name], value)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// summed sums up the products of one kernel.
func summed(rows []*prepared, value func(*prepared) float64) []Cell {
	var paid []float64
	n := 0
	for _, r := range rows {
		x := value(r)
		if math.IsNaN(x) {
			continue
		}
		n++
		if !math.IsInf(x, 1) {
			paid = append(paid, x)
		}
	}
	slices.SortFunc(paid, cmp.Compare[float64])
	switch {
	case n == 0:
		return []Cell{productsCell(math.NaN()), productsCell(math.NaN()), productsCell(math.NaN())}
	case len(paid) == 0:
		return []Cell{{fmt.Sprintf("0 of %d", n), 0}, productsCell(math.Inf(1)), productsCell(math.Inf(1))}
	}
	return []Cell{{fmt.Sprintf("%d of %d", len(paid), n), float64(len(paid))},
		productsCell(math.Ceil(analysis.Middle(paid))), productsCell(paid[len(paid)-1])}
}

// productsCell prints a number of products.
func productsCell(n float64) Cell {
	switch {
	case math.IsNaN(n):
		return Cell{term.Missing, math.NaN()}
	case math.IsInf(n, 1):
		return Cell{"never", math.NaN()}
	case n == 0:
		return Cell{"at once", 0}
	}
	return count(int(min(n, math.MaxInt32)))
}
