package table

import (
	"math"
	"unicode"
	"unicode/utf8"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// timeCell, rateCell and ratioCell round to what the interval supports.
func timeCell(r *store.Row) Cell {
	ms := 1e3 * r.Time
	return Cell{term.Interval(ms, 1e3*r.Another.Low, 1e3*r.Another.High), ms}
}

func rateCell(r *store.Row, v float64) Cell { return Cell{term.Rounded(v, v*analysis.Relative(r)), v} }

func ratioCell(base, r *store.Row) Cell {
	if base == nil || r == nil {
		return Cell{term.Missing, math.NaN()}
	}
	v, low, high := analysis.Ratio(base, r)
	text := term.Rounded(v, max(v-low, high-v))
	if base.Config != r.Config && !analysis.Told(base, r) {
		text += tiedMark
	}
	return Cell{text, v}
}

// tiedMark stands after a ratio that may as well be 1.
const tiedMark = " (tied)"

// paperRate is the bandwidth in the COO papers' count of bytes.
func paperRate(r *store.Row) Cell { return rateCell(r, 24e-9*float64(r.NNZ)/r.Time) }

// Mark makes the fastest of a row's trials bold, and puts = before those that are tied with
// it. at gives the column of each trial; a nil trial has none.
func (t *Table) Mark(trials []*store.Row, at []int) {
	var best *store.Row
	for _, r := range trials {
		if r != nil && (best == nil || r.Time < best.Time) {
			best = r
		}
	}

	row := len(t.Rows) - 1
	for i, r := range trials {
		switch {
		case r == nil:
		case r == best:
			t.embolden(row, at[i])
		case !analysis.Tells(best, r):
			t.Rows[row][at[i]].Text = "= " + t.Rows[row][at[i]].Text
		}
	}
}

// sentences turns errors into sentences.
func sentences(list []error) []string {
	texts := make([]string, len(list))
	for i, err := range list {
		texts[i] = Sentence(err.Error())
	}
	return texts
}

// Sentence starts s with a capital and ends it with a full stop.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}
