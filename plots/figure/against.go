package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
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
func Against(d *data.Report) Drawn {
	if d.Against == nil {
		return Drawn{Figure: againstFigure}
	}
	return Drawn{Figure: againstFigure, Pictures: drawAgainst(d.Against, d.Base)}
}

// drawAgainst draws how many times as fast kernels are as in the other database: a picture for
// each device and cache state, a column for each precision, of the kernels that changed most.
func drawAgainst(r *compare.Result, base string) []*canvas.Picture {
	byCondition := map[data.Condition][]*compare.Pair{}
	var conditions []data.Condition
	for i := range r.Pairs {
		p := &r.Pairs[i]
		at := data.Condition{Device: p.Device, Cache: p.Cache}
		if byCondition[at] == nil {
			conditions = append(conditions, at)
		}
		byCondition[at] = append(byCondition[at], p)
	}

	var pages []*canvas.Picture
	for _, at := range conditions {
		n := 0
		pairs := byCondition[at]
		matrices := namesOf(pairs, func(p *compare.Pair) string { return p.Matrix })
		for part := range slices.Chunk(matrices, mostMatrices.here()) {
			n++
			p := againstPage(pairs, part, base)
			p.Title = fmt.Sprintf("Against %s: %s cache, %s", base, at.Cache, data.ShortDevice(at.Device))
			p.Name = canvas.Slug("against", data.ShortDevice(at.Device), string(at.Cache))
			if len(matrices) > mostMatrices.here() {
				p.Name += fmt.Sprintf("-%d", n)
				p.Title += fmt.Sprintf(" (%d)", n)
			}
			pages = append(pages, p)
		}
	}

	return pages
}

// namesOf lists the distinct names of the pairs, in their order.
func namesOf(pairs []*compare.Pair, name func(*compare.Pair) string) []string {
	var list []string
	for _, p := range pairs {
		if s := name(p); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func againstPage(pairs []*compare.Pair, matrices []string, base string) *canvas.Picture {
	change := map[string]float64{} // the largest of each kernel
	for _, p := range pairs {
		change[p.Kernel] = max(change[p.Kernel], math.Abs(math.Log(p.Ratio.Value)))
	}
	names := namesOf(pairs, func(p *compare.Pair) string { return p.Kernel })
	all := len(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(change[b], change[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), mostBars)]
	data.SortKernels(names)
	b := &chart.Bars{Slots: len(names), Label: "times as fast as in " + base, Origin: 1,
		Number: func(v float64) string { return number.Significant(v, 3) + "×" }}
	b.Columns = namesOf(pairs, func(p *compare.Pair) string { return string(p.Precision) })
	slices.Sort(b.Columns)

	for _, m := range matrices {
		row := chart.BarRow{Name: m}
		for _, precision := range b.Columns {
			var cell []chart.Mark
			for _, p := range pairs {
				slot := slices.Index(names, p.Kernel)
				if slot < 0 || p.Matrix != m || p.Precision != kernels.Precision(precision) {
					continue
				}
				v, low, high := data.Faster(p)
				cell = append(cell, chart.Mark{Slot: slot, Look: canvas.LookOf(p.Kernel), V: v, Low: low, High: high,
					Hollow: math.NaN(), Name: p.Kernel + " on " + m + ", " + precision})
			}
			row.Cells = append(row.Cells, cell)
		}
		b.Rows = append(b.Rows, row)
	}

	low, high := b.Reach()
	b.Axis = canvas.Ratios(low, high)
	subtitle := "Time in the other database divided by time in this one, each kernel in its fastest configuration " +
		"in each. Whiskers: 95% interval."
	if all > len(names) {
		subtitle += fmt.Sprintf(" The %d of %d kernels that changed the most.", len(names), all)
	}
	return &canvas.Picture{Subtitle: subtitle, Alt: b.Label + " on " + strings.Join(matrices, ", "),
		Keys:   canvas.KeysOf(names, true),
		Height: b.Height(), Body: b.Draw}
}
