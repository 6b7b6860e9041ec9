package store

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// A folder of this pattern holds a temporary copy. The process that reads the copy has the folder locked.
const copies = "spmvtune-older-*"

// unlocked is for how long a folder may be without the lock of who makes it.
const unlocked = time.Minute

// newFolder makes a folder for a copy below parent and locks it, and removes those that processes have left
// there which were killed.
func newFolder(parent string) (*os.File, error) {
	left, _ := filepath.Glob(filepath.Join(parent, copies))
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < unlocked {
			continue
		}
		if lock, err := os.Open(dir); err == nil {
			if flock(lock) == nil {
				os.RemoveAll(dir)
			}
			lock.Close()
		}
	}

	dir, err := os.MkdirTemp(parent, copies)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(dir)
	if err == nil {
		_ = flock(lock) // where there are no locks, nobody else gets one and removes the folder
	}
	return lock, err
}

func flock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
