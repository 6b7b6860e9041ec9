// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/cli"
	"example.org/spmvtune/internal/testing/testkit"
)

// A release without the commit's date is none: the script ends where git fails.
func TestGitFails(t *testing.T) {
	script := testkit.Must(os.ReadFile("release.sh"))
	clone := t.TempDir()
	for name, text := range map[string]string{
		"internal/release/release.sh": string(script),
		"bin/git":                     "#!/bin/sh\ncase $1 in describe) echo v1 ;; *) exit 1 ;; esac\n",
	} {
		path := filepath.Join(clone, name)
		testkit.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o777))
	}
	cmd := exec.Command("bash", filepath.Join(clone, "internal/release/release.sh"))
	cmd.Env = append(os.Environ(), "PLATFORMS=none", "PATH="+filepath.Join(clone, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	testkit.Check(t, cmd.ProcessState.ExitCode() == 1 && !strings.Contains(string(out), "platform"), "it goes on: %v, %s", err, out)
}

// pages writes the pages, and calls each with every command and its page.
func pages(t *testing.T, each func(c *cobra.Command, page string)) {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	testkit.Succeed(t, writePages("v0", dir))
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n++
		each(c, filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() {
				visit(child)
			}
		}
	}
	visit(cli.New())
	testkit.Check(t, n >= 25, "%d pages", n)
}

// Each command has a page, with its version and date.
func TestPages(t *testing.T) {
	pages(t, func(_ *cobra.Command, page string) {
		text, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(text), `"Nov 2023" "spmvtune v0"`) {
			t.Errorf("%s: neither date nor version: %.200s, %v", page, text, err)
		}
	})
}

// A page, as man shows it, says all that the help does, in its order, however wide the terminal is, and man has nothing
// to complain of.
func TestPagesSayTheHelp(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("groff, which shows manual pages, is not installed: ", err)
	}
	widths := []string{"78n"}
	if testkit.LongAsked() {
		widths = []string{"60n", "78n", "131n"}
	}
	pages(t, func(c *cobra.Command, page string) {
		for _, width := range widths {
			says(t, page, width, c.Long)
		}
	})
}

// says fails the test if a page of a width has not the words of a text in their order.
func says(t *testing.T, page, width, text string) {
	t.Helper()
	cmd := exec.Command("groff", "-man", "-Kutf8", "-Tutf8", "-rHY=0", "-rLL="+width, "-P-c", "-P-bou", "-ww", page)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("%s: %v, %s", page, err, complaints.String())
	}

	typed := strings.NewReplacer("‐", "-", "−", "-", "‘", "'", "’", "'", "˜", "~", "ˆ", "^") // as on the keyboard
	// A line may end after a hyphen.
	joined := func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "- ", "-") }
	got, want := joined(typed.Replace(string(out))), joined(text)
	testkit.Check(t, strings.Contains(got, want), "%s, %s wide, says\n%s\nwhere the help says\n%s", page, width, got, want)
}

// The bill of this test, which is a program, names itself, Go, the modules that it was linked from, and SQLite; it can
// be read back, and the same program has the same bill. Each part has a licence, by the notices, and a supplier.
func TestBill(t *testing.T) {
	program := testkit.Must(os.Executable())
	notices := string(testkit.Must(exec.Command("./notices.sh", program).Output()))
	testkit.Says(t, "the notices", notices, "\n== gonum.org/v1/gonum ", "SIL OPEN FONT LICENSE", "FreeType Project LICENSE")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		testkit.Succeed(t, writeBill(w, strings.NewReader(notices), "1.2.3", program))
	}
	testkit.Check(t, bytes.Equal(a.Bytes(), b.Bytes()), "two bills of the same program differ")

	var bom cdx.BOM
	testkit.Succeed(t, cdx.NewBOMDecoder(&a, cdx.BOMFileFormatJSON).Decode(&bom))
	testkit.Equal(t, bom.Metadata.Component.Version, "1.2.3", "version")
	testkit.Equal(t, bom.Metadata.Timestamp, "2023-11-14T22:13:20Z", "time")
	for _, c := range *bom.Components {
		testkit.Check(t, (*c.Licenses)[0].Expression != "" && c.Supplier.Name != "", "%s: %+v", c.Name, c.Licenses)
	}
	for _, url := range []string{
		"pkg:golang/std@1.", "pkg:golang/github.com/mattn/go-sqlite3@v1.", "pkg:generic/sqlite@3.",
		"pkg:golang/github.com/CycloneDX/cyclonedx-go@v0."} {
		if !slices.ContainsFunc(*bom.Components, func(c cdx.Component) bool { return strings.HasPrefix(c.PackageURL, url) }) {
			t.Errorf("no component %s", url)
		}
	}

	if err := writeBill(&b, strings.NewReader(notices), "1.2.3", "main.go"); err == nil {
		t.Error("a source file has a bill")
	}
}
