package command

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spmvtune/internal/job"
	"spmvtune/store"
)

// The variables that name results.
const (
	EnvOut  = "SPMVTUNE_OUT"
	EnvRuns = "SPMVTUNE_RUNS"
	EnvRule = "SPMVTUNE_RULE" // what select takes without --rule
)

// OutRoot is where runs leave their results unless --out says otherwise.
func OutRoot() string { return cmp.Or(os.Getenv(EnvOut), "spmvtune-out") }

// RunsRoot is where submit makes the folders of runs unless --runs says otherwise.
func RunsRoot() string { return cmp.Or(os.Getenv(EnvRuns), "runs") }

// RunHelp says, in the help of a command that reads databases, what names one.
const RunHelp = `RUN is the name of a run, its folder, or its database: quickstart,
spmvtune-out/quickstart and spmvtune-out/quickstart/results.db are the same. So is the
beginning of a name that only one run has. Without RUN, it is the run whose results were
written last. A file or a folder of that name comes first.`

// Database returns the path of the results database that a word names, see RunHelp. It tells on the
// standard error output which run it takes where none is named.
func Database(cmd *cobra.Command, word string) (string, error) {
	return FileOfRun(cmd, word, job.DatabaseFile)
}

// FileOfRun is Database for another file that runs leave in their folders.
func FileOfRun(cmd *cobra.Command, word, file string) (path string, err error) {
	var note string
	if word == "" {
		path, note, err = lastRun(file)
	} else {
		path, note, err = fileOf(word, file)
	}
	if note != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	return path, err
}

// OpenDatabase opens the database that a word names for reading.
func OpenDatabase(cmd *cobra.Command, word string) (*store.DB, string, error) {
	path, err := Database(cmd, word)
	if err != nil {
		return nil, "", err
	}
	db, err := store.OpenCurrent(cmd.Context(), path)
	return db, path, err
}

// DatabaseArg opens the database that the only argument of a command names, if there is an
// argument.
func DatabaseArg(cmd *cobra.Command, args []string) (*store.DB, string, error) {
	return OpenDatabase(cmd, first(args))
}

// Databases returns the databases that the arguments of a command name, or that of the last run.
func Databases(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{""}
	}
	var paths []string
	for _, word := range args {
		path, err := Database(cmd, word)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// CompleteRun completes one argument with the names of runs, or with files.
func CompleteRun(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return CompleteRuns(cmd, args, word)
}

// CompleteRuns completes any number of arguments with the names of runs, or with files.
func CompleteRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return RunNames(job.DatabaseFile), cobra.ShellCompDirectiveDefault
}
