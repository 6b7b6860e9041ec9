// Package headline says in sentences what a report comes to: which kernel wins, by how much, how
// sure that is, and what to do for a matrix that was not measured.
//
// Each sentence is derived from the data and stands alone. It is left out where the data does not
// say it: of one kernel no winner is named, of one matrix no rule is judged, and what can't be
// told apart is not called a win. Page, terminal and JSON have the same sentences.
package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Part is what can be said of a device and a state of its caches.
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
	AboutUnverified Topic = "verified"   // which kernel wins where those are left out whose y nobody sees
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

// Lines are the sentences of all parts, for a terminal, but for some topics. Several parts have headings.
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
