package journal

// A sequence follows the numbers of a journal's lines. They show that a line was taken out
// or occurs twice, although each line that is left is whole.
type sequence struct {
	last    int // number of the last line that was in order
	unknown int // number of lines since then whose number can't be read
}

// next returns how many lines are missing before line n, or that it comes too late, as a copy
// does. Lines of older journals have no number: n is 0, and they are never out of order. A
// line that can't be read counts as one of those before n.
func (s *sequence) next(n int) (lost int, misplaced bool) {
	switch {
	case n == 0:
		return 0, false
	case n <= s.last:
		return 0, true
	}
	lost = max(n-s.last-1-s.unknown, 0)
	s.last, s.unknown = n, 0
	return lost, false
}
