package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/page"
	"spmvtune/plots/table"
)

// PaperDir is the folder of what is for a paper, in a report's folder.
const PaperDir = "paper"

// papers are the widths of a column by the names of classes: acmart's sigconf, IEEEtran, and
// an A4 page of one column with margins of 2.5 cm.
var papers = map[string]vg.Length{
	"acm":  241.15 * 72 / 72.27, // TeX has 72.27 points in an inch
	"ieee": 252 * 72 / 72.27,
	"a4":   16 * vg.Centimeter,
}

// PaperWidth returns the width of a column: acm, ieee, a4, or a length such as 8.5cm.
func PaperWidth(name string) (vg.Length, error) {
	if w, ok := papers[name]; ok {
		return w, nil
	}
	for unit, size := range map[string]vg.Length{"cm": vg.Centimeter, "mm": vg.Millimeter, "in": vg.Inch,
		"pt": vg.Inch / 72.27} {
		number, ok := strings.CutSuffix(name, unit)
		if v, err := strconv.ParseFloat(number, 64); ok && err == nil {
			w := vg.Length(v) * size
			if !(w >= leastPaper && w <= mostPaper) {
				return 0, fmt.Errorf("a column of %s: widths from 7cm to 30cm can be drawn", name)
			}
			return w, nil
		}
	}
	return 0, fmt.Errorf("unknown paper %q: acm, ieee, a4, or the width of a column such as 8.5cm", name)
}

const (
	leastPaper = 7 * vg.Centimeter
	mostPaper  = 30 * vg.Centimeter
)

// savePaper writes captions and tables for a paper with columns of this width.
func savePaper(out *folder, content *page.Content, pictures []*canvas.Picture, width vg.Length) error {
	d := content.Report
	for _, p := range pictures {
		if err := out.Write("figures/"+p.Name+".tex", caption(d, p)); err != nil {
			return err
		}
	}
	for _, s := range content.Sheets {
		if len(s.Tables) == 0 {
			continue
		}
		if err := out.Write("tables/"+s.Stem+".tex", s.Booktabs(width, paperFacts(d, nil))); err != nil {
			return err
		}
	}
	return nil
}

// makeFolders makes the folders of a report.
func makeFolders(dir string, opt Options) error {
	folders := []string{"figures", "tables"}
	if opt.alone {
		folders = folders[:1]
	}
	for _, sub := range folders {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return fmt.Errorf("making the report's folder: %w", err)
		}
	}
	return nil
}

// caption is what stands below a picture in a paper. Where its numbers are from stands in a comment.
func caption(d *analysis.Data, p *canvas.Picture) []byte {
	var b strings.Builder
	b.WriteString("% \\begin{figure}\\centering\\includegraphics{" + p.Name + "}\\input{" + p.Name + "}\\end{figure}\n")
	b.WriteString("% " + paperFacts(d, p.Matrices) + "\n")
	b.WriteString("\\caption{" + table.LaTeX(withStop(p.Title)))
	if p.Subtitle != "" {
		b.WriteString("\n" + table.LaTeX(p.Subtitle))
	}
	b.WriteString("}\n\\label{fig:" + p.Name + "}\n")
	return []byte(b.String())
}

func withStop(s string) string { return strings.TrimSuffix(s, ".") + "." }

// paperFacts says where, when and on what trials a figure rests. Without matrices they are all.
func paperFacts(d *analysis.Data, matrices []string) string {
	trials := 0
	on := map[string]bool{}
	devices := map[string]bool{}
	first, last := "", ""
	for i := range d.Panels {
		p := &d.Panels[i]
		if matrices != nil && !slices.Contains(matrices, p.Matrix) {
			continue
		}
		on[p.Matrix], devices[p.Device] = true, true
		trials += len(p.Rows)
		for j := range p.Rows {
			day := p.Rows[j].At.UTC().Format("2006-01-02")
			if first == "" || day < first {
				first = day
			}
			last = max(last, day)
		}
	}

	var words []string
	for i := range d.Devices {
		if v := &d.Devices[i]; devices[v.Label] {
			words = append(words, d.DeviceWords(v.Label)+softwareOf(&v.Device))
		}
	}
	if last != first {
		first += " to " + last
	}
	return fmt.Sprintf("%s, %s, n = %s on %s.", strings.Join(words, "; "), first,
		term.GroupedCount(trials, "trial", "trials"), term.GroupedCount(len(on), "matrix", "matrices"))
}

// softwareOf names the software that a device's times depend on: a GPU's driver, or the compiler of a
// processor's kernels, which stands there before the number of cores.
func softwareOf(v *kernels.Device) string {
	switch compiler, _, _ := strings.Cut(v.Driver, ","); {
	case v.Driver == "":
		return ""
	case v.Backend == "cpu":
		return " (compiled by " + compiler + ")"
	}
	return " (driver " + v.Driver + ")"
}
