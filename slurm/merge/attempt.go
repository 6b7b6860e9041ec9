package merge

import (
	"cmp"
	"strconv"
	"strings"

	"spmvtune/tuner/journal"
)

// An attempt names one attempt at a chunk. Its journals speak together: with several workers,
// the journal of the task speaks about what is in the others.
type attempt struct {
	chunk, job string
	number     int
}

func attemptOf(n journal.Name) attempt { return attempt{n.Chunk, n.Job, n.Attempt} }

// compare orders attempts at a chunk by when they began. It goes by the numbers of their jobs,
// because the clocks of nodes differ and a lost task may write on. Those outside of arrays come first,
// in the order of their claims.
func (a attempt) compare(b attempt) int {
	number := func(job string) uint64 {
		id, _, _ := strings.Cut(job, "_")
		n, _ := strconv.ParseUint(id, 10, 64) // 0 if it is no job of Slurm's
		return n
	}
	return cmp.Or(cmp.Compare(number(a.job), number(b.job)),
		cmp.Compare(a.number, b.number), cmp.Compare(a.job, b.job))
}

// A lastWord says how the last attempt at a chunk ended. The End is zero if it did not say.
type lastWord struct {
	attempt
	journal.End
}

// hear takes in how a journal of an attempt ended. Among those of one attempt the latest counts.
func (l *lastWord) hear(a attempt, end journal.End) {
	if c := a.compare(l.attempt); c > 0 || c == 0 && !end.At.Before(l.At) {
		*l = lastWord{a, end}
	}
}
