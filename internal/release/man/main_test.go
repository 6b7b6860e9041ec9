package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli"
)

// pages writes the pages, and calls each with every command and its page.
func pages(t *testing.T, each func(c *cobra.Command, page string)) {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	if err := write("v0", dir); err != nil {
		t.Fatal(err)
	}
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n++
		each(c, filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() {
				visit(child)
			}
		}
	}
	visit(cli.New())
	if n < 25 {
		t.Errorf("%d pages", n)
	}
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
	pages(t, func(c *cobra.Command, page string) {
		for _, width := range []string{"60n", "78n", "131n"} {
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
	if !strings.Contains(got, want) {
		t.Errorf("%s, %s wide, says\n%s\nwhere the help says\n%s", page, width, got, want)
	}
}
