package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/store/compare"
)

// againstFigure shows what a database has over another. It is not in the registry,
// since it needs both.
var againstFigure = &Figure{
	ID:    "against",
	Title: "What became faster or slower",
	See:   "Bars to the right of 1 became faster. Where a whisker reaches across 1, or the table of changes does not list the pair, no difference was shown.",
}

// drawAgainst draws how many times as fast kernels are as in the other database: a page
// for each device and cache state, a column for each precision, of the kernels that
// changed the most.
func drawAgainst(r *compare.Result, base string) []*page {
	byPlace := map[[2]string][]*compare.Pair{}
	var places [][2]string
	for i := range r.Pairs {
		p := &r.Pairs[i]
		at := [2]string{p.Device, string(p.Cache)}
		if byPlace[at] == nil {
			places = append(places, at)
		}
		byPlace[at] = append(byPlace[at], p)
	}
	var pages []*page
	for _, at := range places {
		n := 0
		pairs := byPlace[at]
		matrices := namesOf(pairs, func(p *compare.Pair) string { return p.Matrix })
		for part := range slices.Chunk(matrices, mostMatrices) {
			n++
			p := againstPage(pairs, part, base)
			p.Title = fmt.Sprintf("Against %s: %s cache, %s", base, at[1], shortDevice(at[0]))
			p.Name = slug("against", shortDevice(at[0]), at[1])
			if len(matrices) > mostMatrices {
				p.Name += fmt.Sprintf("-%d", n)
				p.Title += fmt.Sprintf(" (%d)", n)
			}
			pages = append(pages, p)
		}
	}
	return pages
}

// namesOf lists what name gives, once each, in the order of the pairs.
func namesOf(pairs []*compare.Pair, name func(*compare.Pair) string) []string {
	var list []string
	for _, p := range pairs {
		if s := name(p); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func againstPage(pairs []*compare.Pair, matrices []string, base string) *page {
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
	sortKernels(names)
	b := &bars{slots: len(names), label: "times as fast as in " + base, origin: 1,
		number: func(v float64) string { return significant(v, 3) + "×" }}
	b.columns = namesOf(pairs, func(p *compare.Pair) string { return string(p.Precision) })
	slices.Sort(b.columns)
	for _, m := range matrices {
		row := barRow{name: m}
		for _, precision := range b.columns {
			var cell []mark
			for _, p := range pairs {
				slot := slices.Index(names, p.Kernel)
				if slot < 0 || p.Matrix != m || p.Precision != kernels.Precision(precision) {
					continue
				}
				v, low, high := faster(p)
				cell = append(cell, mark{slot: slot, look: lookOf(p.Kernel), v: v, low: low, high: high, hollow: math.NaN(), name: p.Kernel + " on " + m + ", " + precision})
			}
			row.cells = append(row.cells, cell)
		}
		b.rows = append(b.rows, row)
	}
	low, high := b.reach()
	b.axis = ratios(low, high)
	subtitle := "Time of the other database divided by that of this one, each kernel in its fastest configuration of each. Whiskers: 95% interval."
	if all > len(names) {
		subtitle += fmt.Sprintf(" The %d of %d kernels that changed the most.", len(names), all)
	}
	return &page{Subtitle: subtitle, Alt: b.label + " on " + strings.Join(matrices, ", "), keys: keysOf(names, true),
		height: b.height(), body: b.draw, figure: againstFigure}
}

// faster is how many times as fast a pair became, with its interval.
func faster(p *compare.Pair) (v, low, high float64) {
	v = 1 / p.Ratio.Value
	low, high = 1/p.Ratio.High, 1/p.Ratio.Low
	if math.IsNaN(low) || math.IsNaN(high) || math.IsInf(high, 0) {
		low, high = v, v
	}
	return v, low, high
}

// againstTable lists what changed, slower ones first, and says how much did not.
func againstTable(r *compare.Result, base string) (t table, notes []string) {
	t = table{Title: "Changes against " + base, Columns: []column{
		{"verdict", false}, {"matrix", false}, {"precision", false}, {"cache", false}, {"kernel", false},
		{"before (ms)", true}, {"now (ms)", true}, {"times as fast", true}, {"95% interval", true}, {"device", false},
	}}
	counts := map[compare.Verdict]int{}
	var changed []*compare.Pair
	for i := range r.Pairs {
		p := &r.Pairs[i]
		counts[p.Verdict]++
		if p.Verdict != compare.Same {
			changed = append(changed, p)
		}
	}
	slices.SortStableFunc(changed, func(a, b *compare.Pair) int { return cmp.Compare(b.Ratio.Value, a.Ratio.Value) })
	for _, p := range changed {
		v, low, high := faster(p)
		t.Rows = append(t.Rows, []cell{
			words(string(p.Verdict)), words(p.Matrix), words(string(p.Precision)), words(string(p.Cache)), words(p.Kernel),
			{significant(1e3*p.A.Median, 3), p.A.Median}, {significant(1e3*p.B.Median, 3), p.B.Median},
			{significant(v, 3) + "×", v}, {significant(low, 3) + " to " + significant(high, 3), low}, words(shortDevice(p.Device)),
		})
	}
	note := fmt.Sprintf("Of %s of kernel and matrix that both databases have, %d became faster, %d slower, and of %d no difference was shown.",
		term.GroupedCount(len(r.Pairs), "pair", "pairs"), counts[compare.Faster], counts[compare.Slower], counts[compare.Same])
	if n := counts[compare.Unsure]; n > 0 {
		note += fmt.Sprintf(" Of %d nothing can be said, since the device throttled.", n)
	}
	if !math.IsNaN(r.Mean.Value) {
		note += fmt.Sprintf(" This database is %s times as fast", significant(1/r.Mean.Value, 3))
		if !math.IsNaN(r.Mean.Low) {
			note += fmt.Sprintf(" (95%% interval: %s to %s)", significant(1/r.Mean.High, 3), significant(1/r.Mean.Low, 3))
		}
		note += ", the geometric mean over matrices, of which both have " + term.Grouped(r.Matrices) + "."
	}
	return t, []string{note, "A difference counts if it is significant among all pairs (Mann and Whitney, corrected after Holm), larger than the " +
		"threshold, and larger than what repeated trials differ by. Drift of the devices is taken out."}
}
