package merge

import (
	"fmt"
	"slices"
	"time"

	"spmvtune/slurm"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A Missing is a chunk that is not complete.
type Missing struct {
	Chunk string `json:"chunk"`
	// Attempts is the number of its journals; 0 if it never started.
	Attempts int `json:"attempts"`
	// Job is the task of the last attempt, "12_3". The other fields speak about that attempt.
	Job string `json:"job,omitempty"`
	// Reason is what it said when it stopped, or why that does not count. It is "" if the
	// attempt said nothing, as when it is killed.
	Reason string `json:"reason"`
	// OutOfTime says that it stopped because its time limit was near.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// At is when it said so, by the clock of its node; zero if it said nothing.
	At time.Time `json:"at,omitzero"`
}

// Incomplete finds the chunks of the plan that are not complete, by what the journals say at
// their ends, and counts the others. A split chunk is represented by its halves.
//
// An attempt whose journals have lost trials completes nothing. The next attempt measures what
// it does not find, so its own word counts.
func Incomplete(plan slurm.Plan, files []File) (complete int, missing []Missing) {
	a := newAccount(files)
	for _, f := range files {
		a.hear(f)
	}
	for _, c := range plan.Current() {
		lacks := func(p slurm.Piece) bool {
			return !p.Part.CoveredBy(a.done[familyMatrix{journal.Family(c.ID), p.Matrix}])
		}
		if !slices.ContainsFunc(c.Pieces, lacks) {
			complete++
			continue
		}
		m := Missing{Chunk: c.ID, Attempts: a.attempts[c.ID]}
		if l := a.last[c.ID]; l != nil {
			m.Job, m.Reason, m.OutOfTime, m.At = l.job, l.Reason, l.OutOfTime, l.At
		}
		missing = append(missing, m)
	}

	return complete, missing
}

// A familyMatrix names a matrix in a family of chunks: one and the halves that it was split into.
type familyMatrix struct{ family, matrix string }

// An account is what journals say about the work of a run.
type account struct {
	lossy    map[attempt]*File // lossy has a journal that lost trials, for attempts that have one.
	done     map[familyMatrix][]trial.Part
	attempts map[string]int       // attempts are the numbers of journals by chunk.
	last     map[string]*lastWord // last is the last word by chunk.
}

func newAccount(files []File) account {
	a := account{
		lossy: map[attempt]*File{}, done: map[familyMatrix][]trial.Part{},
		attempts: map[string]int{}, last: map[string]*lastWord{},
	}

	for i, f := range files {
		if at := attemptOf(f.Name); f.Fault.loses() && a.lossy[at] == nil {
			a.lossy[at] = &files[i]
		}
	}

	return a
}

// hear takes in what a journal says at its ends.
func (a *account) hear(f File) {
	at := attemptOf(f.Name)
	a.attempts[at.chunk]++
	if a.last[at.chunk] == nil {
		a.last[at.chunk] = &lastWord{attempt: at}
	}
	loser := a.lossy[at]
	ends := f.ends
	if len(ends) == 0 {
		ends = []journal.End{{}} // killed, still running, or not readable
	}

	for _, end := range ends {
		claims := !slices.ContainsFunc(end.Pieces, func(p trial.Piece) bool { return !p.Complete })
		if loser != nil && claims && (f.Fault.Unread || len(f.ends) > 0) {
			end.Reason = fmt.Sprintf("not all that it measured can be read: journal %s: %s", loser.Name,
				loser.Fault.First)
		}
		a.last[at.chunk].hear(at, end)
		if loser != nil {
			continue
		}
		for _, p := range end.Pieces {
			if key := (familyMatrix{f.Name.Family(), p.Matrix}); p.Complete {
				a.done[key] = append(a.done[key], p.Part)
			}
		}
	}
}
