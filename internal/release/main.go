// Command release writes what a release has beside the programs: the manual pages, and the bill of
// materials.
//
//	go run ./internal/release man VERSION FOLDER
//	go run ./internal/release bill VERSION PROGRAM > spmvtune.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"spmvtune/internal/base/lists"
	"spmvtune/internal/cli"
)

func main() {
	var what, version, path string
	if len(os.Args) == 4 {
		what, version, path = os.Args[1], os.Args[2], os.Args[3]
	}
	var err error
	switch what {
	case "man":
		err = writePages(version, path)
	case "bill":
		err = writeBill(os.Stdout, version, path)
	default:
		fmt.Fprintln(os.Stderr, "usage: release man VERSION FOLDER | bill VERSION PROGRAM")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// writeBill writes the bill of materials of this program: the modules that were linked in, by the program's own
// account, and SQLite, which comes inside one of them. The form is CycloneDX 1.5 in JSON. The same program gives the same bytes: no time, no random serial number.
func writeBill(w io.Writer, version, program string) error {
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

	parts := lists.Of(components, func(c cdx.Component) string { return c.BOMRef })
	bom.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &parts}}
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_5)
}

// library is a component that is linked in. Its kind is the type of its package URL.
func library(kind, name, version string) cdx.Component {
	url := "pkg:" + kind + "/" + name + "@" + version
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: name, Version: version, PackageURL: url}
}

// writePages writes a manual page for each command of the program into a folder. Their date is that of SOURCE_DATE_EPOCH, or 1970 where it is not set: never today, so that a
// version has one text.
func writePages(version, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	date := time.Unix(seconds, 0).UTC()
	root := cli.New()
	root.DisableAutoGenTag = true
	escape(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "spmvtune " + version,
		Manual: "spmvtune"}, folder)
}

// escape makes Markdown, from which pages are made, of the texts of commands, which are plain: a line that begins with
// a blank stays a line.
func escape(c *cobra.Command) {
	signs := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`)
	var b strings.Builder
	code := false
	for line := range strings.Lines(c.Long) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if indented != code && strings.TrimSpace(line) != "" {
			b.WriteString("\n")
			code = indented
		}
		if indented {
			b.WriteString("    " + line)
		} else {
			signs.WriteString(&b, line)
		}
	}
	c.Long = b.String()
	for _, child := range c.Commands() {
		escape(child)
	}
}
