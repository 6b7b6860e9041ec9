package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/store"
)

// OutRoot is where runs leave their results unless --out says otherwise.
const OutRoot = "spmvtune-out"

// OpenDatabase opens the named results database for reading, or, if no name is
// given, the only one below the results folder; command gives the command line
// that names one of several.
func OpenDatabase(name string, command func(path string) string) (*store.DB, string, error) {
	if name == "" {
		var err error
		if name, err = Only(DatabaseFile, "results database", command); err != nil {
			return nil, "", err
		}
	}
	db, err := store.OpenReadOnly(name)
	return db, name, err
}

// Only returns the only file of this name below the results folder; what says
// what it holds.
func Only(file, what string, command func(path string) string) (string, error) {
	found, err := filepath.Glob(filepath.Join(OutRoot, "*", file))
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", WithHint(errors.New("no "+what+" here"), "spmvtune run quickstart makes one; or name one")
	case 1:
		return found[0], nil
	}
	hint := "say which one:"
	for _, path := range found {
		hint += "\n  " + command(path)
	}
	return "", UsageHint(fmt.Errorf("more than one %s here", what), hint)
}

// DatabaseArg opens the database that the only argument of a command names, if it
// is given.
func DatabaseArg(cmd *cobra.Command, args []string) (*store.DB, string, error) {
	var name string
	if len(args) == 1 {
		name = args[0]
	}
	return OpenDatabase(name, func(path string) string { return Again(cmd, path) })
}
