package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help takes what stands in backquotes for the name of a flag's value: a command there mangles it.
func TestFlagUsage(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); strings.Contains(name, " ") {
				t.Errorf("%s has the flag --%s %s", c.CommandPath(), f.Name, name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(New())
}
