package figure

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/stat"
)

// drawKernels draws overviews with a panel for each kernel, for each condition, and a picture
// of its own for each kernel: throughput over matrices by row length, a line per precision.
func drawKernels(d *data.Report) ([]*canvas.Picture, []error) {
	var overviews, details []*canvas.Picture
	for _, at := range d.Conditions() {
		panels := d.Under(at)
		if !byRowLength.differ(panels) {
			continue
		}
		names := data.KernelsOf(panels)
		pages := (len(names) + mostKernels.here() - 1) / mostKernels.here()
		for n := range pages {
			p := kernelOverview(d, panels, names[n*mostKernels.here():min(len(names), (n+1)*mostKernels.here())])
			if pages > 1 {
				p.Name += fmt.Sprintf("-%d", n+1)
				p.Title += fmt.Sprintf(" (%d of %d)", n+1, pages)
			}
			overviews = append(overviews, p)
		}
		for _, kernel := range names {
			details = append(details, kernelDetail(d, panels, kernel))
		}
	}

	return append(overviews, details...), nil
}

// precisionLook keeps a kernel's colour and tells precisions apart: float64 is hollow and dashed.
func precisionLook(l canvas.Look, p kernels.Precision) canvas.Look {
	l.Marker = nil // a circle, which shows best whether it is hollow
	if p == kernels.Float64 {
		l.Hollow, l.Dashes = true, []vg.Length{5, 3}
	}
	return l
}

// byPrecision returns a set for each precision of one kernel.
func byPrecision(panels []data.Panel, kernel string) []chart.Set {
	var sets []chart.Set
	for _, p := range precisionsOf(panels) {
		of := slices.DeleteFunc(slices.Clone(panels), func(other data.Panel) bool { return other.Precision != p })
		l := overMatrices(of, byRowLength, kernel, data.GFLOPS)
		l.Look = precisionLook(l.Look, p)
		if len(l.Points) > 0 {
			set := chart.SetOf(l)
			set.Name = string(p)
			sets = append(sets, set)
		}
	}

	return sets
}

// precisionsOf lists the precisions of some panels.
func precisionsOf(panels []data.Panel) []kernels.Precision {
	var list []kernels.Precision
	for _, p := range panels {
		if !slices.Contains(list, p.Precision) {
			list = append(list, p.Precision)
		}
	}
	return list
}

// precisionKeys are those of the precisions of some panels. Marks of many matrices have lines.
func precisionKeys(panels []data.Panel, look func(kernels.Precision) canvas.Look, lines bool) []canvas.Key {
	keys := []canvas.Key{}
	for _, p := range precisionsOf(panels) {
		keys = append(keys, canvas.Key{Text: string(p), Look: look(p), Dot: !lines})
	}
	if len(keys) == 1 { // the heading says it
		return []canvas.Key{}
	}
	return keys
}

func kernelOverview(d *data.Report, panels []data.Panel, names []string) *canvas.Picture {
	at := panels[0].Condition()
	stops := byRowLength.stops(panels)
	columns := chart.ColumnsFor(len(names))
	clouds := make([]chart.Cloud, len(names))
	trends := false
	for i, kernel := range names {
		sets := byPrecision(panels, kernel)
		of := slices.ContainsFunc(sets, hasTrend)
		trends = trends || of
		clouds[i] = chart.Cloud{Heading: kernel, Sets: sets, X: byRowLength.axis(stops, 14/columns),
			Y: throughputScale(sets, 0, of)}
	}

	p := &canvas.Picture{
		Name: fileStem(d, "kernel-gflops-vs-row-length", at.Device, string(at.Cache)),
		Subtitle: "Fastest configuration on each matrix." + cloudWords(trends) +
			" Each panel has its own y axis.",
		Alt: "a panel per kernel: " + fmt.Sprint(names),
		Keys: precisionKeys(panels, func(p kernels.Precision) canvas.Look {
			return precisionLook(canvas.Look{Color: canvas.SoftColor}, p)
		}, trends),
	}
	axes := "Throughput of each kernel over row length, "
	if precisions := precisionsOf(panels); len(precisions) == 1 {
		axes += string(precisions[0]) + ", "
	}
	entitle(p, keepsWords(panels, names), axes+d.ConditionWords(at))
	rows := (len(clouds) + columns - 1) / columns
	p.Height = vg.Length(rows)*chart.PanelHeight(columns) + 24
	p.Body = func(c draw.Canvas) {
		chart.DrawClouds(c, clouds, columns, byRowLength.by, data.GFLOPS.Label)
	}
	return p
}

func kernelDetail(d *data.Report, panels []data.Panel, kernel string) *canvas.Picture {
	at := panels[0].Condition()
	stops := byRowLength.stops(panels)
	sets := byPrecision(panels, kernel)
	trends := slices.ContainsFunc(sets, hasTrend)
	cl := chart.Cloud{Sets: sets, X: byRowLength.axis(stops, 12), Y: throughputScale(sets, 0, trends),
		Stems: byRowLength.stems(stops)}
	p := &canvas.Picture{
		Name:     fileStem(d, "kernel-gflops-vs-row-length", at.Device, string(at.Cache), kernel),
		Subtitle: "Fastest configuration on each matrix." + cloudWords(trends),
		Alt: fmt.Sprintf("%s over %s by mean row length", kernel,
			term.GroupedCount(len(stops), "matrix", "matrices")),
		Keys: precisionKeys(panels, func(p kernels.Precision) canvas.Look {
			return precisionLook(canvas.LookOf(kernel), p)
		}, trends),
		Detail: true,
		Height: 280 + chart.StemHeight(cl.Stems),
	}

	entitle(p, keepsWords(panels, []string{kernel}),
		fmt.Sprintf("%s: throughput over row length, %s", kernel, d.ConditionWords(at)))
	p.Body = func(c draw.Canvas) {
		chart.DrawClouds(c, []chart.Cloud{cl}, 1, byRowLength.by, data.GFLOPS.Label)
	}
	return p
}

// keepsWords states what share of its float32 speed a kernel keeps in float64 or, of several
// kernels, the least and the most; "" without both precisions.
func keepsWords(panels []data.Panel, names []string) string {
	type kept struct {
		kernel string
		share  float64
		on     int
	}
	var list []kept
	for _, name := range names {
		var mean stat.GeometricMean
		for i := range panels {
			single := panels[i].Best(name)
			if panels[i].Precision != kernels.Float32 || single == nil {
				continue
			}
			for j := range panels {
				double := panels[j].Best(name)
				if double != nil && panels[j].Precision == kernels.Float64 && panels[j].Matrix == panels[i].Matrix {
					mean.Add(single.Time / double.Time)
				}
			}
		}
		if mean.Count() > 0 {
			list = append(list, kept{name, mean.Value(), mean.Count()})
		}
	}
	if len(list) == 0 {
		return ""
	}

	byShare := func(a, b kept) int { return cmp.Compare(a.share, b.share) }
	least, most := slices.MinFunc(list, byShare), slices.MaxFunc(list, byShare)
	text := fmt.Sprintf("%s keeps %s of its float32 speed in float64", least.kernel, number.Percent0(least.share))
	if len(list) > 1 {
		return text + fmt.Sprintf(", %s %s", most.kernel, number.Percent0(most.share))
	}
	return text + fmt.Sprintf(" (geometric mean of %s)", term.GroupedCount(least.on, "matrix", "matrices"))
}
