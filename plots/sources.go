package plots

import (
	"strconv"
	"strings"

	"spmvtune/kernels"
)

// A source is an entry of the report's bibliography.
type source struct{ Key, Text string }

// sources are the papers that the pages' figures and the kernels measured cite
// by key.
func sources(d *data, pages []*page) []source {
	var cites strings.Builder
	for _, p := range pages {
		cites.WriteString(p.figure.Source + "; ")
	}
	for _, name := range kernelsOf(d.panels) {
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

// originTable says where each kernel measured comes from.
func originTable(d *data) table {
	t := table{Title: "Where the kernels come from", Columns: []column{{"kernel", false}, {"called there", false}, {"source", false}}}
	for _, name := range kernelsOf(d.panels) {
		k, known := kernels.Lookup(name)
		if !known {
			k.Source = "a user's own"
		}
		t.Rows = append(t.Rows, []cell{words(name), words(k.Paper), words(k.Source)})
	}
	return t
}
