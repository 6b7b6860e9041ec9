package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A HeadlinePart says in sentences what a report comes to on a device, for a state of its caches: which kernel
// wins, by how much, how sure that is, and what to do for a matrix that was not measured.
//
// Each sentence is derived from the data and stands alone. It is left out where the data does not say it: of one
// kernel no winner is named, of one matrix no rule is judged, and what can't be told apart is not called a win.
// Page, terminal and JSON have the same sentences.
type HeadlinePart struct {
	Device    string      `json:"device"`
	Cache     trial.Cache `json:"cache"`
	On        string      `json:"-"` // Device and caches in words.
	Sentences []Sentence  `json:"sentences"`
}

// A Sentence is one thing that the data says.
type Sentence struct {
	About Topic  `json:"about"`
	Text  string `json:"text"`
}

// A Topic is what a sentence is about.
type Topic string

// The topics are in the order of the headline.
const (
	AboutWinner     Topic = "winner"     // which kernel wins, and by how much
	AboutExceptions Topic = "exceptions" // where others win
	AboutSingle     Topic = "single"     // what one kernel for all matrices costs
	AboutTies       Topic = "ties"       // where no kernel can be told from others
	AboutUnverified Topic = "verified"   // which kernel wins among those whose output is verified
	AboutRepeats    Topic = "repeats"    // how far repeating a trial moves it
	AboutBusy       Topic = "busy"       // where others used the processor
	AboutRule       Topic = "rule"       // what to do for a new matrix: use the learned rule, or something else
)

// Headline returns the headline, a part for each device and state of its caches that has verified trials.
func Headline(d *Data) []HeadlinePart {
	var parts []HeadlinePart
	for _, at := range d.Conditions() {
		s := &scene{report: d, condition: at, contest: d.NewContest(d.Under(at))}
		p := HeadlinePart{Device: at.Device, Cache: at.Cache, On: d.ConditionWords(at)}
		for _, say := range []struct {
			about Topic
			of    func(*scene) string
		}{{AboutWinner, (*scene).winner}, {AboutExceptions, (*scene).exceptions}, {AboutSingle, (*scene).single},
			{AboutTies, (*scene).ties}, {AboutUnverified, (*scene).verified}, {AboutRepeats, (*scene).repeats}, {AboutBusy, (*scene).busy},
			{AboutRule, (*scene).advice}} {
			if text := say.of(s); text != "" {
				p.Sentences = append(p.Sentences, Sentence{say.about, text})
			}
		}
		if len(p.Sentences) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// HeadlineLines are the sentences of all parts, for a terminal, but for some topics. Several parts have headings.
func HeadlineLines(parts []HeadlinePart, but ...Topic) []string {
	var lines []string
	for _, p := range parts {
		if len(parts) > 1 {
			lines = append(lines, p.On+":")
		}
		for _, s := range p.Sentences {
			if !slices.Contains(but, s.About) {
				lines = append(lines, s.Text)
			}
		}
	}
	return lines
}

// A scene is what the sentences of a part are derived from.
type scene struct {
	report    *Data
	condition Condition
	contest   *Contest
}

// places counts places in words: "8 matrices" or, where there are several precisions, "16 cases", a
// matrix in one precision each.
func (s *scene) places(n int) string {
	if len(s.precisions()) > 1 {
		return term.GroupedCount(n, "case", "cases")
	}
	return term.GroupedCount(n, "matrix", "matrices")
}

// all counts all places, and says what a case is: "16 cases (8 matrices in float32 and float64)", with "or" where
// not all matrices are in all precisions.
func (s *scene) all() string {
	text := s.places(len(s.contest.Places))
	precisions := s.precisions()
	if len(precisions) < 2 {
		return text
	}
	matrices := map[string]bool{}
	for i := range s.contest.Places {
		matrices[s.contest.Places[i].Matrix] = true
	}
	word := " and "
	if len(s.contest.Places) < len(matrices)*len(precisions) {
		word = " or "
	}
	return fmt.Sprintf("%s (%s in %s)", text, term.GroupedCount(len(matrices), "matrix", "matrices"),
		strings.Join(precisions, word))
}

// precisions lists the precisions.
func (s *scene) precisions() []string {
	seen := map[string]bool{}
	for i := range s.contest.Places {
		seen[string(s.contest.Places[i].Precision)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// place names a place: the matrix and, if there are several, the precision.
func (s *scene) place(i int) string {
	p := &s.contest.Places[i]
	if len(s.precisions()) > 1 {
		return p.Matrix + " " + string(p.Precision)
	}
	return p.Matrix
}

// wins reports whether a kernel is the best on at least half of the places.
func (s *scene) wins(k *Contender) bool {
	return k != nil && 2*k.Named >= len(s.contest.Places)
}

// best returns the kernel that is named the best most often, and of those equally often the one
// with the highest mean. It is nil where there is nothing to win.
func (s *scene) best() *Contender {
	var best *Contender
	if len(s.contest.Contenders) < 2 {
		return nil
	}
	for i := range s.contest.Contenders {
		if k := &s.contest.Contenders[i]; best == nil || k.Named > best.Named {
			best = k
		}
	}
	return best
}

// names lists places. A matrix at all of its precisions is named alone.
func (s *scene) names(at []int) []string {
	of := func(name string, i int) bool { return s.contest.Places[i].Matrix == name }
	all, here := map[string]int{}, map[string]int{}
	for i := range s.contest.Places {
		all[s.contest.Places[i].Matrix]++
	}
	for _, i := range at {
		here[s.contest.Places[i].Matrix]++
	}
	var list []string
	for k, i := range at {
		name := s.contest.Places[i].Matrix
		switch {
		case here[name] < all[name]:
			list = append(list, s.place(i))
		case !slices.ContainsFunc(at[:k], func(j int) bool { return of(name, j) }):
			list = append(list, name)
		}
	}
	return list
}

// digits is how many digits of a ratio its interval supports: two or three.
func digits(r stat.Ratio) int {
	const wide = 0.05
	if r.High/r.Low > 1+wide {
		return 2
	}
	return 3
}

// printed prints a factor with n digits, and with as many more as tell it from 1.
func printed(factor float64, n int) string {
	const most = 9
	text := term.Significant(factor, n)
	if v, _ := strconv.ParseFloat(text, 64); v == 1 && factor != 1 && n < most {
		return printed(factor, n+1)
	}
	return text
}

// times prints how many times as fast something is.
func times(r stat.Ratio) string { return printed(r.Value, digits(r)) + " times" }

// interval prints the interval in which another run finds a ratio.
func interval(r stat.Ratio) string {
	return fmt.Sprintf("%s to %s", printed(r.Low, digits(r)), printed(r.High, digits(r)))
}

// tied reports whether a ratio may be 1 in another run.
func tied(r stat.Ratio) bool { return r.Low <= 1 && r.High >= 1 }

// winner names the kernel that wins most often, and by how much.
func (s *scene) winner() string {
	k := s.best()
	if k == nil {
		return ""
	}
	if !s.wins(k) {
		return s.winners()
	}
	text := fmt.Sprintf("%s is best on %d of %s", k.Kernel, k.Named, s.all())
	switch {
	case k.Alone == 0:
		text = fmt.Sprintf("%s is named the best on %d of %s, but nowhere alone: others are tied with it", k.Kernel, k.Named,
			s.all())
	case k.Alone < k.Named:
		text += fmt.Sprintf(", on %d of them alone", k.Alone)
	}

	var gains []string
	for _, g := range []string{s.overReference(k), s.overNext(k)} {
		if g != "" {
			gains = append(gains, g)
		}
	}
	if len(gains) > 0 {
		text += "; " + strings.Join(gains, ", and ")
	}
	return text + "."
}

// verified says who wins without the kernels whose output is not verified, if one of these wins anywhere.
func (s *scene) verified() string {
	var won []string
	for _, k := range s.contest.Contenders {
		if k.Named > 0 && strings.HasSuffix(k.Kernel, kernels.NotVerified) {
			won = append(won, k.Kernel)
		}
	}
	if len(won) == 0 {
		return ""
	}
	places := Verified(s.contest.Places)
	rest := &scene{report: s.report, condition: s.condition, contest: s.report.NewContest(places)}
	text := fmt.Sprintf("The output of %s is not verified; rules never choose %s.", term.Some(won, 2),
		term.Noun(len(won), "it", "them"))
	if winner := rest.winner(); winner != "" {
		text += " Without such kernels: " + winner
	}
	return text
}

// winners says that no kernel wins on half of the places, and which ones win where.
func (s *scene) winners() string {
	at := map[string][]int{}
	var best []Entry
	for i := range s.contest.Places {
		for k := range s.contest.Contenders {
			if o := &s.contest.Contenders[k]; o.Entries[i].Named {
				at[o.Kernel], best = append(at[o.Kernel], i), append(best, o.Entries[i])
			}
		}
	}
	text := fmt.Sprintf("No kernel is best on half of %s: %s.", s.all(),
		s.listed(at, func(name string) string {
			others := s.at(func(i int) bool { return !slices.Contains(at[name], i) })
			if where := s.where(at[name], others); where != "" {
				return fmt.Sprintf("%s on %d, %s", name, len(at[name]), where)
			}
			return fmt.Sprintf("%s on %d", name, len(at[name]))
		}))
	if r, n := Over(best, s.cuSPARSE()); n > 0 {
		text += " The best of each is " + s.against(r, "the fastest of cuSPARSE", n) + "."
	}
	return text
}

// overReference compares a kernel with the library or, where that was not measured, with the
// baseline.
func (s *scene) overReference(k *Contender) string {
	if kernel, ok := kernels.Lookup(k.Kernel); !ok || !kernel.Library() {
		if r, n := Over(k.Entries, s.cuSPARSE()); n > 0 {
			return s.against(r, "the fastest of cuSPARSE", n)
		}
	}
	base := s.report.BaselineOf(s.condition.Device)
	i := s.indexOf(base)
	if i < 0 || base == k.Kernel {
		return ""
	}
	r, n := Over(k.Entries, s.contest.Contenders[i].Entries)
	return s.against(r, base, n)
}

// overNext compares a kernel with the one that is the best of the others in the geometric mean.
func (s *scene) overNext(k *Contender) string {
	for i := range s.contest.Contenders {
		next := &s.contest.Contenders[i]
		if next.Kernel == k.Kernel {
			continue
		}
		if next.Kernel == s.report.BaselineOf(s.condition.Device) {
			return "" // that was said
		}
		r, n := Over(k.Entries, next.Entries)
		if n == 0 {
			return ""
		}
		return s.against(r, next.Kernel+", the next", n)
	}
	return ""
}

// against prints a mean ratio over n places.
func (s *scene) against(r stat.Ratio, what string, n int) string {
	text := fmt.Sprintf("%s as fast as %s (%s", times(r), what, interval(r))
	switch all := len(s.contest.Places); {
	case n == 1 && all > 1:
		text += ", on one of them"
	case n > 1 && n < all:
		text += fmt.Sprintf(", geometric mean of %d", n)
	case n > 1:
		text += ", geometric mean"
	}
	if tied(r) {
		text += ": not told from 1"
	}
	return text + ")"
}

// cuSPARSE is the fastest trial of cuSPARSE at each place.
func (s *scene) cuSPARSE() []Entry {
	list := make([]Entry, len(s.contest.Places))
	for i := range s.contest.Places {
		list[i].Row = s.contest.Places[i].CuSPARSE()
	}
	return list
}

// indexOf is the index of a kernel among the contenders, -1 if it was not measured.
func (s *scene) indexOf(kernel string) int {
	return slices.IndexFunc(s.contest.Contenders, func(k Contender) bool { return k.Kernel == kernel })
}

// single says what is lost by taking one kernel for all matrices: the one with the highest mean. With
// a rule it is silent: of matrices left out, that is said beside the rule.
func (s *scene) single() string {
	n := len(s.contest.Places)
	i := slices.IndexFunc(s.contest.Contenders, func(k Contender) bool { return k.Tried == n })
	if n < 2 || i < 0 || s.best() == nil || s.rule() != "" {
		return ""
	}
	k := &s.contest.Contenders[i]
	text := fmt.Sprintf("One kernel for all: of those measured everywhere, %s, tuned on each matrix, keeps most: %s "+
		"of the best speed in the geometric mean", k.Kernel, term.Percent0(k.Mean))
	if k.Worst < 0.995 {
		text += fmt.Sprintf(", and %s at worst, on %s", term.Percent0(k.Worst), s.place(k.WorstAt))
	}
	return text + "."
}

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
		of = append(of, s.contest.Contenders[s.indexOf(name)].Entries[i])
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
	of          func(*trial.Matrix) float64
	above, less string // The words before the threshold.
}

var traits = []trait{
	{func(m *trial.Matrix) float64 { return m.RowMean }, "where rows have more than %s nonzeros on average",
		"where rows have less than %s nonzeros on average"},
	{func(m *trial.Matrix) float64 { return m.RowMaxOverMean }, "where the longest row is more than %s times the mean",
		"where no row is longer than %s times the mean"},
	{func(m *trial.Matrix) float64 { return float64(m.Nonzeros) }, "where there are more than %s nonzeros",
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
