// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/store"
)

// The variables that name results.
const (
	EnvOut  = "SPMVTUNE_OUT"
	EnvRule = "SPMVTUNE_RULE" // what select takes without --rule
)

// OutRoot is where the folders of runs are, on this machine and on a cluster, unless a flag says otherwise.
func OutRoot() string { return cmp.Or(os.Getenv(EnvOut), "spmvtune-out") }

// RunHelp says, in the help of a command that reads databases, what names one.
const RunHelp = `RUN is the name of a run, its folder, or its database: quickstart,
spmvtune-out/quickstart and spmvtune-out/quickstart/results.db are the same. So is the
beginning of a name that only one run has. Without RUN, it is the run whose results were
written last. A file or a folder of that name comes first.`

// Database returns the path of the results database that a word names, see RunHelp. It tells on the
// standard error output which run it takes where none is named.
func Database(cmd *cobra.Command, word string) (string, error) {
	return FileOfRun(cmd.ErrOrStderr(), word, analysis.DatabaseFile)
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

// WithDatabase makes run the work of a command whose only argument, which may be absent, is a RUN: it gets its database,
// open for reading, and the database's path.
func WithDatabase(cmd *cobra.Command, run func(cmd *cobra.Command, db *store.DB, path string) error) {
	cmd.Args, cmd.ValidArgsFunction = cobra.MaximumNArgs(1), CompleteRun
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		db, path, err := OpenDatabase(cmd, strings.Join(args, ""))
		if err != nil {
			return err
		}
		defer db.Close()
		return run(cmd, db, path)
	}
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

// CompleteRuns completes any number of arguments with the names of runs, or with files.
func CompleteRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return RunNames(analysis.DatabaseFile), cobra.ShellCompDirectiveDefault
}

// A found file is one of a run: its database or its rule.
type found struct {
	run     string // the name of the run's folder
	path    string
	written time.Time
}

// filesOfRuns returns the files of this name in the folders of runs; the last written comes first.
func filesOfRuns(file string) []found {
	var all []found
	entries, _ := os.ReadDir(OutRoot()) // or there are no runs
	for _, e := range entries {
		path := filepath.Join(OutRoot(), e.Name(), file)
		if written, ok := lastWritten(path); ok {
			all = append(all, found{e.Name(), path, written})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.written.Compare(a.written) })
	return all
}

// lastWritten says when a file was written. What is written to a database is first in its log.
func lastWritten(path string) (time.Time, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	written := info.ModTime()
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 && log.ModTime().After(written) {
		written = log.ModTime()
	}
	return written, true
}

// FileOfRun is Database for any file that runs have in their folders. It tells alarm. A file
// that is there is meant by its name, and a folder that has the file by its own. A word without a slash is
// then the name of a run: of its folder, of the only run of a sweep, or the beginning of one name.
func FileOfRun(alarm io.Writer, word, file string) (path string, err error) {
	if word == "" {
		return lastRun(alarm, file)
	}
	info, failed := os.Stat(word)
	isFolder := failed == nil && info.IsDir()
	inside := filepath.Join(word, file)
	_, written := lastWritten(inside)
	named := matching(word, filesOfRuns(file))
	switch {
	case failed == nil && !isFolder:
		if len(named) > 0 {
			fmt.Fprintf(alarm, "note: %s is a file here; the run of this name is %s\n", word, named[0].path)
		}
		return word, nil
	case isFolder && written:
		return inside, nil
	case isFolder && slurm.IsRun(word):
		return "", unmerged(word, file)
	case strings.ContainsRune(word, filepath.Separator) || filepath.Ext(word) == filepath.Ext(file):
		if isFolder {
			failed = emptyFolder(word, file)
		}
		return "", failed
	}

	switch len(named) {
	case 1:
		return named[0].path, nil
	case 0:
		if dir := filepath.Join(OutRoot(), word); slurm.IsRun(dir) {
			return "", unmerged(dir, file)
		}
		if isFolder {
			return "", emptyFolder(word, file)
		}
		return "", noRun(word, file)
	}
	paths := lists.Of(named, func(f found) string { return "\n  " + f.path })
	return "", UsageHint(fmt.Errorf("%q could be any of %d runs", word, len(named)), "name one:"+strings.Join(paths, ""))
}

// matching returns the files of the runs that a word names. A folder's full name is not taken for the
// sweep of another, and neither for the beginning of a longer one.
func matching(word string, all []found) []found {
	for _, same := range []func(name string) bool{
		func(name string) bool { return name == word },
		func(name string) bool { return runID.ReplaceAllString(name, "") == word },
		func(name string) bool { return word != "" && strings.HasPrefix(name, word) },
	} {
		if named := lists.Where(all, func(f found) bool { return same(f.run) }); len(named) > 0 {
			return named
		}
	}
	return nil
}

// runID matches the end of the name of a run on a cluster: the day, and some letters.
var runID = regexp.MustCompile(`-\d{8}-[a-z2-7]{6}$`)

func emptyFolder(dir, file string) error {
	return fmt.Errorf("there is no %s in the folder %s", file, dir)
}

// unmerged is the error of a run on a cluster whose results are still in journals.
func unmerged(dir, file string) error {
	return WithHint(fmt.Errorf("the run %s has no %s yet", dir, file), fmt.Sprintf(
		"`%s` makes it of what was measured so far", term.Shell("spmvtune", "merge", dir)))
}

// noRun is the error of a word that names neither a file nor a run.
func noRun(word, file string) error {
	names := RunNames(file)
	err := fmt.Errorf("there is neither a file nor a run %s", word)
	if near := configs.Nearest(word, names); near != "" {
		return Usage(fmt.Errorf("%w: did you mean %s?", err, near))
	}
	switch {
	case len(names) > 0:
		return UsageHint(err, "available: "+term.Some(names, FewNames))
	case file == slurm.InfoFile:
		return UsageHint(err, "spmvtune submit makes one, and prints its folder")
	}
	return UsageHint(err, makeOne)
}

// makeOne is the hint where there are no runs.
const makeOne = "name one, or make one with spmvtune run quickstart"

// RunNames returns the names of all runs that have a file, the last written first.
func RunNames(file string) []string {
	return lists.Distinct(filesOfRuns(file), func(f found) string { return f.run })
}

// lastRun returns the file that was written last of those that runs have, and tells alarm so.
func lastRun(alarm io.Writer, file string) (path string, err error) {
	all := filesOfRuns(file)
	if len(all) == 0 {
		what := map[string]string{analysis.DatabaseFile: "results database", analysis.RuleJSON: "learned rule"}[file]
		return "", WithHint(errors.New("no "+cmp.Or(what, file)+" here"), makeOne)
	}
	note := "note: reading the run " + filepath.Dir(all[0].path)
	if len(all) > 1 {
		note += fmt.Sprintf(", the last of %d", len(all))
	}
	fmt.Fprintln(alarm, note)
	return all[0].path, nil
}
