// Package mistake turns a panic, a mistake in this program, into an error.
package mistake

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
)

// An Error is a panic and the line of this program that it comes from.
type Error struct{ Panic, At string }

func (e *Error) Error() string { return e.Panic + " (" + e.At + ")" }

// Catch, deferred, turns a panic into err. With GOTRACEBACK in the environment it lets the panic
// pass, for its trace.
func Catch(err *error) {
	if os.Getenv("GOTRACEBACK") != "" {
		return
	}
	if p := recover(); p != nil {
		text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
		*err = &Error{text, at()}
	}
}

// Caught is f with its panics as errors, for a goroutine.
func Caught(f func() error) func() error {
	return func() (err error) {
		defer Catch(&err)
		return f()
	}
}

// at finds the line: the first of this program below the panic.
func at() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "spmvtune/") {
			folder := path.Dir(strings.TrimPrefix(frame.Function, "spmvtune/"))
			_, file := path.Split(frame.File)
			return fmt.Sprintf("%s in %s:%d", path.Join(folder, path.Base(frame.Function)), file, frame.Line)
		}
		if !more {
			return "at an unknown line"
		}
	}
}
