package text

import (
	"fmt"
	"strconv"
)

// An Error says where and why a file was refused. Reason says what to do about
// it where that is known.
type Error struct {
	File   string // as the caller named it
	Line   int    // from 1; one past the last line where the file ends too early
	Reason string
	Err    error // the cause, where reading itself failed
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

func (e *Error) Unwrap() error { return e.Err }

// Quote shows a piece of the file, shortened, with control characters escaped.
func Quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
