package bands

import (
	"strings"

	"spmvtune/internal/base/term"
)

// Odd says in what the chunks contradict the symmetry that their file announces, or "". duplicates is how many
// entries were added to others.
func Odd(l *Layout, chunks []*Chunk, duplicates int) string {
	var sum Chunk
	for _, c := range chunks {
		sum.above, sum.below, sum.on = sum.above+c.above, sum.below+c.below, sum.on+c.on
	}
	var odd []string
	if sum.above > 0 && sum.below > 0 && duplicates > 0 {
		odd = append(odd, "there are entries on both sides of the diagonal, which stand for two each, and "+
			term.Count(duplicates, "entry was", "entries were")+" added to others")
	}
	if l.Negate && sum.on > 0 {
		odd = append(odd, "the diagonal of a skew-symmetric matrix is 0, and here has "+
			term.Count(sum.on, "entry that is", "entries that are")+" not")
	}
	return strings.Join(odd, "; ")
}
