package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/plots/canvas"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// mostProducts is the right end of the axis of break-even.
const mostProducts = 1e6

// A reign is a range of products over which one kernel is the best choice: preparing and
// multiplying together take the least time with it.
type reign struct {
	kernel   string
	from, to float64
	row      *store.Row // at its end
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
		last := &list[len(list)-1]
		last.to, last.row = n, best
	}
	return list
}

// drawBreakEven draws for each setup which kernel is best for how many products.
func drawBreakEven(d *analysis.Data) ([]*canvas.Picture, []error) {
	var pages []*canvas.Picture
	for _, s := range d.Setups() {
		var panels []analysis.Panel
		for _, p := range d.In(s) {
			if p.Prepared() && len(analysis.KernelsOf([]analysis.Panel{p})) > 1 {
				panels = append(panels, p)
			}
		}
		all := make([][]reign, len(panels))
		for i := range panels {
			all[i] = reigns(&panels[i])
		}
		if !slices.ContainsFunc(all, func(list []reign) bool { return len(list) > 1 }) {
			continue // preparation decides nothing
		}
		p := &canvas.Picture{
			Name: fileStem(d, "break-even", s.Device, string(s.Precision), string(s.Cache)),
			Subtitle: "The kernel with which preparing the matrix and this many products take the least time together, " +
				"each in the configuration that is best for that number.",
			Keys: []canvas.Key{},
		}
		if len(panels) > mostMatrices.here() {
			breakEvenShares(p, all)
		} else {
			breakEvenRows(p, panels, all)
		}
		entitle(p, reignWords(all), "Preparation and break-even, "+d.Words(s))
		pages = append(pages, p)
	}
	return pages, nil
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

const reignRow = vg.Length(20)

// breakEvenRows draws a strip for each matrix.
func breakEvenRows(p *canvas.Picture, panels []analysis.Panel, all [][]reign) {
	var names []string
	for _, list := range all {
		for _, r := range list {
			if !slices.Contains(names, r.kernel) {
				names = append(names, r.kernel)
			}
		}
	}
	analysis.SortKernels(names)
	p.Kernels = names
	for _, name := range names {
		p.Keys = append(p.Keys, canvas.Key{Text: name, Look: canvas.LookOf(name), Bar: true})
	}
	p.Subtitle += " Matrices by rising mean row length."
	p.Alt = "best kernel by the number of products on " + analysis.MatrixNames(panels)
	p.Height = reignRow*vg.Length(len(panels)) + 40
	p.Body = func(c draw.Canvas) { drawReigns(c, panels, all) }
}

func drawReigns(c draw.Canvas, panels []analysis.Panel, all [][]reign) {
	name := canvas.At(canvas.Typeface(canvas.LabelSize, false, canvas.InkColor), text.XLeft, text.YCenter)
	soft := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XCenter, text.YTop)
	left := vg.Length(70)
	for i := range panels {
		left = max(left, name.Width(panels[i].Matrix)+12)
	}
	left = min(left, 200, (c.Max.X-c.Min.X)*0.35)
	begin, end := c.Min.X+left, c.Max.X-10
	x := func(n float64) vg.Length {
		return begin + (end-begin)*vg.Length(math.Log(n)/math.Log(mostProducts))
	}

	bottom := c.Max.Y - reignRow*vg.Length(len(panels))
	for _, t := range productScale().Ticks {
		c.StrokeLine2(draw.LineStyle{Color: canvas.GridColor, Width: 0.7}, x(t.Value), bottom, x(t.Value), c.Max.Y)
		c.FillText(soft, vg.Point{X: x(t.Value), Y: bottom - 4}, t.Label)
	}
	c.FillText(canvas.At(soft, text.XCenter, text.YBottom), vg.Point{X: (begin + end) / 2, Y: c.Min.Y}, "products")

	for i, list := range all {
		mid := c.Max.Y - reignRow*(vg.Length(i)+0.5)
		c.FillText(name, vg.Point{X: c.Min.X + 3, Y: mid + 1}, canvas.Fit(name, panels[i].Matrix, left-12))
		for _, r := range list {
			r.draw(c, x(r.from), x(r.to), mid)
		}
	}
}

// draw draws a bar with its kernel's marker and, if there is room, its name above it.
func (r *reign) draw(c draw.Canvas, from, to, mid vg.Length) {
	look := canvas.LookOf(r.kernel)
	tiny := canvas.At(canvas.Typeface(canvas.TickSize-0.5, false, canvas.InkColor), text.XLeft, text.YBottom)
	c.StrokeLine2(draw.LineStyle{Color: look.Color, Width: 5}, from, mid-4, to, mid-4)
	at := vg.Point{X: from + min(6, (to-from)/2), Y: mid - 4}
	look.Mark(c, at, 3.4)
	if tiny.Width(r.kernel)+4 < to-from {
		c.FillText(tiny, vg.Point{X: from + 1, Y: mid}, r.kernel)
	}
	canvas.Hover(c, at, func() string {
		return fmt.Sprintf("%s is best for %s to %s products. Prepared in %s ms. %s", r.kernel, rounded(math.Round(r.from)),
			rounded(math.Round(r.to)), term.Significant(1e3*r.row.Prepare, 3), analysis.About(r.row))
	})
}

// breakEvenShares draws on how many of many matrices a kernel is best, over the number of products.
func breakEvenShares(p *canvas.Picture, all [][]reign) {
	const steps = 60
	counts := map[string][]float64{}
	for _, list := range all {
		for _, r := range list {
			if counts[r.kernel] == nil {
				counts[r.kernel] = make([]float64, steps+1)
			}
			for i := range steps + 1 {
				if n := math.Pow(mostProducts, float64(i)/steps); n >= r.from && (n < r.to || r.to == mostProducts) {
					counts[r.kernel][i] += 100 / float64(len(all))
				}
			}
		}
	}

	var names []string
	for name := range counts {
		names = append(names, name)
	}
	analysis.SortKernels(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return int(math.Copysign(1, slices.Max(counts[b])-slices.Max(counts[a])))
	})
	names = names[:min(len(names), mostOverMany)]
	analysis.SortKernels(names)

	ch := canvas.Chart{X: productScale(), Labelled: true, Steps: 5, Markers: 8}
	for _, name := range names {
		l := canvas.Line{Kernel: name, Look: canvas.LookOf(name)}
		for i, y := range counts[name] {
			l.Points = append(l.Points, canvas.Point{X: math.Pow(mostProducts, float64(i)/steps), Y: y, Low: y, High: y})
		}
		ch.Lines = append(ch.Lines, l)
	}
	p.Kernels = names
	p.Alt = "share of matrices on which a kernel is best, over the number of products: " + strings.Join(names, ", ")
	p.Height = 330
	if others := len(counts) - len(names); others > 0 {
		p.Subtitle += fmt.Sprintf(" The %d kernels that are best most often, of %d.", len(names), len(counts))
	}
	p.Body = func(c draw.Canvas) {
		canvas.DrawCharts(c, []canvas.Chart{ch}, 1, "products", "% of the matrices on which it is best")
	}
}

func productScale() canvas.Scale {
	s := canvas.Scale{Min: 1, Max: mostProducts, Norm: plot.LogScale{}}
	every := 10.0
	if canvas.Narrow() {
		every = 1000
	}
	for n := 1.0; n <= mostProducts*1.01; n *= every {
		s.Ticks = append(s.Ticks, plot.Tick{Value: n, Label: rounded(n)})
	}
	return s
}
