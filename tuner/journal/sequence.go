package journal

// A sequence follows the numbers of a journal's lines: a line that was taken out, or
// stands there twice, is noticed by them, although each line that is left is whole.
type sequence struct {
	last    int // number of the last line that was in its place
	unknown int // lines since then whose number can't be read
}

// next says of the line of number n how many are missing before it, or that it stands
// behind its place, as a copy does. Lines of journals of versions before lines had
// numbers have 0, and are never out of place. A line that can't be read counts as one
// of those before n.
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
