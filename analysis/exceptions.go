package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/internal/base/term"

	"spmvtune/store"
)

// mostOthers is how many kernels that win elsewhere are named.
const mostOthers = 4

// fewPlaces is how many places are named one by one.
const fewPlaces = 3

// exceptions says where kernels other than the winner are faster than it.
func (s *scene) exceptions() string {
	k := s.best()
	if !s.wins(k) || k.Named == len(s.contest.Places) {
		return ""
	}
	others := map[string][]int{} // Places by kernel.
	for i := range s.contest.Places {
		for j := range s.contest.Contenders {
			if o := &s.contest.Contenders[j]; o.Entries[i].Named && !k.Entries[i].Tied {
				others[o.Kernel] = append(others[o.Kernel], i)
			}
		}
	}
	words := map[string]string{}
	for name, at := range others {
		if words[name] = s.exception(k, name, at); words[name] == "" {
			delete(others, name)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return "Faster than it: " + s.listed(others, func(name string) string { return words[name] }) + "."
}

// at lists places.
func (s *scene) at(which func(place int) bool) []int {
	var list []int
	for i := range s.contest.Places {
		if which(i) {
			list = append(list, i)
		}
	}
	return list
}

// listed lists kernels that have places, those with the most first, and counts the rest.
func (s *scene) listed(at map[string][]int, words func(kernel string) string) string {
	var names, parts []string
	for i := range s.contest.Contenders {
		if name := s.contest.Contenders[i].Kernel; len(at[name]) > 0 {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(at[b]), len(at[a])) })

	rest, places := 0, 0
	for i, name := range names {
		if i >= mostOthers && len(names) > mostOthers+1 {
			rest, places = rest+1, places+len(at[name])
			continue
		}
		parts = append(parts, words(name))
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%d other kernels on %d", rest, places))
	}
	return strings.Join(parts, "; ")
}

// exception says where a kernel wins over the winner k, and by how much: "" if it may be no faster
// in another run.
func (s *scene) exception(k *Contender, name string, at []int) string {
	var of, over []Entry
	for _, i := range at {
		of = append(of, s.contest.Contenders[s.standing(name)].Entries[i])
		over = append(over, k.Entries[i])
	}
	r, n := Over(of, over)
	if n > 0 && tied(r) {
		return ""
	}

	text := name + " on " + term.Some(s.names(at), fewPlaces)
	if where := s.where(at, s.at(func(i int) bool { return k.Entries[i].Named })); where != "" {
		text = fmt.Sprintf("%s on %d, %s", name, len(at), where)
	}
	if n > 0 {
		text += fmt.Sprintf(" (%s, %s)", times(r), interval(r))
	}
	return text
}

// A trait is a feature of matrices in words.
type trait struct {
	of          func(*store.Matrix) float64
	above, less string // The words before the threshold.
}

var traits = []trait{
	{func(m *store.Matrix) float64 { return m.RowMean }, "where rows have more than %s nonzeros on average",
		"where rows have less than %s nonzeros on average"},
	{func(m *store.Matrix) float64 { return m.RowMaxOverMean }, "where the longest row is more than %s times the mean",
		"where no row is longer than %s times the mean"},
	{func(m *store.Matrix) float64 { return float64(m.Nonzeros) }, "where there are more than %s nonzeros",
		"where there are less than %s nonzeros"},
}

// leastApart is on how many matrices each of two kernels must win before a feature is said to tell
// them apart: some feature always tells two single matrices apart.
const leastApart = 3

// where says what tells the matrices at some places from those at others, "" if no single feature
// does.
func (s *scene) where(at, others []int) string {
	here, there := map[string]bool{}, map[string]bool{}
	for _, i := range at {
		here[s.contest.Places[i].Matrix] = true
	}
	for _, i := range others {
		there[s.contest.Places[i].Matrix] = true
	}
	if len(here) < leastApart || len(there) < leastApart {
		return ""
	}

	for _, t := range traits {
		a, b := s.span(t, there), s.span(t, here)
		switch {
		case a.high < b.low:
			return fmt.Sprintf(t.above, term.Abbreviated(between(a.high, b.low)))
		case b.high < a.low:
			return fmt.Sprintf(t.less, term.Abbreviated(between(b.high, a.low)))
		}
	}
	return ""
}

// between is a threshold between two values, in the middle of their logarithms.
func between(low, high float64) float64 { return math.Sqrt(low * high) }

type span struct{ low, high float64 }

// span is what a feature spans over matrices. It is NaN, which is apart from nothing, where the
// feature of a matrix is not known.
func (s *scene) span(t trait, names map[string]bool) span {
	r := span{math.Inf(1), math.Inf(-1)}
	for i := range s.report.Matrices {
		if m := &s.report.Matrices[i]; names[m.Name] {
			v := t.of(m)
			r.low, r.high = min(r.low, v), max(r.high, v)
		}
	}
	return r
}
