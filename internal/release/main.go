// SPDX-License-Identifier: Apache-2.0

// Command release writes what a release has beside the programs: the manual pages, and the bill of
// materials.
//
//	go run ./internal/release man VERSION FOLDER
//	go run ./internal/release bill VERSION PROGRAM <NOTICES > spmvtune.cdx.json
//
// NOTICES is what notices.sh prints of the program. Moments are that of SOURCE_DATE_EPOCH, so that a version has one text.
package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/cli"
)

func main() {
	var what, version, file string
	if len(os.Args) == 4 {
		what, version, file = os.Args[1], os.Args[2], os.Args[3]
	}
	var err error
	switch what {
	case "man":
		err = writePages(version, file)
	case "bill":
		err = writeBill(os.Stdout, os.Stdin, version, file)
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
// account, and SQLite, which comes inside one of them, with the licences of the notices. The form is CycloneDX 1.5 in
// JSON. The same program gives the same bytes: there is no random serial number.
func writeBill(w io.Writer, notices io.Reader, version, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(notices)
	if err != nil {
		return err
	}
	licences := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^== (\S+) \S+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		licences[line[1]] = line[2]
	}
	library := func(kind, name, version string) cdx.Component {
		url := "pkg:" + kind + "/" + name + "@" + version
		return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: name, Version: version, PackageURL: url,
			Supplier: &cdx.OrganizationalEntity{Name: cmp.Or(suppliers[name], path.Dir(name))},
			Licenses: &cdx.Licenses{{Expression: licences[name]}}}
	}

	bom := cdx.NewBOM()
	self := cdx.Component{
		Type: cdx.ComponentTypeApplication, BOMRef: info.Main.Path, Name: info.Main.Path, Version: version,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}
	bom.Metadata = &cdx.Metadata{Component: &self, Timestamp: moment().Format(time.RFC3339),
		Supplier: &cdx.OrganizationalEntity{Name: "the spmvtune authors"}}

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

// suppliers are those of what is no module; a module's is the folder that it comes from.
var suppliers = map[string]string{"std": "The Go Authors", "sqlite": "The SQLite authors"}

// moment is that of the release.
func moment() time.Time {
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	return time.Unix(seconds, 0).UTC()
}

// writePages writes a manual page for each command of the program, and for each topic of its help, into a folder.
func writePages(version, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	date := moment()
	root := cli.New()
	root.DisableAutoGenTag = true
	escape(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "spmvtune " + version,
		Manual: "spmvtune"}, folder)
}

// escape makes Markdown, from which pages are made, of the texts of commands, which are plain: a line that begins with
// a blank stays a line.
func escape(c *cobra.Command) {
	if c.HasAvailableSubCommands() {
		c.Use += " COMMAND"
	} else if !c.Runnable() {
		c.Run = func(*cobra.Command, []string) {} // a topic has a page, too
	}
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
