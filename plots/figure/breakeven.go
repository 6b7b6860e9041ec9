package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/store"
)

// mostProducts is the right end of the axis of break-even.
const mostProducts = 1e6

// bestFor is the kernel with which preparing and n products take the least time together.
func bestFor(p *analysis.Panel, n float64) string {
	total := func(r store.Row) float64 { return r.Prepare + n*r.Time }
	return slices.MinFunc(p.Rows, func(a, b store.Row) int { return cmp.Compare(total(a), total(b)) }).Kernel
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

// drawBreakEven draws for each condition, with a panel for each precision, on how many matrices a kernel is
// the best choice, over the number of products. The table of the preparation names it for each matrix.
func drawBreakEven(d *analysis.Data, s *scene) *canvas.Picture {
	prepared := slices.DeleteFunc(slices.Clone(s.panels), func(p analysis.Panel) bool {
		return !p.Prepared() || len(analysis.KernelsOf([]analysis.Panel{p})) < 2
	})
	counts := map[string]int{}
	for _, r := range reigns(prepared) {
		for name, n := range r.on {
			counts[name] += n
		}
	}
	of := len(counts)
	if of < 2 {
		return nil // preparation decides nothing
	}
	names := mostCounted(counts)[:min(of, few)]
	analysis.SortKernels(names)

	panels := canvas.Panels{X: "products", Y: "% of the matrices on which it is best"}
	for _, group := range lists.Groups(prepared, func(p analysis.Panel) kernels.Precision { return p.Precision }) {
		ch := shareOfReigns(reigns(group), names, len(group))
		ch.Heading = fmt.Sprintf("%s, %s", group[0].Precision, term.GroupedCount(len(group), "matrix", "matrices"))
		panels.List = append(panels.List, ch.Panel())
	}
	p := pictureOf(d, "break-even", s.about, "share of matrices on which a kernel is best, over the number of products: "+
		strings.Join(names, ", "), panels)
	p.Keys = canvas.KeysOf(names, false)
	p.Subtitle += someOf(len(names), of, "kernels that are best most often")
	return p
}

// mostCounted lists kernels, those with the highest counts first.
func mostCounted(counts map[string]int) []string {
	names := slices.Collect(maps.Keys(counts))
	analysis.SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return names
}

// shareOfReigns has a line for each kernel that is the best choice on some of so many matrices.
func shareOfReigns(list []reign, names []string, matrices int) canvas.Chart {
	ch := canvas.Chart{X: productScale(), Steps: 5, Markers: 8, Top: 100}
	for _, name := range names {
		l := canvas.Line{Kernel: name, Look: canvas.LookOf(name)}
		for _, r := range list {
			l.Points = append(l.Points, canvas.Exact(r.products, 100*float64(r.on[name])/float64(matrices)))
		}
		if slices.ContainsFunc(l.Points, func(q canvas.Point) bool { return q.Y > 0 }) {
			ch.Lines = append(ch.Lines, l)
		}
	}
	return ch
}

func productScale() canvas.Scale {
	every := canvas.Here(10.0, 1000)
	var ticks []float64
	for n := 1.0; n <= mostProducts; n *= every {
		ticks = append(ticks, n)
	}
	return canvas.NewScale(1, mostProducts, plot.LogScale{}, ticks, canvas.Short)
}
