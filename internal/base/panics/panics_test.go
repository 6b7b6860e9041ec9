package panics

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
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
