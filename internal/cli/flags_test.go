package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every command that prints what it has found has the same flags for its format. The help takes what stands in
// backquotes for the name of a flag's value: a command there mangles it.
func TestFlags(t *testing.T) {
	others := []string{ // print a file, nothing, or what another program reads
		"export", "import", "profile", "help", "kernels new", "task", "matrix convert", "matrix spy", "matrix cache prune",
		"matrix cache verify", "serve",
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "spmvtune ")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); strings.Contains(value, " ") {
				t.Errorf("%s has the flag --%s %s", name, f.Name, value)
			}
		})
		printing := c.Runnable() && !c.Hidden && !c.HasSubCommands() && !strings.HasPrefix(name, "completion ") ||
			c.Flags().Lookup("json") != nil
		if printing && !slices.Contains(others, name) && (c.Flags().Lookup("format") == nil || c.Flags().Lookup("json") == nil) {
			t.Errorf("%s has no --format or --json", name)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(New())
}
