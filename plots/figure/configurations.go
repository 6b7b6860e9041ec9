package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// A tuning is what tuning a kernel buys in one precision: the speeds of its configurations as
// shares of its best one on each matrix.
type tuning struct {
	shares   []float64 // of all configurations on all matrices, sorted
	matrices int
	// single is the highest geometric mean of a configuration, of those that were measured on the
	// most matrices, and on is their number.
	single       float64
	on           int
	config       kernels.Config
	median       float64
	first, third float64 // quartiles
}

// fewestConfigs is the fewest configurations that have a distribution.
const fewestConfigs = 4

// tuningOf gathers a kernel's configurations over panels of one setup; false if there are few.
func tuningOf(panels []data.Panel, kernel string) (tuning, bool) {
	var t tuning
	means := map[kernels.Config]*stat.GeometricMean{}
	most := 0
	for i := range panels {
		rows := panels[i].ByKernel(kernel)
		best := data.Fastest(rows)
		if best == nil {
			continue
		}
		t.matrices++
		most = max(most, len(rows))
		for j := range rows {
			share := best.Time / rows[j].Time
			t.shares = append(t.shares, share)
			if means[rows[j].Config] == nil {
				means[rows[j].Config] = new(stat.GeometricMean)
			}
			means[rows[j].Config].Add(share)
		}
	}
	if most < fewestConfigs {
		return t, false
	}

	for config, m := range means {
		if cmp.Or(cmp.Compare(m.Count(), t.on), cmp.Compare(m.Value(), t.single),
			strings.Compare(t.config.String(), config.String())) > 0 {
			t.single, t.on, t.config = m.Value(), m.Count(), config
		}
	}
	slices.Sort(t.shares)
	at := func(part float64) float64 { return t.shares[int(part*float64(len(t.shares)-1))] }
	t.first, t.median, t.third = at(0.25), at(0.5), at(0.75)
	return t, true
}

// configurationsPage draws how the configurations of each kernel are distributed between its slowest
// and its best.
func configurationsPage(d *data.Report, s *scene) *canvas.Picture {
	precisions := precisionsOf(s.panels)
	found := map[kernelColumn]tuning{}
	var names []string
	for _, name := range data.KernelsOf(s.panels) {
		for _, precision := range precisions {
			of := slices.DeleteFunc(slices.Clone(s.panels), func(p data.Panel) bool { return p.Precision != precision })
			if t, ok := tuningOf(of, name); ok {
				found[kernelColumn{name, precision}] = t
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := found[kernelColumn{a, precisions[0]}], found[kernelColumn{b, precisions[0]}]
		return cmp.Compare(x.median, y.median)
	})

	b := &chart.Bars{Slots: 1, Dots: true, Label: "share of the kernel's best speed on the matrix", Origin: lowestShare,
		Number: number.Percent0, Axis: shareAxis()}
	for _, precision := range precisions {
		b.Columns = append(b.Columns, string(precision))
	}
	for _, name := range names {
		row := chart.BarRow{Name: name, Note: configsWords(found, name, precisions)}
		for _, precision := range precisions {
			var cell []chart.Mark
			if t, ok := found[kernelColumn{name, precision}]; ok {
				cell = append(cell, t.mark(name))
			}
			row.Cells = append(row.Cells, cell)
		}
		b.Rows = append(b.Rows, row)
	}

	p := &canvas.Picture{
		Name: canvas.Slug(append([]string{"configurations"}, s.file...)...),
		Subtitle: "All configurations of a kernel on all matrices. Thick: the middle half; thin: from the slowest to " +
			"the best; upright line: the median. Mark and number: one configuration for all matrices, the best in " +
			"the geometric mean; behind it, what tuning each matrix gains over that, on how many matrices if not " +
			"all. Arrows: below 40%.",
		Alt:    "configurations of " + strings.Join(names, ", "),
		Height: b.Height(),
		Body:   b.Draw,
	}
	entitle(p, tunesWords(found, names, precisions[0]), "What tuning buys, "+s.words)
	return p
}

// mark draws a tuning in a row.
func (t *tuning) mark(kernel string) chart.Mark {
	m := chart.Mark{Look: canvas.LookOf(kernel), V: t.single, Low: t.first, High: t.third, Thick: true,
		Least: t.shares[0], Most: 1, Hollow: t.median}
	m.Words = number.Significant(1/t.single, 3) + "×"
	if !canvas.Narrow() {
		m.Words = "tuned: " + m.Words
	}
	if t.on < t.matrices {
		m.Words += fmt.Sprintf(" (%d of %d)", t.on, t.matrices)
	}
	m.Name = fmt.Sprintf("%s, one configuration for %s: block %d, grid %d %s", kernel,
		term.GroupedCount(t.on, "matrix", "matrices"), t.config.Block, t.config.Grid, t.config.Params)
	return m
}

// configsWords says how many trials a row is about.
func configsWords(found map[kernelColumn]tuning, name string, precisions []kernels.Precision) string {
	n := 0
	for _, precision := range precisions {
		n = max(n, len(found[kernelColumn{name, precision}].shares))
	}
	return term.GroupedCount(n, "trial", "trials")
}

// tunesWords states what tuning buys: the most and the least over one configuration for all.
func tunesWords(found map[kernelColumn]tuning, names []string, precision kernels.Precision) string {
	var known []string
	for _, name := range names {
		if t := found[kernelColumn{name, precision}]; t.on == t.matrices && t.on > 1 {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return ""
	}
	gain := func(name string) float64 { return 1 / found[kernelColumn{name, precision}].single }
	byGain := func(a, b string) int { return cmp.Compare(gain(a), gain(b)) }
	most, least := slices.MaxFunc(known, byGain), slices.MinFunc(known, byGain)
	if gain(most) < 1.01 {
		return "One configuration of each kernel does for all matrices"
	}
	text := fmt.Sprintf("Tuning each matrix gains %s times with %s", number.Significant(gain(most), 3), most)
	if most != least {
		text += fmt.Sprintf(", %s with %s", number.Significant(gain(least), 3), least)
	}
	return text
}
