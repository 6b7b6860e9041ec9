package slurm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"spmvtune/internal/base/files"
)

// leftover matches the names of folders that Create makes.
var leftover = regexp.MustCompile(`-\d{8}-[a-z2-7]{6}$`)

// removeLeftovers removes the folders below root whose Create was killed: they have a lock that
// nobody holds, and no run.json, and are not used. Where there are no locks, they stay.
func removeLeftovers(root string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	now, cancel := context.WithCancel(context.Background())
	cancel() // who holds a lock is not waited for
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		lock := filepath.Join(dir, submitLock)
		if !e.IsDir() || !leftover.MatchString(e.Name()) || IsRun(dir) || used(dir) || !isFile(lock) {
			continue
		}
		unlock, _, err := flock(now, lock)
		if err != nil {
			continue
		}
		if !IsRun(dir) && !used(dir) { // it may have become one since
			os.RemoveAll(dir)
		}
		unlock()
	}
}

// used reports whether something may have been sent from a folder or measured in it: then it is a run that
// has lost its run.json.
func used(dir string) bool {
	jobs, err := os.Stat(filepath.Join(dir, JobsFile))
	if err == nil && jobs.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	journals, err := os.ReadDir(filepath.Join(dir, JournalsDir))
	return len(journals) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) || isFile(filepath.Join(dir, "results.db"))
}

// makeLocked makes a folder that does not exist yet, with its lock held from the start.
func makeLocked(dir string) (unlock func(), err error) {
	if _, err := os.Stat(dir); err == nil {
		return nil, fs.ErrExist
	}
	hidden := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+files.Temporary)
	if err := os.Mkdir(hidden, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(hidden) // which is gone after the rename
	unlock, _, err = flock(context.Background(), filepath.Join(hidden, submitLock))
	if errors.Is(err, errNoLocks) {
		unlock, err = func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(hidden, dir); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
