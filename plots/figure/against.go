package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/store/compare"
)

// againstFigure shows what a database has over another. It is not in the registry,
// because it needs both databases.
var againstFigure = &Figure{
	ID:    "against",
	Title: "What became faster or slower",
	See: "Bars to the right of 1 became faster. Where a whisker reaches across 1, or the table of changes does " +
		"not list the pair, no difference was shown.",
}

// Against is the figure of the comparison with another database. It has no pictures if nothing
// was compared.
func Against(d *analysis.Data) Drawn {
	if d.Against == nil {
		return Drawn{Figure: againstFigure}
	}
	return Drawn{Figure: againstFigure, Pictures: drawAgainst(d.Against, d.Base)}
}

// drawAgainst draws how many times as fast kernels are as in the other database: a picture for
// each device and cache state, a column for each precision, of the kernels that changed most.
func drawAgainst(r *compare.Result, base string) []*canvas.Picture {
	var pages []*canvas.Picture
	for _, pairs := range grouped(r.Pairs, func(p *compare.Pair) analysis.Condition {
		return analysis.Condition{Device: p.Device, Cache: p.Cache}
	}) {
		at := pairs[0]
		matrices := distinct(pairs, func(p *compare.Pair) string { return p.Matrix })
		pages = append(pages, paged(matrices, mostMatrices.here(), func(part []string) *canvas.Picture {
			p := againstPage(pairs, part, base)
			p.Title = fmt.Sprintf("Against %s: %s cache, %s", base, at.Cache, analysis.ShortDevice(at.Device))
			p.Name, p.About.Cache = canvas.Slug("against", analysis.ShortDevice(at.Device), string(at.Cache)), at.Cache
			return p
		})...)
	}
	return pages
}

func againstPage(pairs []compare.Pair, matrices []string, base string) *canvas.Picture {
	change := map[string]float64{} // the largest of each kernel
	for _, p := range pairs {
		change[p.Kernel] = max(change[p.Kernel], math.Abs(math.Log(p.Ratio.Value)))
	}
	names := distinct(pairs, func(p *compare.Pair) string { return p.Kernel })
	all := len(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(change[b], change[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), mostBars)]
	analysis.SortKernels(names)
	b := &canvas.Bars{Slots: len(names), Label: "times as fast as in " + base, Origin: 1,
		Number: func(v float64) string { return term.Significant(v, 3) + "×" }}
	b.Columns = distinct(pairs, func(p *compare.Pair) string { return string(p.Precision) })
	slices.Sort(b.Columns)

	b.Rows = canvas.NewRows(matrices, nil, len(b.Columns), func(m string, column int) (cell []canvas.Mark) {
		for i := range pairs {
			p := &pairs[i]
			slot := slices.Index(names, p.Kernel)
			if slot < 0 || p.Matrix != m || string(p.Precision) != b.Columns[column] {
				continue
			}
			v, low, high := analysis.Faster(p)
			cell = append(cell, canvas.Mark{Slot: slot, Look: canvas.LookOf(p.Kernel), V: v, Low: low, High: high,
				Hollow: math.NaN(), Name: p.Kernel + " on " + m + ", " + b.Columns[column]})
		}
		return cell
	})

	b.Axis = canvas.Ratios(b.Reach())
	subtitle := "Time in the other database divided by time in this one, each kernel in its fastest configuration " +
		"in each. Whiskers: 95% interval." + someOf(len(names), all, "kernels that changed the most")
	return &canvas.Picture{Subtitle: subtitle, Alt: b.Label + " on " + strings.Join(matrices, ", "),
		Keys:   canvas.KeysOf(names, true),
		Height: b.Height(), Body: b.Draw}
}
