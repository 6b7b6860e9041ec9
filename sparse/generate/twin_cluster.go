package generate

import "math"

const (
	longestRun = 256
	widestGap  = 4096
)

// clustered appends clusters of runs at random places below hi: what a row of a set covering
// problem looks like whose columns are enumerated depth first, so that neighbouring columns
// share most rows.
func (f *filler) clustered(row, columns []int32, i, hi int) []int32 {
	for slot := 0; len(row) < len(columns); slot++ {
		if slot > 4*len(columns)+16 {
			return row
		}
		_, s := f.shared(i, slot)
		start := int(s.unit() * float64(hi))
		row = f.runs(row, len(columns), start, hi, &s)
		if len(row) == len(columns) {
			row = distinct(row)
		}
	}

	return row
}

// runs appends a cluster of runs from start on, as far as they lie below hi and the row has
// less than most entries.
func (f *filler) runs(row []int32, most, start, hi int, s *stream) []int32 {
	for range int(1 + 2*f.cluster*s.unit()) {
		end := min(start+heavy(s.unit(), f.tail, longestRun), hi)
		for ; start < end && len(row) < most; start++ {
			row = append(row, int32(start))
		}

		start = end + heavy(s.unit(), f.gap, widestGap)
		if start >= hi || len(row) == most {
			break
		}
	}
	return row
}

// heavy turns u, uniform in (0, 1], into a whole number that is at least n with probability
// n^−exponent, and at most most.
func heavy(u, exponent float64, most int) int {
	return int(min(math.Pow(u, -1/exponent), float64(most)))
}
