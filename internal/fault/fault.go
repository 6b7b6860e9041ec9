// Package fault turns the end of a mapped file, which another process has cut off, into an error.
package fault

import (
	"errors"
	"runtime/debug"
)

// ErrGone says that mapped memory could not be read.
var ErrGone = errors.New("a file was cut off, or could not be read, while it was mapped")

// Caught is what f returns, or ErrGone if f reads what a mapped file no longer has.
func Caught(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // of a fault, see debug.SetPanicOnFault
			err = ErrGone
		default:
			if p != error(ErrGone) {
				panic(p)
			}
			err = ErrGone
		}
	}()
	return f()
}
