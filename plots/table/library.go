package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/store"
)

// LibrarySheet compares the fastest configurations with the best of cuSPARSE: a summary of all
// setups, real matrices apart from generated ones, and a table for each setup.
func LibrarySheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "library", Sweep: "against-cusparse", Title: "The fastest beside cuSPARSE", Notes: notes(d,
		"cuSPARSE: the fastest of its algorithms that were measured. ×: how many times as fast as that. Papers: the "+
			"fastest kernel of the papers. Plain: the fastest of this program that reads CSR or COO as it is, without "+
			"a conversion or another order of rows, over cuSPARSE's fastest of that kind. Roof: the bytes of CSR, x "+
			"and y once, divided by the time, as a share of the device's highest bandwidth; above 100% the matrix came from caches, or the kernel reads "+
			"fewer bytes than CSR has. Preparation: in products of the same configuration.")}

	sum := Table{Title: "Geometric means", Columns: Columns("setup", ">matrices", ">× cuSPARSE", ">least",
		">plain × cuSPARSE", ">least", ">papers × cuSPARSE", ">least")}
	for _, setup := range d.Setups() {
		var rows []besideLibrary
		for _, panel := range d.In(setup) {
			if b, ok := besideOf(&panel); ok {
				rows = append(rows, b)
			}
		}
		if len(rows) == 0 {
			continue
		}
		title := d.Words(setup)
		sum.Rows = append(sum.Rows, besideKinds(d, title, rows)...)
		beside := besideTable(title, rows)
		beside.About, beside.Folded = setup, true
		s.Tables = append(s.Tables, beside)
	}
	if len(s.Tables) > 0 {
		s.Tables = append([]Table{sum}, s.Tables...)
	}
	return s
}

// A besideLibrary has the fastest trials of a place. All but the library's and the fastest may be
// missing.
type besideLibrary struct {
	matrix                         string
	vendor, fastest, plain, papers *store.Row
	plainVendor                    *store.Row
}

// besideOf finds them; ok is false without the library or anything else.
func besideOf(p *analysis.Panel) (b besideLibrary, ok bool) {
	own := func(of func(k kernels.Kernel, r *store.Row) bool) *store.Row {
		return p.FastestOf(func(r *store.Row) bool {
			k, _ := kernels.Lookup(r.Kernel)
			return !k.Library() && of(k, r)
		})
	}
	b = besideLibrary{
		matrix:  p.Matrix,
		vendor:  p.CuSPARSE(),
		fastest: own(func(kernels.Kernel, *store.Row) bool { return true }),
		plainVendor: p.FastestOf(func(r *store.Row) bool {
			k, known := kernels.Lookup(r.Kernel)
			return known && k.Library() && k.Plain(r.Config)
		}),
		plain: own(func(k kernels.Kernel, r *store.Row) bool { return k.Plain(r.Config) }),
		papers: own(func(k kernels.Kernel, r *store.Row) bool {
			_, moved := r.Params.Get(kernels.Reorder)
			return len(kernels.Cited(k.Source)) > 0 && !moved
		}),
	}
	return b, b.vendor != nil && b.fastest != nil
}

func besideTable(title string, rows []besideLibrary) Table {
	t := Table{Title: title, Columns: Columns("matrix", "cuSPARSE", ">time (ms)", "?papers", "?>time (ms)",
		"fastest", ">block", ">grid", "parameters", ">time (ms)", ">× cuSPARSE", ">roof (%)", "?>preparation (products)",
		"?plain", "?>time (ms)", "?>× cuSPARSE")}
	for i := range rows {
		b := &rows[i]
		f := b.fastest
		bytes := float64(4*(f.Rows+1)) + float64(4+f.Precision.Bytes())*float64(f.NNZ) +
			float64(f.Precision.Bytes())*float64(f.Rows+f.Cols)
		row := []Cell{Text(b.matrix)}
		row = append(row, namedTime(b.vendor)...)
		row = append(row, namedTime(b.papers)...)
		row = append(row, configuration(f)...)
		row = append(row, timeCell(f), ratioCell(b.vendor, f),
			rateCell(f, 100e-9*bytes/f.Time*f.RoofFraction/f.GBPS), number(f.Prepare/f.Time, 2))
		row = append(row, namedTime(b.plain)...)
		t.Rows = append(t.Rows, append(row, ratioCell(b.plainVendor, b.plain)))
	}
	return t
}

// besideKinds has a row for the real matrices and one for the generated ones, where there are both.
func besideKinds(d *analysis.Data, title string, rows []besideLibrary) [][]Cell {
	made := map[bool][]besideLibrary{}
	for _, b := range rows {
		made[d.Generated(b.matrix)] = append(made[d.Generated(b.matrix)], b)
	}
	if len(made) < 2 {
		return [][]Cell{besideSummary(title, rows)}
	}
	return [][]Cell{besideSummary(title+", real", made[false]), besideSummary(title+", generated", made[true])}
}

// besideSummary has the geometric mean and the least of the ratios over the library.
func besideSummary(title string, rows []besideLibrary) []Cell {
	row := []Cell{Text(title), count(len(rows))}
	for _, of := range []func(*besideLibrary) (base, r *store.Row){
		func(b *besideLibrary) (base, r *store.Row) { return b.vendor, b.fastest },
		func(b *besideLibrary) (base, r *store.Row) { return b.plainVendor, b.plain },
		func(b *besideLibrary) (base, r *store.Row) { return b.vendor, b.papers },
	} {
		var gains []analysis.Gain
		for i := range rows {
			if base, r := of(&rows[i]); base != nil && r != nil {
				g := analysis.Gain{Row: r}
				g.Ratio, g.Low, g.High = analysis.Ratio(base, r)
				gains = append(gains, g)
			}
		}
		if len(gains) == 0 {
			row = append(row, missing, missing)
			continue
		}
		least := slices.MinFunc(gains, func(a, b analysis.Gain) int { return cmp.Compare(a.Ratio, b.Ratio) })
		row = append(row, meanGain(gains), meanGain([]analysis.Gain{least}))
	}
	return row
}

// namedTime is a kernel's name and time.
func namedTime(r *store.Row) []Cell {
	if r == nil {
		return []Cell{Text(term.Missing), missing}
	}
	return []Cell{Text(r.Kernel), timeCell(r)}
}

// PreparationSheet says after how many products the preparation of kernels pays off: two tables
// for each setup.
func PreparationSheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "preparation", Title: "Products until preparation pays off", Notes: notes(d,
		"Each kernel in its fastest configuration. Products: how much more it takes to prepare (conversion, row "+
			"blocks, analysis) than the other, divided by what it saves in each product. Never: it is slower, or "+
			"the data can't tell that it is faster. At once: it takes no more to prepare. cuSPARSE: its fastest algorithm.")}
	for _, setup := range d.Setups() {
		p := preparation{base: d.PlainCSROf(setup.Device)}
		for _, panel := range d.In(setup) {
			if panel.Prepared() {
				p.add(&panel)
			}
		}
		if len(p.rows) > 0 {
			summary, rows := p.summary(d.Words(setup)), p.table(d.Words(setup))
			summary.About, rows.About, rows.Folded = setup, setup, true
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
		row := append([]Cell{Text(r.Matrix)}, configuration(r.Row)...)
		row = append(row, number(1e3*r.Prepare, 3), timeCell(r.Row))
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
		return []Cell{keyed(fmt.Sprintf("0 of %d", n), 0), productsCell(math.Inf(1)), productsCell(math.Inf(1))}
	}
	return []Cell{keyed(fmt.Sprintf("%d of %d", len(paid), n), float64(len(paid))),
		productsCell(math.Ceil(analysis.Middle(paid))), productsCell(paid[len(paid)-1])}
}

// productsCell prints a number of products.
func productsCell(n float64) Cell {
	switch {
	case math.IsNaN(n):
		return missing
	case math.IsInf(n, 1):
		return keyed("never", math.NaN())
	case n == 0:
		return keyed("at once", 0)
	}
	return count(int(min(n, math.MaxInt32)))
}
