package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// mergeLock is the file that a merge locks.
const mergeLock = ".merge.lock"

// lock waits until no other process holds the lock on the file at path. The lock
// ends with the process, however it ends.
//
// It is a courtesy: two merges at once do no harm, but SQLite's own lock, which
// one of them takes again as soon as it has let go, would keep the other waiting
// beyond its patience. So a file system that has no such locks is none the worse.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	const pause = 100 * time.Millisecond
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil, errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK):
			return func() { f.Close() }, nil
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
