package cli

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that prints what it has found has the same flags for its format.
func TestOutputFlags(t *testing.T) {
	others := []string{ // print a file, nothing, or what another program reads
		"spmvtune export", "spmvtune import", "spmvtune profile", "spmvtune help", "spmvtune kernels new", "spmvtune task",
		"spmvtune matrix convert", "spmvtune matrix spy", "spmvtune matrix cache prune", "spmvtune matrix cache verify",
		"spmvtune serve", "spmvtune man",
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Name() != "completion" && !sub.Hidden {
				visit(sub)
			}
		}
		if c.Hidden || !c.Runnable() ||
			c.Args != nil && c.Args(c, nil) == nil && c.HasSubCommands() && c.Flags().Lookup("json") == nil ||
			slices.Contains(others, c.CommandPath()) {
			return
		}
		for _, flag := range []string{"format", "json"} {
			if c.Flags().Lookup(flag) == nil {
				t.Errorf("%s has no --%s", c.CommandPath(), flag)
			}
		}
	}
	visit(New())
}
