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
	// Lost is the number of trials that attempts had counted and that no journal has any more.
	Lost int `json:"lost,omitempty"`
	// At is when it said so, by the clock of its node; zero if it said nothing.
	At time.Time `json:"at,omitzero"`
}

// Incomplete finds the chunks of the plan that are not complete, by what the journals hold and say
// at their ends, and counts the others. A split chunk is represented by its halves. It also counts
// the complete ones of which that can't be told for sure: journals of early versions do not list
// the trials, so that nobody misses a journal that is gone.
//
// A piece is complete if an attempt says so and every trial that the attempt lists is in a journal.
// An attempt whose journals have lost trials completes nothing. The next attempt measures what
// it does not find, so its own word counts.
func Incomplete(plan slurm.Plan, files []File) (complete int, missing []Missing, unsure int) {
	a := newAccount(files)
	for _, f := range files {
		a.hear(f)
	}
	for _, c := range plan.Current() {
		lacks := func(p slurm.Piece) bool { return !p.Part.CoveredBy(a.done[a.key(c.ID, p.Matrix)]) }
		unlisted := func(p slurm.Piece) bool { return !p.Part.CoveredBy(a.sure[a.key(c.ID, p.Matrix)]) }
		if !slices.ContainsFunc(c.Pieces, lacks) {
			complete++
			if slices.ContainsFunc(c.Pieces, unlisted) {
				unsure++
			}
			continue
		}
		m := Missing{Chunk: c.ID, Attempts: a.attempts[c.ID], Lost: len(a.lost[c.ID])}
		if l := a.last[c.ID]; l != nil {
			m.Job, m.Reason, m.OutOfTime, m.At = l.job, l.Reason, l.OutOfTime, l.At
		}
		missing = append(missing, m)
	}

	return complete, missing, unsure
}

// A familyMatrix names a matrix in a family of chunks: one and the halves that it was split into.
type familyMatrix struct{ family, matrix string }

// An account is what journals say about the work of a run.
type account struct {
	lossy map[attempt]*File // lossy has a journal that lost trials, for attempts that have one.
	there []trial.Key       // there are the trials in journals, sorted.
	done  map[familyMatrix][]trial.Part
	sure  map[familyMatrix][]trial.Part // sure are those of done whose trials are all there.
	lost  map[string]map[trial.Key]bool // lost has the trials that are not there, by chunk.

	attempts map[string]int       // attempts are the numbers of journals by chunk.
	last     map[string]*lastWord // last is the last word by chunk.
}

func newAccount(files []File) account {
	a := account{
		lossy: map[attempt]*File{}, done: map[familyMatrix][]trial.Part{},
		sure: map[familyMatrix][]trial.Part{}, lost: map[string]map[trial.Key]bool{},
		attempts: map[string]int{}, last: map[string]*lastWord{},
	}

	for i, f := range files {
		if at := attemptOf(f.Name); f.Fault.loses() && a.lossy[at] == nil {
			a.lossy[at] = &files[i]
		}
	}

	all := make([][]trial.Key, len(files))
	for i, f := range files {
		all[i] = f.trials
	}
	a.there = slices.Concat(all...)
	slices.Sort(a.there)
	return a
}

func (a *account) key(chunk, matrix string) familyMatrix {
	return familyMatrix{journal.Family(chunk), matrix}
}

// hear takes in what a journal says at its ends.
func (a *account) hear(f File) {
	at := attemptOf(f.Name)
	if f.Name.Job == slurm.AdoptedJob { // no attempt of this run
		for _, end := range f.ends {
			for _, p := range end.Pieces {
				if p.Complete {
					a.take(f.Name, p, a.lossy[at] == nil)
				}
			}
		}
		return
	}
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
		lost := 0
		for _, p := range end.Pieces {
			if p.Complete {
				lost += a.take(f.Name, p, loser == nil)
			}
		}
		claims := !slices.ContainsFunc(end.Pieces, func(p trial.Piece) bool { return !p.Complete })
		switch {
		case loser != nil && claims && (f.Fault.Unread || len(f.ends) > 0):
			end.Reason = fmt.Sprintf("not all that it measured can be read: journal %s: %s", loser.Name,
				loser.Fault.First)
		case lost > 0:
			end.Reason = fmt.Sprintf("%d trials that it had counted are in no journal any more: journals were deleted, "+
				"cut or damaged", lost)
		}
		a.last[at.chunk].hear(at, end)
	}
}

// take takes in that a piece is complete, unless trials are lost, and returns their number. The word
// of the attempt may be unreliable otherwise.
func (a *account) take(name journal.Name, p trial.Piece, reliable bool) (lost int) {
	keys, listed := p.IDs.Keys()
	for _, k := range keys {
		if _, is := slices.BinarySearch(a.there, k); !is {
			if lost++; a.lost[name.Chunk] == nil {
				a.lost[name.Chunk] = map[trial.Key]bool{}
			}
			a.lost[name.Chunk][k] = true
		}
	}

	if lost > 0 || !reliable {
		return lost
	}
	key := a.key(name.Chunk, p.Matrix)
	a.done[key] = append(a.done[key], p.Part)
	if listed {
		a.sure[key] = append(a.sure[key], p.Part)
	}
	return 0
}
