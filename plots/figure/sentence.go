package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// sentences say for each setup what the second of two sizes changes, where kernels were tried with
// two and not with more, for which a line would be drawn.
func (dim dimension) sentences(d *data.Report) []Statement {
	var list []Statement
	for _, s := range d.Setups() {
		if text := dim.sentence(d.In(s)); text != "" {
			list = append(list, Statement{s, d.Words(s) + ": " + text})
		}
	}
	return list
}

// A step is what a kernel gains from the lower of two sizes to the higher, over matrices.
type step struct {
	kernel    string
	low, high int
	gain      stat.GeometricMean
}

func (dim dimension) sentence(panels []data.Panel) string {
	steps := map[string]*step{}
	for i := range panels {
		for _, l := range dim.lines(&panels[i], data.GFLOPS) {
			if len(l.Points) != 2 {
				continue
			}
			low, high := int(l.Points[0].X), int(l.Points[1].X)
			key := fmt.Sprint(l.Kernel, low, high)
			if steps[key] == nil {
				steps[key] = &step{kernel: l.Kernel, low: low, high: high}
			}
			steps[key].gain.Add(l.Points[1].Y / l.Points[0].Y)
		}
	}

	var list []*step
	for _, name := range data.KernelsOf(panels) {
		var most *step // on the most matrices
		for _, t := range steps {
			if t.kernel == name && (most == nil || t.gain.Count() > most.gain.Count() ||
				t.gain.Count() == most.gain.Count() && t.low < most.low) {
				most = t
			}
		}
		if most != nil {
			list = append(list, most)
		}
	}
	if len(list) == 0 {
		return ""
	}

	slices.SortStableFunc(list, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high), cmp.Compare(b.gain.Value(), a.gain.Value()))
	})
	var texts []string
	for start := 0; start < len(list); {
		end := start
		for end < len(list) && list[end].low == list[start].low && list[end].high == list[start].high {
			end++
		}
		texts = append(texts, fmt.Sprintf("%s %d is %s times as fast as %d", dim.name, list[start].high,
			gainWords(list[start:end]), list[start].low))
		start = end
	}
	return strings.Join(texts, "; ") + " (geometric means over the matrices)."
}

// gainWords says what the same step gives several kernels, which fall: each of a few, and the range
// of many.
func gainWords(list []*step) string {
	const most = 4
	each := func(t *step) string { return number.Significant(t.gain.Value(), 3) + " (" + t.kernel + ")" }
	if n := len(list); n > most {
		return fmt.Sprintf("%s to %s, of %d kernels,", each(list[0]), each(list[n-1]), n)
	}
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = each(t)
	}
	return strings.Join(words, ", ")
}
