package mistake

import (
	"strings"
	"testing"
)

// A panic in a goroutine is an error of one line that names the line.
func TestCaught(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	var list []int
	err := Caught(func() error { list[len(list)]++; return nil })()
	if err == nil || !strings.Contains(err.Error(), "index out of range") ||
		!strings.Contains(err.Error(), "mistake_test.go:") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A panic in a group ends the group with an error.
func TestGroup(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	g, ctx := NewGroup(t.Context())
	g.Go(func() error { panic("oh no") })
	<-ctx.Done()
	if err := g.Wait(); err == nil || !strings.Contains(err.Error(), "oh no (internal/mistake.TestGroup") {
		t.Error(err)
	}
}
