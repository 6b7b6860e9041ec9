package slurm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// flocks lets tests lock as on another file system: err is what it says.
func flocks(t *testing.T, err error) {
	t.Helper()
	system := systemFlock
	t.Cleanup(func() { systemFlock = system })
	systemFlock = func(int, int) error { return err }
}

// Where there are no locks, one submission still keeps others away, and a merge is
// not kept from anything.
func TestLockWithoutLocks(t *testing.T) {
	for _, none := range []error{unix.ENOLCK, unix.ENOSYS, unix.EOPNOTSUPP} {
		flocks(t, none)
		run := &Run{Dir: t.TempDir()}
		unlock, err := run.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, second := range []func() error{
			func() error { _, err := run.Lock(t.Context()); return err },
		} {
			if err := second(); !errors.Is(err, errUnderWay) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) || !strings.Contains(err.Error(), "delete "+run.Dir) {
				t.Errorf("%v: a second submission: %v", none, err)
			}
		}
		for range 2 {
			_, err := run.LockMerges(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		unlock()
		unlock, err = run.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
}
