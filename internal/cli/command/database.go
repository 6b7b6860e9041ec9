package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/job"
	"spmvtune/store"
)

// OutRoot is where runs leave their results unless --out says otherwise.
const OutRoot = "spmvtune-out"

// OpenDatabase opens the named results database for reading or, if name is empty, the only one
// below the results folder. again returns the command line that names one of several.
func OpenDatabase(ctx context.Context, name string, again func(path string) string) (*store.DB, string, error) {
	if name == "" {
		var err error
		if name, err = OnlyDatabase(again); err != nil {
			return nil, "", err
		}
	}
	db, err := store.OpenCurrent(ctx, name)
	return db, name, err
}

// OnlyDatabase returns the only results database below the results folder.
func OnlyDatabase(again func(path string) string) (string, error) {
	return Only(job.DatabaseFile, "results database", again)
}

// Only returns the only file of this name below the results folder. what says what it holds,
// and again returns the command line that names one of several.
func Only(file, what string, again func(path string) string) (string, error) {
	found, err := filepath.Glob(filepath.Join(OutRoot, "*", file))
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", WithHint(errors.New("no "+what+" here"), "name one, or make one with spmvtune run quickstart")
	case 1:
		return found[0], nil
	}

	hint := "name one:"
	for _, path := range found {
		hint += "\n  " + again(path)
	}
	return "", UsageHint(fmt.Errorf("more than one %s here", what), hint)
}

// DatabaseArg opens the database that the only argument of a command names, if there is an
// argument.
func DatabaseArg(cmd *cobra.Command, args []string) (*store.DB, string, error) {
	var name string
	if len(args) == 1 {
		name = args[0]
	}
	return OpenDatabase(cmd.Context(), name, func(path string) string { return Again(cmd, path) })
}

// Databases returns the databases that the arguments of a command name, or the only one below
// the results folder.
func Databases(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	name, err := OnlyDatabase(func(path string) string { return Again(cmd, path) })
	return []string{name}, err
}
