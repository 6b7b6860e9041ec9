package slurmlab

import (
	"testing"
	"time"
)

// Wait waits for an event, as long as the test binary may run: how long one takes on a busy
// machine nobody knows. look reports whether it has happened and, if not, what is there
// instead. It runs on the test's own goroutine and may fail the test.
func Wait(t testing.TB, look func() (instead string, done bool)) {
	t.Helper()
	const rest = 15 * time.Second // for what the test does at its end
	var end time.Time
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		end, _ = limited.Deadline()
	}
	for ; ; time.Sleep(50 * time.Millisecond) {
		instead, done := look()
		if done {
			return
		}
		if !end.IsZero() && time.Until(end) < rest {
			t.Fatalf("waiting for an event that does not come: %s", instead)
		}
	}
}
