// SPDX-License-Identifier: Apache-2.0

package panics

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// A panic in a goroutine is an error of one line that names the line.
func TestCaught(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	var list []int
	err := Caught(func() error { list[len(list)]++; return nil })()
	if err == nil || !strings.Contains(err.Error(), "index out of range") ||
		!strings.Contains(err.Error(), "panics_test.go:") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A panic in a group ends the group with an error.
func TestGroup(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	g, ctx := NewGroup(t.Context())
	g.Go(func() error { panic("oh no") })
	<-ctx.Done()
	testkit.Fails(t, g.Wait(), "oh no (internal/base/panics.TestGroup")
}

// A panic in a goroutine is one of who waits for it, names its own line, and keeps no other from
// ending.
func TestWaitGroup(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	ended := false
	err := Caught(func() error {
		var g WaitGroup
		g.Go(func() { panic("oh no") })
		g.Go(func() { ended = true })
		g.Wait()
		return nil
	})()
	if err == nil || !strings.Contains(err.Error(), "oh no (internal/base/panics.TestWaitGroup") || !ended {
		t.Error(err)
	}
}

func TestEachCoversAll(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100, 100_000} {
		seen := make([]atomic.Int32, n)
		testkit.Succeed(t, Each(t.Context(), n, func(i int) error {
			seen[i].Add(1)
			return nil
		}))
		for i := range seen {
			testkit.Equal(t, seen[i].Load(), 1, "times that %d of %d was done", i, n)
		}
	}
}

// No worker takes more than the piece it has once the context has ended.
func TestEachStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int64
	err := Each(ctx, 1<<30, func(int) error {
		done.Add(1)
		cancel()
		return nil
	})
	testkit.Is(t, err, context.Canceled, "interrupted")
	n := done.Load()
	testkit.Check(t, n <= int64(4096*runtime.GOMAXPROCS(0)), "%d were done after cancelling in the first", n)
}
