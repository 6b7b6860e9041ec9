// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/store"
)

// mostProducts is the right end of the axis of break-even.
const mostProducts = 1e6

// undecided stands for a kernel where none is clearly the best.
const undecided = ""

// bestFor is the kernel with which preparing and n products take the least time together, undecided where one that takes
// no more to prepare can't be told from it: by analysis.PaysOff it never pays off against that.
func bestFor(p *analysis.Panel, n float64) string {
	total := func(r store.Row) float64 { return r.Prepare + n*r.Time }
	best := slices.MinFunc(p.Rows, func(a, b store.Row) int { return cmp.Compare(total(a), total(b)) })
	if slices.ContainsFunc(p.Rows, func(r store.Row) bool {
		return r.Kernel != best.Kernel && r.Prepare <= best.Prepare && !analysis.Tells(&best, &r)
	}) {
		return undecided
	}
	return best.Kernel
}

// A reign says on how many matrices each kernel is the best choice for a number of products.
type reign struct {
	products float64
	on       map[string]int
}

// reigns goes from one product to mostProducts.
func reigns(panels []analysis.Panel) []reign {
	const steps = 60
	list := make([]reign, steps+1)
	for i := range list {
		list[i] = reign{math.Pow(mostProducts, float64(i)/steps), map[string]int{}}
		for j := range panels {
			list[i].on[bestFor(&panels[j], list[i].products)]++
		}
	}
	return list
}

// breakEvenPage draws for a condition, with a panel for each precision, on how many matrices a kernel is
// the best choice, over the number of products. The table of the preparation names it for each matrix.
func breakEvenPage(d *analysis.Data, s scene) *canvas.Picture {
	prepared := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool {
		return !p.Prepared() || len(p.Kernels()) < 2
	})
	counts := map[string]int{}
	for _, r := range reigns(prepared) {
		for name, n := range r.on {
			counts[name] += n
		}
	}
	delete(counts, undecided)
	if len(counts) < 2 {
		return nil // preparation decides nothing
	}
	all := mostCounted(counts)
	named := all[:mostColoured(len(all))]

	panels := canvas.Panels{X: "products", Y: "% of the matrices on which it is best"}
	for _, group := range lists.Groups(prepared, func(p analysis.Panel) kernels.Precision { return p.Precision }) {
		panels.List = append(panels.List, shareOfReigns(reigns(group), all, named, group))
	}
	p := pictureOf(d, "break-even", s.about, "share of matrices on which a kernel is best, over the number of products: "+
		strings.Join(named, ", "), panels)
	if canvas.Narrow() {
		p.Keys = canvas.KeysOf(named, false)
	}
	p.Subtitle += inGrey(len(all) - len(named))
	return p
}

// mostCounted lists kernels, those with the highest counts first.
func mostCounted(counts map[string]int) []string {
	names := slices.Collect(maps.Keys(counts))
	analysis.SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return names
}

// shareOfReigns has a line for each kernel that is the best choice on some of these matrices, and vertical lines where
// none is.
func shareOfReigns(list []reign, all, named []string, panels []analysis.Panel) canvas.Panel {
	share := func(r reign, name string) float64 { return 100 * float64(r.on[name]) / float64(len(panels)) }
	ch := canvas.Chart{X: canvas.LogBetween(1, mostProducts, 7), Steps: 5, Markers: 8, Top: 100, Labelled: !canvas.Narrow(),
		Heading: fmt.Sprintf("%s, %s", panels[0].Precision, term.Matrices(len(panels)))}
	for _, name := range all {
		l := canvas.Line{Kernel: name, Look: canvas.LookOf(name)}
		for _, r := range list {
			q := canvas.Exact(r.products, share(r, name))
			q.Words = fmt.Sprintf("%s products: %s is best on %s%% of the matrices", term.Significant(q.X, 2), name, term.Significant(q.Y, 3))
			l.Points = append(l.Points, q)
		}
		if slices.ContainsFunc(l.Points, func(q canvas.Point) bool { return q.Y > 0 }) {
			ch.Put(l, slices.Contains(named, name))
		}
	}
	hatch := canvas.Marks{Look: canvas.Look{Color: canvas.LineColor}, Whiskers: 0.7}
	for _, r := range list {
		hatch.Points = append(hatch.Points, canvas.Point{X: r.products, Y: 100, Low: 100 - share(r, undecided), High: 100})
	}
	p := ch.Panel()
	p.Add(hatch)
	return p
}
