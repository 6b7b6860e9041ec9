// SPDX-License-Identifier: Apache-2.0

package configs

import (
	_ "embed"
	"strings"
	"text/template"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner/search"
)

//go:embed help.toml.tmpl
var helpText string

// Schema is the JSON schema (draft 7) of sweep files, by which editors complete and check them. TestSchema writes it from
// the tables that read them.
//
//go:embed sweep.schema.json
var Schema string

// Help documents the format of a sweep file. It is what "spmvtune help config" prints.
func Help() string {
	intro, _ := helpParts(term.PageWidth)
	return intro + example()
}

// example is a sweep file with every key. A test decodes it.
func example() string {
	_, sections := helpParts(term.PageWidth)
	return strings.Join(lists.Of(sections, func(s helpSection) string { return s.text }), "\n")
}

// A helpSection is a part of the example, and the heading that docs/sweep.md gives it.
type helpSection struct{ heading, text string }

// helpParts fills the template, and divides it. Comments are at most width columns wide.
func helpParts(width int) (intro string, sections []helpSection) {
	s := newSweep()
	searches := s.Search.keys(nil)
	var b strings.Builder
	err := template.Must(template.New("help").Parse(helpText)).Execute(&b, map[string]any{
		"Top": s.keys(nil)[:2], "Protocol": s.Protocol.keys(), "Search": searches.without("rule", "top"),
		"Rule": searches[len(searches)-2:], "Matrix": matrixKeys, "Kernel": kernelKeys, "Custom": customKeys, "Program": programKeys,
		"Device": s.Device.keys(), "Learn": s.Learn.keys(), "Report": s.Report.keys(), "Slurm": s.Slurm.keys(),
		"Finish": s.Slurm.Finish.keys(), "Strategies": strategies(width), "Generators": generators(width), "Width": width,
	})
	if err != nil {
		panic(err) // the template is part of the program
	}
	parts := strings.Split(b.String(), "=== ")
	for _, part := range parts[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		sections = append(sections, helpSection{heading, text})
	}
	return parts[0], sections
}

// strategies lists the search strategies, in comments.
func strategies(width int) string {
	return section(lists.Of(search.Strategies, func(k search.Kind) key {
		if k.Adaptive {
			k.Help += " (adaptive)"
		}
		return key{name: k.Name, doc: k.Help}
	})).Comments(width)
}

// generators lists the generators and their arguments, in comments.
func generators(width int) string {
	return section(lists.Of(generate.Generators(), func(g generate.Generator) key {
		args := lists.Of(g.Args, func(a generate.Arg) string {
			if a.Required {
				return a.Name
			}
			return a.Name + " = " + a.Value(a.Default)
		})
		return key{name: g.Name, doc: strings.Join(args, ", ")}
	})).Comments(width)
}
