package fetch

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pollEvery is the interval at which a waiting process checks again.
const pollEvery = 200 * time.Millisecond

// lock waits until no other process holds the lock of that file, and takes it. It ends
// with the process. waiting is called while it waits. alone is false where the file
// system has no locks.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), alone bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, false, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			// The file stays, because a lock on a removed file excludes nobody.
			return func() { f.Close() }, true, nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			waiting()

		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK):
			return func() { f.Close() }, false, nil
		default:
			f.Close()
			return nil, false, err
		}

		select {
		case <-ctx.Done():
			f.Close()
			return nil, false, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}
