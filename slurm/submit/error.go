package submit

import (
	"fmt"

	"spmvtune/internal/term"
)

// An IncompleteError says that not all of a round was sent. What was sent runs.
type IncompleteError struct {
	Dir        string // of the run
	Sent, All  int    // jobs of the round
	Unresolved bool   // whether the next one was sent is not known
	Err        error
}

func (e *IncompleteError) Error() string {
	text := fmt.Sprintf("submitting job %d of %d: %v", e.Sent+1, e.All, e.Err)
	switch {
	case e.Unresolved:
		return text + fmt.Sprintf(" (it may have been taken: spmvtune retry %s finds out and goes on, spmvtune cancel %s stops)", term.Shell(e.Dir), term.Shell(e.Dir))
	case e.Sent > 0 && e.Sent == e.All-1:
		return text + fmt.Sprintf(" (all tasks are submitted, but not the job that merges: run spmvtune merge %s once they have ended)", term.Shell(e.Dir))
	case e.Sent > 0:
		return text + fmt.Sprintf(" (%d before it are submitted: spmvtune retry %s submits the rest, spmvtune cancel %s stops)", e.Sent, term.Shell(e.Dir), term.Shell(e.Dir))
	}
	return text + fmt.Sprintf(" (nothing is submitted: spmvtune retry %s tries again)", term.Shell(e.Dir))
}

func (e *IncompleteError) Unwrap() error { return e.Err }
