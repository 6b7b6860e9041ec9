package generate

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/docs"
)

var regen = flag.Bool("regen", false, "write the table of generators into the documentation")

// The documentation has every generator with its arguments, as the table of generators says.
func TestDocumentation(t *testing.T) {
	var table strings.Builder
	for _, g := range Generators {
		var args []string
		for _, a := range g.Args {
			switch {
			case a.Name == "seed" || a.Name == "of":
				args = append(args, "`"+a.Name+"`")
			case a.Required:
				args = append(args, fmt.Sprintf("`%s`: %s", a.Name, a.Doc))
			default:
				args = append(args, fmt.Sprintf("`%s = %s`: %s", a.Name, a.Value(a.Default), a.Doc))
			}
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", g.Name, strings.Join(args, "; "), g.Doc)
	}

	docs.Section(t, "../../docs/generators.md", "| generator | arguments | what it makes |\n|---|---|---|\n", "\n\n",
		strings.TrimSuffix(table.String(), "\n"), *regen)
}
