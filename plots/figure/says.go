package figure

import (
	"cmp"
	"fmt"
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// entitle gives a picture a title that states what it shows, and puts what its axes are into the
// subtitle. If there is nothing to state, the title is about the axes.
func entitle(p *canvas.Picture, statement, axes string) {
	if statement == "" {
		p.Title = axes
		return
	}
	p.Title, p.Subtitle = statement, axes+". "+p.Subtitle
}

// lead returns the kernel that is named the best on the most of some panels, as colours go by, and on
// how many it is named or tied.
func lead(d *data.Report, panels []data.Panel) (kernel string, on int) {
	named := 0
	for _, s := range d.NewContest(panels).Standings {
		if n := s.Named + s.Tied; s.Named > named || s.Named == named && n > on {
			kernel, named, on = s.Kernel, s.Named, n
		}
	}
	return kernel, on
}

// leads states which kernel is the fastest on most of the matrices, or on most below and above
// the middle of an ordering; "" if none is on half of them.
func (o ordering) leads(d *data.Report, panels []data.Panel) string {
	panels = slices.Clone(panels)
	slices.SortStableFunc(panels, func(a, b data.Panel) int {
		return cmp.Compare(o.value(&a.Rows[0]), o.value(&b.Rows[0]))
	})
	if len(data.KernelsOf(panels)) < 2 {
		return ""
	}
	if name, on := lead(d, panels); 2*on >= len(panels) {
		return fmt.Sprintf("%s is the fastest, or tied, on %d of %d matrices", name, on, len(panels))
	}

	// Matrices of one value are not cut.
	middle := len(panels) / 2
	for middle < len(panels) && middle > 0 && o.value(&panels[middle].Rows[0]) == o.value(&panels[middle-1].Rows[0]) {
		middle++
	}
	below, above := panels[:middle], panels[middle:]
	if len(above) == 0 {
		return ""
	}
	first, n := lead(d, below)
	second, m := lead(d, above)
	if first == second || 2*n < len(below) || 2*m < len(above) {
		return ""
	}
	return fmt.Sprintf("%s is the fastest, or tied, on %d of %d matrices up to %s, %s on %d of %d above", first, n, len(below),
		o.words(o.value(&below[middle-1].Rows[0])), second, m, len(above))
}
