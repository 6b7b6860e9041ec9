// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

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

// Equal fails the test where what it got is not what it wants. Format and args say what that is.
func Equal[T comparable](t testing.TB, got, want T, format string, args ...any) {
	t.Helper()
	if got != want {
		differ(t, got, want, fmt.Sprintf(format, args...))
	}
}

// EqualLists is Equal for lists.
func EqualLists[S ~[]E, E comparable](t testing.TB, got, want S, format string, args ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		differ(t, got, want, fmt.Sprintf(format, args...))
	}
}

// Near is Equal for numbers that may differ by off.
func Near(t testing.TB, got, want, off float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		differ(t, got, want, fmt.Sprintf(format, args...))
	}
}

// Check fails the test unless ok. Format and args say what is wrong then.
func Check(t testing.TB, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// Require is Check for a test that can't go on otherwise.
func Require(t testing.TB, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

func differ(t testing.TB, got, want any, what string) {
	t.Helper()
	form := "%s: got %+v, want %+v"
	if s, ok := got.(string); ok && strings.Contains(s, "\n") {
		form = "%s: got\n%s\nwant\n%s"
	} else if ok {
		form = "%s: got %q, want %q"
	}
	t.Errorf(form, what, got, want)
}

// Fails fails the test where an error is nil or does not say what it should. What may be a format, and its arguments,
// that says of what it is the error.
func Fails(t testing.TB, err error, want string, what ...any) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), want) {
		return
	}
	of := ""
	if len(what) > 0 {
		of = fmt.Sprintf(what[0].(string), what[1:]...) + ": "
	}
	t.Errorf("%sthe error is %v, want one with %q", of, err, want)
}

// Is fails the test where an error is not of a kind. What says of what it is the error.
func Is(t testing.TB, err, kind error, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: the error is %v, want %v", what, err, kind)
	}
}

// Err is the error of a call that also gives something else.
func Err[T any](_ T, err error) error { return err }

// Says fails the test where a text lacks one of some words. What is whose text it is.
func Says(t testing.TB, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: lacks %q:\n%s", what, w, text)
		}
	}
}

// Lacks fails the test where a text has one of some words. What is whose text it is.
func Lacks(t testing.TB, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%s: has %q:\n%s", what, w, text)
		}
	}
}
