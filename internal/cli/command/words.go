package command

import (
	"fmt"
	"os"
	"path/filepath"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
)

// FewNames is how many names are listed on a line.
const FewNames = 5

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

// Unknown is the usage error of a name that is not valid. It suggests the nearest valid one, or says which there are:
// whats is the plural of what, and a command lists all.
func Unknown(what, whats, name string, valid []string, command string) error {
	err := fmt.Errorf("unknown %s %q", what, name)
	if hint := configs.Suggest(name, whats, valid, command); hint != "" {
		err = fmt.Errorf("%w: %s", err, hint)
	}
	return Usage(err)
}

// NothingLeft says that there is nothing to measure, because all configurations are left out for these reasons.
func NothingLeft(reasons []string) string {
	return fmt.Sprintf("no configuration is left to measure (skipped: %s)", term.Some(reasons, FewNames))
}
