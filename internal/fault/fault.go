// Package fault turns the end of a mapped file, which another process has cut off, into an error.
package fault

import (
	"errors"
	"os"
	"runtime/debug"

	"spmvtune/internal/mistake"
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
			switch {
			case p == error(ErrGone):
				err = ErrGone
			case os.Getenv("GOTRACEBACK") != "":
				panic(p)
			default:
				panic(mistake.Of(p))
			}
		}
	}()
	return f()
}
