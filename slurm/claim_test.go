// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// One of several processes gets a chunk, also one whose owner has died.
func TestOneClaims(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	gone := exec.Command("true")
	testkit.Succeed(t, gone.Run())
	for attempt := range 3 {
		var group sync.WaitGroup
		var mu sync.Mutex
		var got []*Claim
		for range 20 {
			group.Go(func() {
				c, err := r.Take("0001.1")
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					got = append(got, c)
				case !errors.Is(err, ErrClaimed):
					t.Error(err)
				}
			})
		}
		group.Wait()
		testkit.Require(t, len(got) == 1 && got[0].Attempt == attempt, "attempt %d was claimed by %v", attempt, got)
		dead := *got[0]
		dead.PID = gone.Process.Pid
		rewrite(t, r, dead)
	}
}

// rewrite replaces the file of a claim.
func rewrite(t *testing.T, r *Run, c Claim) {
	t.Helper()
	data, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(r.Path(c.file()), data, 0o666)
	}
	testkit.Succeed(t, err)
}

// A claim of another machine holds while it is renewed. That of a released chunk holds no longer, and
// failures add up.
func TestClaimsEnd(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	c := testkit.Must(r.Take("0001"))
	far := *c
	far.Machine, far.PID = "elsewhere", 1<<30
	rewrite(t, r, far)
	testkit.Is(t, testkit.Err(r.Take("0001")), ErrClaimed, "a claim of another machine")
	old := time.Now().Add(-claimStale - time.Minute)
	testkit.Succeed(t, os.Chtimes(r.Path(c.file()), old, old))
	for attempt := 1; attempt < 3; attempt++ {
		c = testkit.Must(r.Take("0001"))
		testkit.Check(t, c.Attempt == attempt && c.EmptyAttempts == attempt-1, "%+v", c)
		testkit.Succeed(t, r.Release(c, true))
	}
}

// A process whose claim was deleted leaves the claim of the next one alone.
func TestDeletedClaimIsLost(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	c := testkit.Must(r.Take("0001"))
	testkit.Require(t, !r.gone(c), "lost at once")
	if err := os.Remove(r.Path(c.file())); err != nil || !r.gone(c) {
		t.Errorf("a deleted claim is not lost (%v)", err)
	}
	other := *c
	other.Machine, other.PID = "elsewhere", 1<<30
	rewrite(t, r, other)
	if err := r.Release(c, false); err != nil || !r.gone(c) {
		t.Errorf("a claim of another process is not lost (%v)", err)
	}
	testkit.Is(t, testkit.Err(r.Take("0001")), ErrClaimed, "the claim of another process")
}

// A process renews its claim while it measures, and learns that it has lost it.
func TestClaimIsKept(t *testing.T) {
	usual := claimRenewed
	claimRenewed = time.Millisecond
	defer func() { claimRenewed = usual }()
	r := &Run{Dir: t.TempDir()}
	c := testkit.Must(r.Take("0001"))
	old := time.Now().Add(-claimStale - time.Minute)
	age := func() {
		t.Helper()
		testkit.Succeed(t, os.Chtimes(r.Path(c.file()), old, old))
	}
	lost := make(chan bool, 1)
	stop := r.Keep(c, func() { lost <- true })
	for range 2 {
		age()
		slurmlab.Wait(t, func() (string, bool) {
			info, err := os.Stat(r.Path(c.file()))
			return "the claim is not renewed", err == nil && time.Since(info.ModTime()) < claimStale
		})
	}
	testkit.Succeed(t, os.Remove(r.Path(c.file())))
	<-lost
	stop()
}

// Who cancels a task sends SIGTERM: it must not come back, whatever warns it.
func TestWarningsAndEnds(t *testing.T) {
	for text, want := range map[string]map[syscall.Signal]bool{ // whether it warns
		"":         {syscall.SIGUSR1: true, syscall.SIGTERM: false, syscall.SIGINT: false},
		"USR2@120": {syscall.SIGUSR1: true, syscall.SIGUSR2: true, syscall.SIGTERM: false},
		"ALRM@1":   {syscall.SIGALRM: true, syscall.SIGTERM: false},
		"TERM@60":  {syscall.SIGUSR1: true, syscall.SIGTERM: false},
		"INT@60":   {syscall.SIGINT: false},
	} {
		for sig, warns := range want {
			ctx, s := WatchStops(t.Context(), "")
			s.warnBy(text)
			testkit.Succeed(t, syscall.Kill(os.Getpid(), sig))
			<-ctx.Done()
			warned, ended := s.Received()
			testkit.Check(t, (warned == sig) == warns && (ended == sig) != warns,
				"%q: %v warns with %v, ends with %v", text, sig, warned, ended)
			signal.Stop(s.came)
		}
	}
}

// A piece is complete when its share on every device is, however it was cut.
func TestCompletedPieces(t *testing.T) {
	half := trial.Piece{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}
	end := func(index, of int, reason string) tuner.Summary {
		return tuner.Summary{Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: index, Of: of},
			Complete: reason == "", Reason: reason}}}
	}
	for name, c := range map[string]struct {
		sums  []tuner.Summary
		piece trial.Piece
		want  string
	}{
		"nothing begun":   {nil, half, "a: not begun"},
		"measured":        {[]tuner.Summary{end(1, 2, "")}, half, ""},
		"interrupted":     {[]tuner.Summary{end(1, 2, "it was interrupted")}, half, "a: it was interrupted"},
		"one device left": {[]tuner.Summary{end(1, 2, ""), {}}, half, "a: not begun"},
		"both shares":     {[]tuner.Summary{end(2, 4, ""), end(3, 4, "")}, half, ""},
		"a share failed":  {[]tuner.Summary{end(2, 4, ""), end(3, 4, "gone")}, half, "a: gone"},
		"share of the whole": {[]tuner.Summary{end(1, 2, ""), end(2, 4, "")},
			trial.Piece{Matrix: "a", Part: trial.Part{Index: 2, Of: 4}}, ""},
		"another part":   {[]tuner.Summary{end(0, 2, "")}, half, "a: not begun"},
		"another matrix": {[]tuner.Summary{end(0, 1, "")}, trial.Piece{Matrix: "b", Part: trial.Part{Of: 1}}, "b: not begun"},
	} {
		list, complete, lacks := completed([]trial.Piece{c.piece}, c.sums)
		testkit.Check(t, lacks == c.want && (complete == 1) == (lacks == "") && list[0].Complete == (lacks == ""),
			"%s: %+v, lacks %q", name, list, lacks)
	}
}

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
		unlock := testkit.Must(run.Lock(t.Context()))
		testkit.Is(t, testkit.Err(run.Lock(t.Context())), errUnderWay, "a second submission by such a user")
		nfs := files.Flock
		files.Flock = system
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		testkit.Is(t, testkit.Err(run.Lock(soon)), context.DeadlineExceeded, "a second submission by the file's user")
		cancel()
		files.Flock = nfs
		unlock()
	}
	testkit.Must(run.LockMerges(t.Context()))
}

// Where there are no locks, one submission still keeps others away, and a merge is
// not kept from anything.
func TestLockWithoutLocks(t *testing.T) {
	for _, none := range []error{unix.ENOLCK, unix.ENOSYS, unix.EOPNOTSUPP} {
		flocks(t, none)
		run := &Run{Dir: t.TempDir()}
		unlock := testkit.Must(run.Lock(t.Context()))
		if _, err := run.Lock(t.Context()); !errors.Is(err, errUnderWay) || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) || !strings.Contains(err.Error(), "delete "+run.Dir) {
			t.Errorf("%v: a second submission: %v", none, err)
		}
		for range 2 {
			testkit.Must(run.LockMerges(t.Context()))
		}
		unlock()
		unlock = testkit.Must(run.Lock(t.Context()))
		unlock()
	}
}
