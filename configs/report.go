// SPDX-License-Identifier: Apache-2.0

package configs

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/lists"
)

// Report sets defaults of the report. All lists but that of figures hold names, or patterns
// with * and ?, of what the report is on; an empty one means all. What names may mean is
// known once there are results: the report says if nothing is called so.
type Report struct {
	// Figures are ids; none means all that the data allows.
	Figures  []string
	Kernels  []string
	Matrices []string
	// Devices are parts of their names.
	Devices    []string
	Precisions []string
	Caches     []string
	// Published says to draw the papers' own numbers, too.
	Published bool
}

// keys are those of [report].
func (r *Report) keys() section {
	return section{
		{name: "figures", example: `["throughput-vs-block"]`, into: &r.Figures, options: Figures,
			doc: "default: all that the data allows"},
		{name: "kernels", example: `["coo_*"]`, into: &r.Kernels,
			doc: "only these, as report --kernel takes them; default, here and below: all"},
		{name: "matrices", example: `["delaunay_n23"]`, into: &r.Matrices},
		{name: "devices", example: `["H100"]`, into: &r.Devices, doc: "parts of their names"},
		{name: "precisions", example: `["float32"]`, into: &r.Precisions},
		{name: "caches", example: `["cold"]`, into: &r.Caches},
		{name: "published", into: &r.Published, doc: "draw the papers' own numbers beside the measured ones"},
	}
}

// Learn says which matrices teach the rule.
type Learn struct {
	// Test has the classes that are kept for the final test: they teach nothing.
	Test []string
}

// keys are those of [learn].
func (l *Learn) keys() section {
	return section{{name: "test", example: `["power law"]`, into: &l.Test,
		doc: "classes that are kept for the final test: they teach the rule nothing; default: none"}}
}

// known notes test classes that no matrix has: with a misspelt class, the rule would learn from
// its own test.
func (t *table) known(test []string, matrices []Matrix) {
	classes := lists.Distinct(matrices, func(m Matrix) string { return m.Class })

	for _, class := range test {
		if !slices.Contains(classes, class) {
			t.fail("test", Suggest(class, "classes", classes, ""), "no matrix is of class %q", class)
		}
	}
}

// LearnOf returns the [learn] section of a sweep's text as a database keeps it. A value that
// can't be read any more counts as missing.
func LearnOf(text []byte) Learn {
	var file struct {
		Learn struct{ Test any }
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return Learn{}
	}

	var errs Errors
	t := &table{errs: &errs, vals: map[string]any{"test": file.Learn.Test}, at: &position{}}
	var l Learn
	t.read(l.keys())
	return l
}

// Figures are the ids of the figures that a report can hold. A test of plots/figure writes
// them into figures.txt, from the registry there.
var Figures = strings.Fields(figureIDs)

//go:embed figures.txt
var figureIDs string
