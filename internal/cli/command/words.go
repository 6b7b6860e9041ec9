package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spmvtune/configs"
	"spmvtune/internal/term"
)

// FewNames is how many names are listed on a line.
const FewNames = 5

// Again returns the command line that runs cmd with its flags and these words.
func Again(cmd *cobra.Command, words ...string) string {
	line := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			line = append(line, "--"+f.Name)
		} else {
			line = append(line, "--"+f.Name, f.Value.String())
		}
	})
	return term.Shell(append(line, words...)...)
}

// Shown returns a path relative to the working folder if it is below that.
func Shown(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

// Unknown is the usage error of a name that is not valid. It suggests the nearest valid one,
// or lists them if there are few.
func Unknown(what, name string, valid []string) error {
	err := fmt.Errorf("unknown %s %q", what, name)
	const few = 12 // more names on a line do not help
	if near := configs.Nearest(name, valid); near != "" {
		err = fmt.Errorf("%w: did you mean %q?", err, near)
	} else if len(valid) > 0 && len(valid) <= few {
		err = fmt.Errorf("%w: must be one of %s", err, strings.Join(valid, ", "))
	}
	return Usage(err)
}
