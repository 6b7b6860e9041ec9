package fault

import (
	"strings"
	"testing"

	"spmvtune/internal/mistake"
)

// A panic in a goroutine is one of who waits for it, names its own line, and keeps no other from
// ending.
func TestGroup(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	ended := false
	err := mistake.Caught(func() error {
		return Caught(func() error {
			var g Group
			g.Go(func() { panic("oh no") })
			g.Go(func() { ended = true })
			g.Wait()
			return nil
		})
	})()
	if err == nil || !strings.Contains(err.Error(), "oh no (internal/fault.TestGroup") || !ended {
		t.Error(err)
	}
}
