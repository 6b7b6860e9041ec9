package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mergeLock is the file that a merge locks.
const mergeLock = ".merge.lock"

// lock is flock as a courtesy: two merges at once do no harm, but SQLite's own lock,
// which one of them takes again as soon as it has let go, would keep the other waiting
// beyond its patience. So a file system that has no such locks is none the worse.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	unlock, err = flock(ctx, path)
	if errors.Is(err, errNoLocks) {
		return func() {}, nil
	}
	return unlock, err
}

// errNoLocks says that a file system has no locks, as Lustre where it is mounted
// without them.
var errNoLocks = errors.New("the file system has no locks")

// systemFlock is the system's; tests have others.
var systemFlock = unix.Flock

// flock waits until no other process holds the lock on the file at path. The lock
// ends with the process, however it ends.
func flock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	const pause = 100 * time.Millisecond
	for {
		switch err := systemFlock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return func() { f.Close() }, nil
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK):
			f.Close()
			return nil, errNoLocks
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// take holds the file at path, which one process at a time can make, where there are
// no locks. Unlike a lock it stays when its process is killed: whoever comes then is
// told whose it was, and must not guess.
func take(path string) (release func(), err error) {
	host, _ := os.Hostname() // "" says nothing, and nothing depends on it
	holder := fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
	_, err = writeNew(path, strings.NewReader(holder+"\n"), 0o666)
	switch {
	case err == nil:
		return func() { os.Remove(path) }, nil
	case errors.Is(err, fs.ErrExist):
		by, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w (%s): wait for it; only if that process is gone, delete %s",
			errUnderWay, orText(strings.TrimSpace(string(by)), "it does not say whose"), path)
	}
	os.Remove(path)
	return nil, fmt.Errorf("keeping other submissions of the run away: %w", err)
}
