// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
)

// The lock files of a run. The last one is no lock: its existence is.
const (
	submitLock  = ".submit.lock"
	mergeLock   = ".merge.lock"
	submitTaken = ".submit.taken"
)

// Lock waits until no other process submits jobs of the run or recovers submissions. Whoever
// decides what to submit by the state of the run holds the lock from before the decision until
// everything is sent. Where the file system has no locks, Lock does not wait: its error says
// who submits. Nor does it wait for others who may only read the lock file, too.
func (r *Run) Lock(ctx context.Context) (unlock func(), err error) {
	free, alone, err := files.Lock(ctx, r.Path(submitLock), nil)
	switch {
	case errors.Is(err, files.ErrNoLocks):
		return take(r.Path(submitTaken))
	case err != nil:
		return nil, fmt.Errorf("waiting for another submission of the run: %w", err)
	case alone:
		return free, nil
	}
	release, err := take(r.Path(submitTaken))
	if err != nil {
		free()
		return nil, err
	}
	return func() {
		release()
		free()
	}, nil
}

// LockMerges waits until no other process merges the run. This is a courtesy: two merges at
// once do no harm, but each takes SQLite's own lock again right after it has let it go, and
// the other would run out of patience. A file system without locks is therefore no problem.
func (r *Run) LockMerges(ctx context.Context) (unlock func(), err error) {
	unlock, _, err = files.Lock(ctx, r.Path(mergeLock), nil)
	switch {
	case errors.Is(err, files.ErrNoLocks):
		return func() {}, nil
	case err != nil:
		return nil, fmt.Errorf("waiting for another merge of the run: %w", err)
	}
	return unlock, nil
}

// take creates the file at path, which only one process at a time can do, where there are no
// locks. Unlike a lock, the file stays when its process is killed: whoever comes next is told
// who created it, and must not guess.
func take(path string) (release func(), err error) {
	host, _ := os.Hostname() // the name is for people only
	holder := fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
	err = files.Create(path, []byte(holder+"\n"))
	switch {
	case err == nil:
		return func() { os.Remove(path) }, nil
	case errors.Is(err, fs.ErrExist):
		by, _ := read(path)
		return nil, fmt.Errorf("%w (%s): wait for it; only if that process is gone, delete %s",
			errUnderWay, cmp.Or(strings.TrimSpace(string(by)), "it does not say who"), path)
	}

	return nil, fmt.Errorf("locking out other submissions of the run: %w", err)
}

// Me is the name of the user who runs this process.
func Me() string { return userName(uint32(os.Getuid())) }

// Owner is who made the run; "" if it is not known.
func (r *Run) Owner() string { return r.userOf(InfoFile) }

// RoundUser is who submitted a round, as far as the ledger does not say it; "" if it is not known.
func (r *Run) RoundUser(number int) string { return r.userOf(roundFile(number)) }

// userOf is who made a file of the run.
func (r *Run) userOf(file string) string {
	info, err := os.Stat(r.Path(file))
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return userName(s.Uid)
	}
	return ""
}

// userName is the name of a user, or the number of one without a name.
func userName(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}

// CheckWrite says who may write to the run, if this user may not: to its folder, and to those of some files that
// are there.
func (r *Run) CheckWrite(files ...string) error {
	for _, file := range append([]string{"."}, files...) {
		err := unix.Access(r.Path(file), unix.W_OK)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			return &ReadOnlyError{Path: filepath.Clean(r.Path(file)), Owner: r.Owner(), Mounted: errors.Is(err, unix.EROFS)}
		}
	}
	return nil
}

// A ReadOnlyError says that this user may not write to a run.
type ReadOnlyError struct {
	Path  string
	Owner string // Owner made the run.
	// Mounted says that nobody may write, since the file system is mounted read-only.
	Mounted bool
}

func (e *ReadOnlyError) Error() string {
	if e.Mounted {
		return fmt.Sprintf("%s can only be read: its file system is mounted read-only", e.Path)
	}
	if e.Owner == "" || e.Owner == Me() {
		return fmt.Sprintf("%s can only be read", e.Path)
	}
	return fmt.Sprintf("%s can only be read by you: %s made the run", e.Path, e.Owner)
}
