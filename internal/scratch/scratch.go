// Package scratch makes temporary folders that do not stay where a process is killed: the next process on the same
// machine that makes one of the same kind removes them. Folders of other machines stay, which have their names in
// theirs: some file systems that machines share keep the locks of each to itself.
package scratch

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Folder is a temporary folder that this process has locked.
type Folder struct{ lock *os.File }

// unlocked is for how long a folder may be without the lock of who makes it.
const unlocked = time.Minute

// New makes a folder whose name begins with a prefix below parent, by default where temporary files go, and
// removes those that processes have left there which were killed.
func New(parent, prefix string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	prefix += url.PathEscape(host) + "."
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < unlocked {
			continue
		}
		if lock, err := os.Open(dir); err == nil {
			if flock(lock) == nil {
				os.RemoveAll(dir)
			}
			lock.Close()
		}
	}

	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	_ = flock(lock) // where there are no locks, nobody else gets one and removes the folder
	return &Folder{lock}, nil
}

// Path is that of the folder.
func (f *Folder) Path() string { return f.lock.Name() }

// Remove removes the folder.
func (f *Folder) Remove() error {
	err := os.RemoveAll(f.Path())
	if closed := f.lock.Close(); err == nil {
		err = closed
	}
	return err
}

func flock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
