package text

import (
	"errors"
	"sync"
)

// A First is the first mistake in the order of the file, whoever comes across it when. The zero
// First has no error.
type First struct {
	mu  sync.Mutex
	err *Error
}

// Note takes the error of a piece of the file, which is an *Error or nil, and
// reports whether it is nil.
func (f *First) Note(err error) bool {
	if err == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var e *Error
	if errors.As(err, &e) && (f.err == nil || e.Line < f.err.Line) {
		f.err = e
	}

	return false
}

// Err returns the mistake, or nil.
func (f *First) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		return nil
	}
	return f.err
}
