package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"spmvtune/internal/atomicfile"

	"golang.org/x/sys/unix"
)

// The files that are locked, or whose being there is the lock.
const (
	submitLock  = ".submit.lock"
	submitTaken = ".submit.taken"
	MergeLock   = ".merge.lock"
)

// Lock waits until no other process submits jobs of the run or repairs what is known
// of them. Who decides by the state of the run what to submit holds it from before
// that until Submit has returned. Where the file system has no locks, it does not
// wait: the error says who submits.
func (r *Run) Lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = flock(ctx, r.Path(submitLock))
	if errors.Is(err, errNoLocks) {
		return take(r.Path(submitTaken))
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for another submission of the run: %w", err)
	}
	return unlock, nil
}

// LockMerges waits until no other process merges the run. It is a courtesy: two merges at
// once do no harm, but SQLite's own lock, which one of them takes again as soon as it has
// let go, would keep the other waiting beyond its patience. So a file system without locks
// is no worse off.
func (r *Run) LockMerges(ctx context.Context) (unlock func(), err error) {
	unlock, err = flock(ctx, r.Path(MergeLock))
	switch {
	case errors.Is(err, errNoLocks):
		return func() {}, nil
	case err != nil:
		return nil, fmt.Errorf("waiting for the lock of merges: %w", err)
	}
	return unlock, nil
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
	err = atomicfile.Create(path, []byte(holder+"\n"))
	switch {
	case err == nil:
		return func() { os.Remove(path) }, nil
	case errors.Is(err, fs.ErrExist):
		by, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w (%s): wait for it; only if that process is gone, delete %s",
			errUnderWay, cmp.Or(strings.TrimSpace(string(by)), "it does not say whose"), path)
	}
	return nil, fmt.Errorf("keeping other submissions of the run away: %w", err)
}
