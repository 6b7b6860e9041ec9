package merge

import (
	"errors"
	"fmt"

	"spmvtune/tuner/journal"
)

// A Fault says why a journal could not be used in full. The rest of it was used.
type Fault struct {
	File string `json:"file"`
	// Unread says that the journal could not be read to its end.
	Unread bool `json:"unread,omitempty"`
	// Torn says that the last line has no end: it is being written, or its writer died.
	Torn bool `json:"torn,omitempty"`
	// Damaged is the number of lines that are not what was written.
	Damaged int `json:"damaged,omitempty"`
	// Orphans is the number of trials whose run or matrix was on a damaged line.
	Orphans int `json:"orphans,omitempty"`
	// Unknown is the number of lines that only a newer program knows.
	Unknown int `json:"unknown,omitempty"`
	// First is the first of these problems with its line, or why the file can't be read.
	First string `json:"first"`
}

// Lost is the number of lines that can't be used.
func (f *Fault) Lost() int { return f.Damaged + f.Orphans + f.Unknown }

// loses reports whether trials may be lost, so that what the journal says about its pieces is
// unreliable. A torn line was never recorded.
func (f *Fault) loses() bool { return f.Unread || f.Lost() > 0 }

// Renew forgets what may have changed when the journal is read further.
func (f *Fault) Renew() {
	f.Unread, f.Torn = false, false
	if f.Lost() == 0 {
		f.First = ""
	}
}

// unread notes that reading broke off.
func (f *Fault) unread(err error) {
	f.Unread = true
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // the name of the journal is known
	}
	if f.First == "" {
		f.First = err.Error()
	}
}

// note counts a problem.
func (f *Fault) note(p journal.Problem) {
	if f.First == "" {
		f.First = fmt.Sprintf("line %d: %v", p.Line, p.Err)
	}
	switch p.Kind {
	case journal.Torn:
		f.Torn = true
	case journal.Orphan:
		f.Orphans++
	case journal.Unknown:
		f.Unknown++
	default:
		f.Damaged++
	}
}
