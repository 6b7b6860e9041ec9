// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/page"
	"example.org/spmvtune/plots/table"
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

// savePaper writes captions and tables for a paper with columns of this width, and pictures in the paper's font.
func savePaper(out *folder, content *page.Content, pictures []*canvas.Picture, width vg.Length) error {
	from := provenance(content)
	for i, p := range pictures {
		title := p.Title
		if i == 0 || len(content.Report.Conditions()) > 1 { // elsewhere the others would repeat the first
			title = p.Heading()
		}
		if err := out.Write("figures/"+p.Name+".tex", caption(p, title, from)); err != nil {
			return err
		}
		plain, texts, err := p.Lettered()
		if err != nil {
			return err
		}
		if err := errors.Join(out.Write("figures/"+p.Name+"-plain.pdf", plain),
			out.Write("figures/"+p.Name+"-text.tex", lettering(p, texts))); err != nil {
			return err
		}
	}
	for _, s := range content.Sheets {
		if err := out.Write("tables/"+s.Stem+".tex", s.Booktabs(width, from)); err != nil {
			return err
		}
	}
	return nil
}

// lettering is a picture whose text LaTeX sets: it has the paper's font, and can be searched.
func lettering(p *canvas.Picture, texts []canvas.Text) []byte {
	b := bytes.NewBufferString("% in place of \\includegraphics{" + p.Name + "}; needs \\usepackage{graphicx,xcolor}\n")
	width, height := p.Size()
	fmt.Fprintf(b, "\\begingroup\\setlength{\\unitlength}{1bp}\\begin{picture}(%.2f,%.2f)%%\n\\put(0,0){\\includegraphics{%s-plain}}%%\n",
		width.Points(), height.Points(), p.Name)
	for _, t := range texts {
		series := map[bool]string{true: "\\bfseries"}[t.Bold]
		fmt.Fprintf(b, "\\put(%.1f,%.1f){\\rotatebox{%d}{\\makebox(0,0)[%s]{\\smash{\\fontsize{%.1f}{%[5]g}%s\\selectfont\\color[RGB]{%d,%d,%d}%s}}}}%%\n",
			t.X, t.Y, t.Angle, t.Side, t.Size, series, t.Color.R, t.Color.G, t.Color.B, table.LaTeX(t.Words))
	}
	b.WriteString("\\end{picture}\\endgroup\n")
	return b.Bytes()
}

// caption is what stands below a picture in a paper, beginning with a title. Where its numbers are from stands in a
// comment.
func caption(p *canvas.Picture, title, from string) []byte {
	var b strings.Builder
	b.WriteString("% \\input{" + p.Name + "-text} in place of \\includegraphics has the paper's font, and can be searched\n")
	b.WriteString("% \\begin{figure}\\centering\\includegraphics{" + p.Name + "}\\input{" + p.Name + "}\\end{figure}\n")
	b.WriteString("% " + from + "\n")
	b.WriteString("\\caption{" + table.LaTeX(withStop(title)))
	if p.Subtitle != "" {
		b.WriteString("\n" + table.LaTeX(p.Subtitle))
	}
	b.WriteString("}\n\\label{fig:" + p.Name + "}\n")
	return []byte(b.String())
}

func withStop(s string) string { return strings.TrimSuffix(s, ".") + "." }

// provenance says where, when and on what a paper's figures and tables rest.
func provenance(content *page.Content) string {
	of := content.By()
	for i := range content.Report.Devices {
		of += " · " + content.Report.Devices[i].Driver
	}
	return of
}
