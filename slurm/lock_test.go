package slurm

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"spmvtune/configs"
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
		run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
		unlock, err := run.Lock(t.Context())
		must(t, err)
		for _, second := range []func() error{
			func() error { _, err := run.Lock(t.Context()); return err },
			func() error { _, err := run.Retry(t.Context(), hasty, configs.Slurm{}, ""); return err },
			func() error { _, err := run.Cancel(t.Context(), hasty); return err },
		} {
			if err := second(); !errors.Is(err, errUnderWay) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) || !strings.Contains(err.Error(), "delete "+run.Dir) {
				t.Errorf("%v: a second submission: %v", none, err)
			}
		}
		for range 2 {
			_, err := lock(t.Context(), run.Path(mergeLock))
			must(t, err)
		}
		unlock()
		unlock, err = run.Lock(t.Context())
		must(t, err)
		unlock()
	}
}

// Of two retries that decide at once, one submits, even where the lock of one node is
// not seen by another.
func TestRetriesAtOnce(t *testing.T) {
	flocks(t, nil)
	const together = `echo >> "$FAKE/asked"; while [ $(wc -l < "$FAKE/asked") -lt 2 ]; do sleep 0.02; done; `
	dir := fakeSlurm(t, map[string]string{"scontrol": fakeConfig, "squeue": together + fakeSqueue, "sbatch": fakeSbatch + "; echo $id"})
	run := created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	// A job that squeue has forgotten, so that it is asked.
	must(t, run.writeRound(1, chunkIDs(2)))
	must(t, run.note(jobLine{Batch: Batch{run.JobName() + ".1.0", 1, 0, 2}, Outcome: Submitted, ID: "12"}))
	var both sync.WaitGroup
	var errs [2]error
	for i := range errs {
		both.Go(func() { _, errs[i] = run.Retry(t.Context(), &Client{}, configs.Slurm{}, "") })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[:]...), errUnderWay) {
		t.Errorf("errors %v", errs)
	}
	if n := calls(t, dir, "sbatch"); n != 2 {
		t.Errorf("%d jobs for one round", n)
	}
}
