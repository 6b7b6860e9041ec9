package cpu

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Every worker runs every job once, whether it has a core or not, and whether
// it spins or is parked when the job comes.
func TestPoolRunsEveryWorkerOnce(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := newPool(usableCores())
	defer p.close()
	const most = 40
	var calls [most]int // written by one worker each, read after the job
	expect := [most]int{}

	run := func(n int) {
		p.run(n, func(w int) { calls[w]++ })
		for w := range n {
			expect[w]++
		}
		if calls != expect {
			t.Fatalf("after a job for %d: %v, want %v", n, calls, expect)
		}
	}

	for i := range 3000 {
		run(1 + i%4)
	}
	for _, n := range []int{2, most, 1, 3, most, 2} {
		time.Sleep(2 * time.Millisecond) // long enough to park
		run(n)
	}
}

// A worker that waits for its peers must not keep them from running, with more
// workers than cores.
func TestPoolWorkersRunAtOnce(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := newPool(usableCores())
	defer p.close()
	n := 2*len(p.cpus) + 1
	var arrived atomic.Int32
	p.run(n, func(int) {
		arrived.Add(1)
		for arrived.Load() < int32(n) {
			runtime.Gosched()
		}
	})
}

func TestCloseEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	b, err := Open()
	if err != nil {
		t.Fatal(err)
	}

	b.pool.run(9, func(int) {})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}

	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWorkShare(t *testing.T) {
	s := newShare(3)
	for range 2 {
		for want := range 3 {
			if i, ok := s.take(); i != want || !ok {
				t.Errorf("took %d, %t, want %d", i, ok, want)
			}
		}
		if i, ok := s.take(); ok {
			t.Errorf("took %d of 3", i)
		}
		s.reset()
	}
}
