package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/slurm"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// An attempt is what the journals of one attempt at a chunk say together: with
// several workers, that of the task speaks of what is in the others.
type attempt struct {
	chunk, job string
	number     int
}

func attemptOf(n journal.Name) attempt { return attempt{n.Chunk, n.Job, n.Attempt} }

// compare orders attempts at a chunk by when they were begun: by the numbers of their
// jobs, since the clocks of nodes differ and a lost one may write on.
func (a attempt) compare(b attempt) int {
	number := func(job string) uint64 {
		id, _, _ := strings.Cut(job, "_")
		n, _ := strconv.ParseUint(id, 10, 64) // 0 for what is no job of Slurm's
		return n
	}
	return cmp.Or(cmp.Compare(number(a.job), number(b.job)), cmp.Compare(a.job, b.job), cmp.Compare(a.number, b.number))
}

// A lastWord is how the last attempt at a chunk ended: the zero End, if it did not say.
type lastWord struct {
	attempt
	journal.End
}

// hear takes in how a journal of an attempt ended. Of several of one attempt the
// latest word counts.
func (l *lastWord) hear(a attempt, end journal.End) {
	if c := a.compare(l.attempt); c > 0 || c == 0 && !end.At.Before(l.At) {
		*l = lastWord{a, end}
	}
}

// incomplete tells the chunks of the plan that are complete, by what the journals
// say at their ends, from those that are not. A chunk that was split is left out:
// its halves stand for it.
//
// An attempt of which a journal has lost trials completes nothing. The next one
// measures what it does not find, so that its own word counts.
func Incomplete(plan slurm.Plan, files []File) (complete int, missing []Missing) {
	lossy := map[attempt]*File{}
	for i, f := range files {
		if at := attemptOf(f.Name); f.Fault.loses() && lossy[at] == nil {
			lossy[at] = &files[i]
		}
	}
	done := map[string]map[string][]trial.Part{} // by family and matrix
	attempts := map[string]int{}
	last := map[string]*lastWord{} // of each chunk
	for _, f := range files {
		at := attemptOf(f.Name)
		attempts[at.chunk]++
		if last[at.chunk] == nil {
			last[at.chunk] = &lastWord{attempt: at}
		}
		loser := lossy[at]
		ends := f.ends
		if len(ends) == 0 {
			ends = []journal.End{{}} // killed, still at it, or not to be read
		}
		for _, end := range ends {
			if loser != nil && (f.Fault.Unread || len(f.ends) > 0) && !slices.ContainsFunc(end.Pieces, func(p journal.Piece) bool { return !p.Complete }) {
				end.Reason = fmt.Sprintf("not all that it measured can be read: journal %s: %s", loser.Name, loser.Fault.First)
			}
			last[at.chunk].hear(at, end)
			for _, p := range end.Pieces {
				if !p.Complete || loser != nil {
					continue
				}
				family := f.Name.Family()
				if done[family] == nil {
					done[family] = map[string][]trial.Part{}
				}
				done[family][p.Matrix] = append(done[family][p.Matrix], p.Part)
			}
		}
	}
	for _, c := range plan.Current() {
		lacks := func(p slurm.Piece) bool { return !covered(p.Part, done[journal.Family(c.ID)][p.Matrix]) }
		if slices.ContainsFunc(c.Pieces, lacks) {
			m := Missing{Chunk: c.ID, Attempts: attempts[c.ID]}
			if l := last[c.ID]; l != nil {
				m.Job, m.Reason, m.OutOfTime, m.At = l.job, l.Reason, l.OutOfTime, l.At
			}
			missing = append(missing, m)
		} else {
			complete++
		}
	}
	return complete, missing
}

// covered reports whether the parts have, together, all trials of p. Part i of n
// goes from i/n to (i+1)/n of the list of trials.
func covered(p trial.Part, parts []trial.Part) bool {
	before := func(a, m, b, n int) int { return cmp.Compare(a*n, b*m) } // a/m against b/n
	parts = slices.DeleteFunc(slices.Clone(parts), func(q trial.Part) bool { return q.Of < 1 })
	slices.SortFunc(parts, func(a, b trial.Part) int { return before(a.Index, a.Of, b.Index, b.Of) })
	from, of := p.Index, p.Of
	for _, q := range parts {
		if before(q.Index, q.Of, from, of) <= 0 && before(q.Index+1, q.Of, from, of) > 0 {
			from, of = q.Index+1, q.Of
		}
	}
	return p.Of > 0 && before(from, of, p.Index+1, p.Of) >= 0
}
