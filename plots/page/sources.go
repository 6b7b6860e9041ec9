package page

import (
	"strconv"
	"strings"

	"spmvtune/analysis"
	"spmvtune/kernels"
)

// A source is an entry of the report's bibliography.
type source struct{ Key, Text string }

// sources lists the papers that the figures and the measured kernels cite by key.
func sources(c *Content) []source {
	var cites strings.Builder
	for _, f := range c.Figures {
		cites.WriteString(f.Source + "; ")
	}
	for _, name := range analysis.KernelsOf(c.Report.Panels) {
		k, _ := kernels.Lookup(name)
		cites.WriteString(k.Source + "; ")
	}

	var list []source
	for _, p := range kernels.Cited(cites.String()) {
		text := p.Title + ". " + p.Where + ", " + strconv.Itoa(p.Year) + "."
		if p.Authors != "" {
			text = p.Authors + ": " + text
		}
		list = append(list, source{p.Key, text})
	}

	return list
}
