// SPDX-License-Identifier: Apache-2.0

// Package panics turns a panic into an error: it is a fault of this program, and must not take a run with it. It also shares
// work out to goroutines that do so.
package panics

import (
	"context"
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
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
	switch p := recover().(type) {
	case nil:
	case *Error: // of a goroutine
		*err = p
	default:
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

// A Group is an [errgroup.Group] in which panics are errors.
type Group struct{ *errgroup.Group }

// NewGroup returns a group, and a context that ends with its first error.
func NewGroup(ctx context.Context) (Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	return Group{g}, ctx
}

// Go calls f in a goroutine.
func (g Group) Go(f func() error) { g.Group.Go(Caught(f)) }

// Each calls f for 0 to n−1, on all cores, until ctx ends or one fails. Which number runs where is random.
func Each(ctx context.Context, n int, f func(i int) error) error {
	workers := runtime.GOMAXPROCS(0)
	// Small enough to balance uneven work and to notice ctx, large enough that taking a piece costs nothing.
	piece := max(1, min(4096, n/(8*workers)))
	var taken atomic.Int64
	g, ctx := NewGroup(ctx)
	for range workers {
		g.Go(func() error {
			for {
				lo := int(taken.Add(int64(piece))) - piece
				if lo >= n || ctx.Err() != nil {
					return ctx.Err()
				}
				for i := lo; i < min(lo+piece, n); i++ {
					if err := f(i); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// Parts calls f for nearly equal parts of [0, n), so many of them, all at the same time, and waits.
func Parts(n, parts int, f func(part, lo, hi int)) {
	var all WaitGroup
	for part := range parts {
		all.Go(func() { f(part, n*part/parts, n*(part+1)/parts) })
	}
	all.Wait()
}

// at finds the line: the first of this program below the panic, and not of what passes panics on.
func at() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for {
		frame, more := frames.Next()
		name, ours := strings.CutPrefix(frame.Function, "example.org/spmvtune/")
		passing := strings.HasPrefix(name, "internal/base/panics.")
		if ours && (!passing || strings.HasSuffix(frame.File, "_test.go")) {
			_, file := path.Split(frame.File)
			return fmt.Sprintf("%s in %s:%d", path.Join(path.Dir(name), path.Base(name)), file, frame.Line)
		}
		if !more {
			return "at an unknown line"
		}
	}
}

// A WaitGroup is a [sync.WaitGroup] whose Wait panics where one of its functions did, so that the caller
// can turn that into an error.
type WaitGroup struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	first error
}

// Go calls f in a goroutine.
func (g *WaitGroup) Go(f func()) {
	g.wait.Go(func() {
		err := Caught(func() error { f(); return nil })()
		if err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.first = err
		}
	})
}

// Wait waits for all functions.
func (g *WaitGroup) Wait() {
	g.wait.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
