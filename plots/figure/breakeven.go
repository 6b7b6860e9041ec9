package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
)

// mostProducts is the right end of the axis of break-even.
const mostProducts = 1e6

// A reign is a range of products over which one kernel is the best choice: preparing and
// multiplying together take the least time with it.
type reign struct {
	kernel   string
	from, to float64
}

// reigns returns who is best for 1 to mostProducts products of one matrix.
func reigns(p *analysis.Panel) []reign {
	const steps = 240
	var list []reign
	for i := range steps + 1 {
		n := math.Pow(mostProducts, float64(i)/steps)
		var best *store.Row
		for j := range p.Rows {
			r := &p.Rows[j]
			if best == nil || r.Prepare+n*r.Time < best.Prepare+n*best.Time {
				best = r
			}
		}
		if k := len(list); k == 0 || list[k-1].kernel != best.Kernel {
			if k > 0 {
				list[k-1].to = n
			}
			list = append(list, reign{kernel: best.Kernel, from: n})
		}
		list[len(list)-1].to = n
	}
	return list
}

// drawBreakEven draws for each condition, with a panel for each precision, on how many matrices a kernel is
// the best choice, over the number of products. The table of the preparation names it for each matrix.
func drawBreakEven(d *analysis.Data, s *scene) *canvas.Picture {
	all := map[kernels.Precision][][]reign{}
	names, counts := []string{}, map[string]int{}
	for i := range s.panels {
		p := &s.panels[i]
		if !p.Prepared() || len(analysis.KernelsOf(s.panels[i:i+1])) < 2 {
			continue
		}
		list := reigns(p)
		all[p.Precision] = append(all[p.Precision], list)
		for _, r := range list {
			if counts[r.kernel]++; counts[r.kernel] == 1 {
				names = append(names, r.kernel)
			}
		}
	}
	of := len(names)
	if of < 2 {
		return nil // preparation decides nothing
	}
	analysis.SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	names = names[:min(of, mostOverMany)]
	analysis.SortKernels(names)

	var charts []canvas.Chart
	var words string
	for _, precision := range precisionsOf(s.panels) {
		if list := all[precision]; len(list) > 0 {
			ch := shareOfReigns(list, names)
			ch.Heading = fmt.Sprintf("%s, %s", precision, term.GroupedCount(len(list), "matrix", "matrices"))
			charts = append(charts, ch)
			words = cmp.Or(words, reignWords(list))
		}
	}
	panels := canvas.Panels{List: canvas.ChartPanels(charts), X: "products", Y: "% of the matrices on which it is best"}
	p := &canvas.Picture{
		Name: s.stem("break-even"),
		Subtitle: "The kernel with which preparing the matrix and this many products take the least time together, " +
			"each in the configuration that is best for that number.",
		Alt:     "share of matrices on which a kernel is best, over the number of products: " + strings.Join(names, ", "),
		Kernels: names,
		Height:  panels.Height(),
		Body:    panels.Draw,
	}
	if of > len(names) {
		p.Subtitle += fmt.Sprintf(" The %d kernels that are best most often, of %d.", len(names), of)
	}
	entitle(p, words, "Preparation and break-even, "+s.words)
	return p
}

// shareOfReigns has a line for each kernel that is the best choice on some matrix.
func shareOfReigns(all [][]reign, names []string) canvas.Chart {
	const steps = 60
	ch := canvas.Chart{X: productScale(), Steps: 5, Markers: 8, Top: 100}
	for _, name := range names {
		l := canvas.Line{Kernel: name, Look: canvas.LookOf(name)}
		best := false
		for i := range steps + 1 {
			n, y := math.Pow(mostProducts, float64(i)/steps), 0.0
			for _, list := range all {
				for _, r := range list {
					if r.kernel == name && n >= r.from && (n < r.to || r.to == mostProducts) {
						y += 100 / float64(len(all))
						best = true
						break
					}
				}
			}
			l.Points = append(l.Points, canvas.Exact(n, y))
		}
		if best {
			ch.Lines = append(ch.Lines, l)
		}
	}
	return ch
}

// reignWords states who is best for few products and for many, and where that changes.
func reignWords(all [][]reign) string {
	ends := func(at func([]reign) string) (string, int) {
		counts := map[string]int{}
		var names []string
		for _, list := range all {
			name := at(list)
			if counts[name]++; counts[name] == 1 {
				names = append(names, name)
			}
		}
		analysis.SortKernels(names)
		best := names[0]
		for _, name := range names {
			if counts[name] > counts[best] {
				best = name
			}
		}
		return best, counts[best]
	}
	one, n := ends(func(list []reign) string { return list[0].kernel })
	many, m := ends(func(list []reign) string { return list[len(list)-1].kernel })
	if one == many {
		return fmt.Sprintf("%s is best for one product on %d of %d matrices, and for a million on %d", one, n, len(all), m)
	}
	return fmt.Sprintf("For one product %s is best on %d of %d matrices, for a million %s on %d", one, n, len(all), many, m)
}

func productScale() canvas.Scale {
	every := 10.0
	if canvas.Narrow() {
		every = 1000
	}
	var ticks []float64
	for n := 1.0; n <= mostProducts; n *= every {
		ticks = append(ticks, n)
	}
	return canvas.NewScale(1, mostProducts, plot.LogScale{}, ticks, canvas.Short)
}
