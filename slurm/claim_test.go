package slurm

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"spmvtune/internal/testing/slurmlab"
)

// One of several processes gets a chunk, also one whose owner has died.
func TestOneClaims(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	gone := exec.Command("true")
	slurmlab.Must(t, gone.Run())
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
		if len(got) != 1 || got[0].Attempt != attempt {
			t.Fatalf("attempt %d was claimed by %v", attempt, got)
		}
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
	slurmlab.Must(t, err)
}

// A claim of another machine holds while it is renewed. That of a released chunk holds no longer, and
// failures add up.
func TestClaimsEnd(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	c, err := r.Take("0001")
	slurmlab.Must(t, err)
	far := *c
	far.Machine, far.PID = "elsewhere", 1<<30
	rewrite(t, r, far)
	if _, err := r.Take("0001"); !errors.Is(err, ErrClaimed) {
		t.Fatalf("a claim of another machine ends with %v", err)
	}
	old := time.Now().Add(-claimStale - time.Minute)
	slurmlab.Must(t, os.Chtimes(r.Path(c.file()), old, old))
	for attempt := 1; attempt < 3; attempt++ {
		if c, err = r.Take("0001"); err != nil || c.Attempt != attempt || c.EmptyAttempts != attempt-1 {
			t.Fatalf("%v, %+v", err, c)
		}
		slurmlab.Must(t, r.Release(c, true))
	}
}

// A process whose claim was deleted leaves the claim of the next one alone.
func TestDeletedClaimIsLost(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	c, err := r.Take("0001")
	if err != nil || r.gone(c) {
		t.Fatalf("lost at once, or %v", err)
	}
	if err := os.Remove(r.Path(c.file())); err != nil || !r.gone(c) {
		t.Errorf("a deleted claim is not lost (%v)", err)
	}
	other := *c
	other.Machine, other.PID = "elsewhere", 1<<30
	rewrite(t, r, other)
	if err := r.Release(c, false); err != nil || !r.gone(c) {
		t.Errorf("a claim of another process is not lost (%v)", err)
	}
	if _, err := r.Take("0001"); !errors.Is(err, ErrClaimed) {
		t.Errorf("the claim of another process ends with %v", err)
	}
}

// A process renews its claim while it measures, and learns that it has lost it.
func TestClaimIsKept(t *testing.T) {
	usual := claimRenewed
	claimRenewed = time.Millisecond
	defer func() { claimRenewed = usual }()
	r := &Run{Dir: t.TempDir()}
	c, err := r.Take("0001")
	slurmlab.Must(t, err)
	old := time.Now().Add(-claimStale - time.Minute)
	age := func() {
		t.Helper()
		slurmlab.Must(t, os.Chtimes(r.Path(c.file()), old, old))
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
	slurmlab.Must(t, os.Remove(r.Path(c.file())))
	<-lost
	stop()
}
