// SPDX-License-Identifier: Apache-2.0

// Package files writes files that appear whole or not at all, also after a crash: other processes see the old
// content or the new. A file is written under a temporary name in the same folder, flushed to the disk, and renamed.
// The package also opens files that a user named, but none that would wait for a writer or never end, locks files, and
// makes temporary folders.
//
// Errors are of type *os.PathError and name the file, not its temporary name: the same cause
// always has the same text.
package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/term"
)

// Temporary is part of the names of unfinished files.
const Temporary = ".tmp-"

// Write replaces the content of a file.
func Write(path string, content []byte) error { return WriteAt(path, plain(content)) }

// Create writes a file that must not exist yet. If it does, the error is fs.ErrExist: of
// several processes one creates the file.
func Create(path string, content []byte) error {
	return finish(path, plain(content), os.Link)
}

// WriteTo replaces the content of a file by what a function writes. Writes are buffered.
func WriteTo(path string, write func(io.Writer) error) error {
	return WriteAt(path, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	})
}

var cleaned sync.Map // folders

// WriteAt is WriteTo for a function that writes at offsets. The first one in a folder removes what killed processes have
// left there.
func WriteAt(path string, write func(*os.File) error) error {
	if _, done := cleaned.LoadOrStore(filepath.Dir(path), true); !done {
		removeLeft(filepath.Dir(path), Temporary+here()+".")
	}
	return finish(path, write, os.Rename)
}

func plain(content []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(content)
		return err
	}
}

// finish writes a temporary file and gives it its name.
func finish(path string, write func(*os.File) error, give func(temporary, path string) error) (err error) {
	name := fmt.Sprintf(".%s%s%s.%08x", filepath.Base(path), Temporary, here(), rand.Uint32())
	name = filepath.Join(filepath.Dir(path), name)
	defer func() {
		if err != nil {
			err = &os.PathError{Op: "writing", Path: path, Err: withoutName(err, name)}
		}
	}()

	// Unlike os.CreateTemp this leaves the permissions to the user's mask.
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(name) // fails after a rename
	defer f.Close()
	_ = flock(f) // as of a Scratch

	if info, err := os.Stat(path); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return cmp.Or(give(name, path), f.Close()) // locked until it has its name
}

// here is a short name of this machine, in those of what it has not finished.
func here() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(host)))
}

// withoutName returns the cause of an error that names the temporary file.
func withoutName(err error, name string) error {
	if file, ok := errors.AsType[*os.PathError](err); ok && file.Path == name {
		return file.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok && link.Old == name {
		return link.Err
	}
	return err
}

// Why something is not opened.
var (
	errFolder = errors.New("a folder: name a file in it")
	errOther  = errors.New("not a regular file: save its content to a file first, and name that")
)

// Check refuses what is there and is not a file.
func Check(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errFolder}
	}
	return &fs.PathError{Op: "open", Path: path, Err: errOther}
}

// Open opens a file, and nothing else.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads a file of at most this many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %s", path, term.Bytes(most))
	}
	return text, err
}

// ErrNoLocks says that a file system has no locks, such as Lustre mounted without them.
var ErrNoLocks = errors.New("the file system has no locks")

// Free is how many bytes are free on the file system of a path; as many as can be where that is not known, since writing
// will tell.
func Free(path string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(st.Bavail)*uint64(st.Bsize), math.MaxInt64))
}

// Flock is the system's. Tests replace it.
var Flock = unix.Flock

// Lock waits until no other process holds the lock on the file at path, which it makes and leaves: a lock on a removed
// file excludes nobody. waiting, which may be nil, is called now and then in the meantime. The lock ends with the
// process, however that ends. NFS locks a file that this user may only read for several such users at once, and keeps
// out those who may write to it: alone is false then.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), alone bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if errors.Is(err, fs.ErrPermission) { // another user made it
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()

	const pause = 100 * time.Millisecond
	how := unix.LOCK_EX
	for {
		switch err := Flock(int(f.Fd()), how|unix.LOCK_NB); {
		case err == nil:
			return func() { f.Close() }, how == unix.LOCK_EX, nil
		case errors.Is(err, unix.EBADF) && how == unix.LOCK_EX: // NFS, of a file that is open for reading
			how = unix.LOCK_SH
			continue
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK):
			return nil, false, ErrNoLocks
		case !errors.Is(err, unix.EWOULDBLOCK):
			return nil, false, fmt.Errorf("locking %s: %w", path, err)
		case waiting != nil:
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// LockNow is Lock that does not wait: taken says that another process holds the lock. A lock that is not of one process
// alone is an error: two that may only read the file would both have it.
func LockNow(path string) (unlock func(), taken bool, err error) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	unlock, alone, err := Lock(over, path, nil)
	if err == nil && !alone {
		unlock()
		return nil, false, fmt.Errorf("another user has made %s, which NFS locks for several who may only read it", path)
	}
	return unlock, errors.Is(err, context.Canceled), err
}

// A Scratch is a temporary folder that this process has locked.
//
// Temporary folders do not stay where a process is killed: the next process on the same
// machine that makes one of the same kind removes them. Folders of other machines stay, which have their names in
// theirs: some file systems that machines share keep the locks of each to itself.
type Scratch struct{ lock *os.File }

// unlocked is for how long what is temporary may be without the lock of who makes it.
const unlocked = 2 * time.Second

// removeLeft removes temporary files and folders with this part in their names that nobody locks any more.
func removeLeft(parent, part string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		info, err := e.Info()
		other := e.Type()&^fs.ModeDir != 0 // a pipe, for instance
		if other || !strings.Contains(e.Name(), part) || err != nil || time.Since(info.ModTime()) < unlocked {
			continue
		}
		if lock, err := os.Open(path); err == nil {
			if flock(lock) == nil {
				os.RemoveAll(path)
			}
			lock.Close()
		}
	}
}

// NewScratch makes a folder whose name begins with a prefix below parent, by default where temporary files go, and
// removes those that processes have left there which were killed.
func NewScratch(parent, prefix string) (*Scratch, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	prefix += here() + "."
	removeLeft(parent, prefix)

	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	_ = flock(lock) // where there are no locks, nobody else gets one and removes the folder
	return &Scratch{lock}, nil
}

// Path is that of the folder.
func (f *Scratch) Path() string { return f.lock.Name() }

// Remove removes the folder.
func (f *Scratch) Remove() error {
	return cmp.Or(os.RemoveAll(f.Path()), f.lock.Close())
}

// Remove removes a file, if it is there.
func Remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func flock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
