// Command sbom writes the bill of materials of a program of ours: the modules that were linked in, by the program's own
// account, and SQLite, which comes inside one of them. The form is CycloneDX 1.5 in JSON.
//
//	go run ./internal/release/sbom VERSION PROGRAM > spmvtune.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/mattn/go-sqlite3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill of a program. The same program gives the same bytes: no time, no random serial number.
func write(w io.Writer, version, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}

	bom := cdx.NewBOM()
	self := cdx.Component{
		Type: cdx.ComponentTypeApplication, BOMRef: info.Main.Path, Name: info.Main.Path, Version: version,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}
	bom.Metadata = &cdx.Metadata{Component: &self}

	components := []cdx.Component{library("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := library("golang", m.Path, m.Version)
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		components = append(components, c)
		if m.Path == "github.com/mattn/go-sqlite3" {
			sqlite, _, _ := sqlite3.Version()
			components = append(components, library("generic", "sqlite", sqlite))
		}
	}
	bom.Components = &components

	parts := make([]string, len(components))
	for i := range components {
		parts[i] = components[i].BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &parts}}
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_5)
}

// library is a component that is linked in. Its kind is the type of its package URL.
func library(kind, name, version string) cdx.Component {
	url := "pkg:" + kind + "/" + name + "@" + version
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: name, Version: version, PackageURL: url}
}
