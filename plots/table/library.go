// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
)

// LibrarySheet compares the fastest configurations with the best of cuSPARSE: a summary of all
// setups, real matrices apart from generated ones, and a table for each setup.
func LibrarySheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "library", Title: "The fastest beside cuSPARSE", Notes: notes(d,
		"cuSPARSE: the fastest of its algorithms that were measured. ×: how many times as fast as that. Papers: the "+
			"fastest kernel of the papers. Plain: the fastest of this program that reads CSR or COO as it is, without "+
			"a conversion or another order of rows, over cuSPARSE's fastest of that kind. Roof: the bytes of CSR, x "+
			"and y once, divided by the time, as a share of the device's highest bandwidth; above 100% the matrix came from caches, or the kernel reads "+
			"fewer bytes than CSR has. Preparation: in products of the same configuration.")}

	sum := Table{Title: "Geometric means", Columns: Columns("setup", ">matrices", ">× cuSPARSE", ">least",
		">plain × cuSPARSE", ">least", ">papers × cuSPARSE", ">least")}
	tables := perSetup(d, func(panels []analysis.Panel) Table {
		var rows []besideLibrary
		for i := range panels {
			if b, ok := besideOf(&panels[i]); ok {
				rows = append(rows, b)
			}
		}
		if len(rows) > 0 {
			sum.Rows = append(sum.Rows, besideKinds(d, d.Words(panels[0].Setup()), rows)...)
		}
		return besideTable(rows)
	})
	if len(tables) > 0 {
		s.Tables = append([]Table{sum}, tables...)
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

func besideTable(rows []besideLibrary) Table {
	t := Table{Folded: true, Columns: Columns("matrix", "cuSPARSE", ">time (ms)", "?papers", "?>time (ms)",
		"fastest", ">block", ">grid", "parameters", ">time (ms)", ">× cuSPARSE", ">roof (%)", "?>preparation (products)",
		"?plain", "?>time (ms)", "?>× cuSPARSE")}
	for i := range rows {
		b := &rows[i]
		f := b.fastest
		bytes := float64(4*(f.Rows+1)) + float64(4+f.Precision.Bytes())*float64(f.NNZ) +
			float64(f.Precision.Bytes())*float64(f.Rows+f.Cols)
		t.Rows = append(t.Rows, slices.Concat([]Cell{Text(b.matrix)}, namedTime(b.vendor), namedTime(b.papers), configuration(f),
			[]Cell{timeCell(f), ratioCell(b.vendor, f), rateCell(f, 100e-9*bytes/f.Time*f.RoofFraction/f.GBPS), number(f.Prepare/f.Time, 2)},
			namedTime(b.plain), []Cell{ratioCell(b.plainVendor, b.plain)}))
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
		var gains []stat.Ratio
		least := missing
		for i := range rows {
			if base, r := of(&rows[i]); base != nil && r != nil {
				gains = append(gains, analysis.Ratio(base, r))
				if gain := ratioCell(base, r); len(gains) == 1 || gain.Key < least.Key {
					least = gain
				}
			}
		}
		mean := meanGain(gains)
		if len(gains) == 1 {
			mean = least
		}
		row = append(row, mean, least)
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
	for _, rows := range perSetup(d, func(panels []analysis.Panel) Table { return preparations(d, panels) }) {
		summary := rows
		summary.Title, summary.Folded = "By kernel, "+rows.Title, false
		summary.Columns, summary.Rows = byKernel(&rows)
		s.Tables = append(s.Tables, summary, rows)
	}
	return s
}

// prepared are the columns of the preparation table before those of products.
const prepared = 7

// preparations has each kernel on each matrix, with the products after which it pays off; where it is compared with
// nothing that is missing.
func preparations(d *analysis.Data, panels []analysis.Panel) Table {
	t := Table{Folded: true, Columns: Columns("matrix", "kernel", ">block", ">grid", "parameters", ">preparation (ms)",
		">time (ms)")}
	var bases []func(p *analysis.Panel) *store.Row
	against := func(name string, of func(p *analysis.Panel) *store.Row) {
		t.Columns, bases = append(t.Columns, Columns(">products against "+name)...), append(bases, of)
	}
	if plain := d.PlainCSROf(panels[0].Device); plain != "" {
		against(plain, func(p *analysis.Panel) *store.Row { return p.Best(plain) })
	}
	if slices.ContainsFunc(panels, func(p analysis.Panel) bool { return p.CuSPARSE() != nil }) {
		against("cuSPARSE", (*analysis.Panel).CuSPARSE)
	}
	for i := range panels {
		p := &panels[i]
		if !p.Prepared() {
			continue
		}
		for _, name := range analysis.KernelsOf(panels[i : i+1]) {
			r := p.Best(name)
			row := append([]Cell{Text(r.Matrix)}, configuration(r)...)
			row = append(row, number(1e3*r.Prepare, 3), timeCell(r))
			paid := lists.Of(bases, func(of func(*analysis.Panel) *store.Row) Cell { return productsCell(of(p), r) })
			t.Rows = append(t.Rows, append(row, paid...))
		}
	}
	return t
}

// byKernel says of each kernel of a preparation table on how many matrices it pays off, and after how many products.
func byKernel(t *Table) (columns []Column, rows [][]Cell) {
	columns = Columns("kernel")
	for _, c := range t.Columns[prepared:] {
		columns = append(columns, Columns(">pays off"+strings.TrimPrefix(c.Name, "products"), ">after products (median)",
			">at most")...)
	}
	of := map[string][][]Cell{}
	for _, row := range t.Rows {
		of[row[1].Text] = append(of[row[1].Text], row)
	}
	names := slices.Collect(maps.Keys(of))
	analysis.SortKernels(names)
	for _, name := range names {
		row := []Cell{Text(name)}
		for column := prepared; column < len(t.Columns); column++ {
			row = append(row, summed(of[name], column)...)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// summed sums up a column of products over the rows of one kernel.
func summed(rows [][]Cell, column int) []Cell {
	var paid []float64
	n := 0
	for _, row := range rows {
		if row[column].Text != term.Missing {
			n++
		}
		if !math.IsNaN(row[column].Key) {
			paid = append(paid, row[column].Key)
		}
	}
	if n == 0 {
		return []Cell{missing, missing, missing}
	}
	counted := keyed(fmt.Sprintf("%d of %d", len(paid), n), float64(len(paid)))
	if len(paid) == 0 {
		return []Cell{counted, never, never}
	}
	return []Cell{counted, products(math.Ceil(analysis.Middle(paid))), products(slices.Max(paid))}
}

// never is a cell of a preparation that does not pay.
var never = Text("never")

// productsCell is after how many products r has made up for what it takes more than base to prepare.
func productsCell(base, r *store.Row) Cell {
	if base == nil || base.Kernel == r.Kernel {
		return missing
	}
	return products(analysis.PaysOff(base, r))
}

// products prints a number of products.
func products(n float64) Cell {
	switch {
	case math.IsInf(n, 1):
		return never
	case n == 0:
		return keyed("at once", 0)
	}
	return count(int(min(n, math.MaxInt32)))
}
