package table

import (
	"cmp"
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
	s := Sheet{"library", "against-cusparse", "The fastest beside cuSPARSE", slices.DeleteFunc([]string{
		analysis.Twins(d.Matrices),
		"cuSPARSE: the fastest of its algorithms that were measured. ×: how many times as fast as that. Papers: the " +
			"fastest kernel of the papers. Plain: the fastest of this program that reads CSR or COO as it is, without " +
			"a conversion or another order of rows, over cuSPARSE's fastest of that kind. Roof: the bytes of CSR, x " +
			"and y once, divided by the time, as a share of the device's highest bandwidth; above 100% the matrix came from caches, or the kernel reads " +
			"fewer bytes than CSR has. Preparation: in products of the same configuration.",
	}, isEmpty), nil}

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
		beside.About = setup
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
		row = append(row, Text(f.Kernel), integer(f.Block), integer(f.Grid), Text(f.Params.String()), timeCell(f),
			ratioCell(b.vendor, f), rateCell(f, 100e-9*bytes/f.Time*f.RoofFraction/f.GBPS), whole(f.Prepare/f.Time))
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
			row = append(row, whole(math.NaN()), whole(math.NaN()))
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
		return []Cell{Text(term.Missing), {term.Missing, math.NaN()}}
	}
	return []Cell{Text(r.Kernel), timeCell(r)}
}

// whole prints a number without its fraction.
func whole(v float64) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{term.Missing, math.NaN()}
	}
	return Cell{term.Significant(v, 2), v}
}
