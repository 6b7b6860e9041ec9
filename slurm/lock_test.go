package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spmvtune/internal/base/files"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
)

// flocks lets tests lock as on another file system: err is what it says.
func flocks(t *testing.T, err error) {
	t.Helper()
	system := files.Flock
	t.Cleanup(func() { files.Flock = system })
	files.Flock = func(int, int) error { return err }
}

// NFS locks a file that is open for reading for several at once. One submission still keeps others away, who may
// write to the file or not.
func TestLockOfAnotherUsersFile(t *testing.T) {
	system := files.Flock
	t.Cleanup(func() { files.Flock = system })
	files.Flock = func(fd, how int) error {
		if how&unix.LOCK_EX != 0 {
			return unix.EBADF
		}
		return system(fd, how)
	}
	run := &Run{Dir: t.TempDir()}
	for range 2 {
		unlock, err := run.Lock(t.Context())
		slurmlab.Must(t, err)
		if _, err := run.Lock(t.Context()); !errors.Is(err, errUnderWay) {
			t.Errorf("a second submission by such a user: %v", err)
		}
		nfs := files.Flock
		files.Flock = system
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := run.Lock(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second submission by the file's user: %v", err)
		}
		cancel()
		files.Flock = nfs
		unlock()
	}
	if _, err := run.LockMerges(t.Context()); err != nil {
		t.Error(err)
	}
}

// Where there are no locks, one submission still keeps others away, and a merge is
// not kept from anything.
func TestLockWithoutLocks(t *testing.T) {
	for _, none := range []error{unix.ENOLCK, unix.ENOSYS, unix.EOPNOTSUPP} {
		flocks(t, none)
		run := &Run{Dir: t.TempDir()}
		unlock, err := run.Lock(t.Context())
		slurmlab.Must(t, err)
		if _, err := run.Lock(t.Context()); !errors.Is(err, errUnderWay) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) || !strings.Contains(err.Error(), "delete "+run.Dir) {
			t.Errorf("%v: a second submission: %v", none, err)
		}
		for range 2 {
			_, err := run.LockMerges(t.Context())
			slurmlab.Must(t, err)
		}
		unlock()
		unlock, err = run.Lock(t.Context())
		slurmlab.Must(t, err)
		unlock()
	}
}

// Who may not write to a run is told whether anybody may.
func TestReadOnlyError(t *testing.T) {
	for _, c := range []struct {
		err  ReadOnlyError
		want string
	}{
		{ReadOnlyError{Path: "r", Owner: Me()}, "r can only be read"},
		{ReadOnlyError{Path: "r", Owner: "x" + Me()}, "r can only be read by you: x" + Me() + " made the run"},
		{ReadOnlyError{Path: "r", Owner: "x" + Me(), Mounted: true}, "r can only be read: its file system is mounted read-only"},
	} {
		testkit.Equal(t, c.err.Error(), c.want, "%+v", c.err)
	}
}
