package generate

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var regen = flag.Bool("regen", false, "write the table of generators into the documentation")

// The documentation has every generator with its arguments, as the table of generators says.
func TestDocumentation(t *testing.T) {
	const path, begin, end = "../../docs/generators.md", "| generator | arguments | what it makes |\n|---|---|---|\n", "\n\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

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

	before, rest, _ := strings.Cut(string(data), begin)
	_, after, _ := strings.Cut(rest, end)
	want := before + begin + strings.TrimSuffix(table.String(), "\n") + end + after
	if *regen {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Errorf("%s lists other generators: go test ./sparse/generate -run TestDocumentation -regen", path)
	}
}
