package submit

import (
	"fmt"

	"spmvtune/internal/base/term"
)

// An IncompleteError says that not all of a round was sent. What was sent runs.
type IncompleteError struct {
	Dir string // Dir is the folder of the run.
	// Sent and All are numbers of jobs of the round.
	Sent, All int
	// Unresolved says that the next job may have been sent.
	Unresolved bool
	Err        error
}

func (e *IncompleteError) Error() string {
	text := fmt.Sprintf("submitting job %d of %d: %v", e.Sent+1, e.All, e.Err)
	dir := term.Shell(e.Dir)
	switch {
	case e.Unresolved:
		text += fmt.Sprintf(" (Slurm may have accepted it: "+
			"spmvtune retry %s finds out and goes on, spmvtune cancel %s stops)", dir, dir)
	case e.Sent > 0 && e.Sent == e.All-1:
		text += fmt.Sprintf(" (all tasks are submitted, but not the job that merges: "+
			"run spmvtune merge %s when they have ended)", dir)
	case e.Sent > 0:
		text += fmt.Sprintf(" (%d before it are submitted: spmvtune retry %s submits the rest, spmvtune cancel %s stops)",
			e.Sent, dir, dir)
	default:
		text += fmt.Sprintf(" (nothing is submitted: spmvtune retry %s tries again)", dir)
	}

	return text
}

func (e *IncompleteError) Unwrap() error { return e.Err }
