package testkit

import "testing"

// Must is the value of a call that a test can't go on without. Where the call fails it panics, and the trace has the
// line that made it.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Succeed ends a test that can't go on after an error.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
