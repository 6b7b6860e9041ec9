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

// Each command has a page, which says all that its help does, in the order of its help, and man has nothing to
// complain of.
func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	if err := write("v0", dir); err != nil {
		t.Fatal(err)
	}

	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		page := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			return
		}
		if !strings.Contains(string(text), `"Nov 2023" "spmvtune v0"`) {
			t.Errorf("%s: neither date nor version: %.200s", page, text)
		}
		says(t, page, c.Long)
		n++

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

// says fails the test if a page, as man shows it, has not the words of a text in their order.
func says(t *testing.T, page, text string) {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		return // a small image has no groff
	}
	cmd := exec.Command("groff", "-man", "-Kutf8", "-Tutf8", "-rHY=0", "-P-c", "-P-bou", "-ww", page)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("%s: %v, %s", page, err, complaints.String())
	}

	typed := strings.NewReplacer("‐", "-", "−", "-", "‘", "'", "’", "'", "˜", "~", "ˆ", "^") // as on the keyboard
	joined := func(s string) string {                                                        // a line may end after a hyphen
		return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "- ", "-")
	}
	got, want := joined(typed.Replace(string(out))), joined(text)
	if !strings.Contains(got, want) {
		t.Errorf("%s says\n%s\nwhere the help says\n%s", page, got, want)
	}
}
