package page

import (
	"slices"

	"spmvtune/plots/figure"
)

// A chapter is a section of the page with its figures, in the order of a reader's questions.
type chapter struct {
	ID, Title string
	Figures   []htmlFigure
}

// chapters says which figures belong where. Those that no chapter names are in the appendix.
var chapters = []struct {
	id, title string
	figures   []string
}{
	{"why", "Why", []string{"gflops-vs-row-length", "bandwidth-vs-row-length", "roofline", "bandwidth-by-kernel",
		"kernel-gflops-vs-row-length", "cpu-bandwidth", "gpu-vs-cpu", "best-by-device", "occupancy", "warp-efficiency",
		"load-efficiency"}},
	{"tune", "How to tune", []string{"configurations", "throughput-vs-block", "throughput-vs-grid", "block-grid-heatmap",
		"launch-bounds", "prefix-sum-variants", "chunk-and-unroll", "version-improvement", "search-convergence"}},
	{"choose", "How to choose", []string{"selection-regret", "speedup-over-baseline", "average-improvement"}},
	{"trust", "Trust", []string{"run-to-run", "drift"}},
	{"preparation", "Preparation", []string{"break-even"}},
}

// answering are the figures beside the headline.
var answering = []string{"against", "winner-features"}

// arrange sorts figures into the answer, the chapters and the appendix.
func (doc *document) arrange(figures []htmlFigure) {
	rest := slices.Clone(figures)
	take := func(ids []string) (list []htmlFigure) {
		for _, id := range ids {
			if i := slices.IndexFunc(rest, func(f htmlFigure) bool { return f.ID == id }); i >= 0 {
				list, rest = append(list, rest[i]), slices.Delete(rest, i, i+1)
			}
		}
		return list
	}

	doc.Answer = take(answering)
	doc.Listed = slices.Clone(doc.Answer)
	for _, c := range chapters {
		list := take(c.figures)
		doc.Chapters = append(doc.Chapters, chapter{c.id, c.title, list})
		doc.Listed = append(doc.Listed, list...)
	}
	doc.Extra = rest
	doc.Listed = append(doc.Listed, rest...)
}

// inAppendix reports whether a figure is folded away with the appendix.
func inAppendix(f *figure.Figure) bool {
	for _, c := range chapters {
		if slices.Contains(c.figures, f.ID) {
			return false
		}
	}
	return !slices.Contains(answering, f.ID)
}
