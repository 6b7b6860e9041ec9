package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The bill of this test, which is a program, names itself, Go, the modules that it was linked from, and SQLite; it can
// be read back, and the same program has the same bill.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if err := write(w, "1.2.3", program); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two bills of the same program differ")
	}

	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(&a, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Version != "1.2.3" {
		t.Errorf("version %q", bom.Metadata.Component.Version)
	}
	for _, url := range []string{
		"pkg:golang/std@1.", "pkg:golang/github.com/mattn/go-sqlite3@v1.", "pkg:generic/sqlite@3.",
		"pkg:golang/github.com/CycloneDX/cyclonedx-go@v0."} {
		if !slices.ContainsFunc(*bom.Components, func(c cdx.Component) bool { return strings.HasPrefix(c.PackageURL, url) }) {
			t.Errorf("no component %s", url)
		}
	}

	if err := write(&b, "1.2.3", "main.go"); err == nil {
		t.Error("a source file has a bill")
	}
}
