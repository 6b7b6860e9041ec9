// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// A HeadlinePart says what a report comes to on a device, for a state of its caches: at most four sentences or
// pairs of them, and 60 words. They are those that the data supports. Kernels are ranked by the geometric mean of
// their measured speeds, and only those whose output is verified. Page, terminal and JSON have the same.
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
	Lead  string `json:"-"` // How the text begins: what a reader in a hurry reads.
}

// Rest is what follows the lead.
func (s Sentence) Rest() string { return strings.TrimPrefix(s.Text, s.Lead) }

// A Topic is what a sentence is about.
type Topic string

// The topics are in the order of the headline.
const (
	AboutWinner    Topic = "winner"    // which kernel wins, or which are equally fast
	AboutException Topic = "exception" // where another kernel is much faster
	AboutStart     Topic = "start"     // a configuration to start with
	AboutNoise     Topic = "noise"     // how far times scatter, if that is far
)

const (
	// fewMatrices is on how many matrices kernels are compared at most where none is called the fastest: it is said
	// which one wins where.
	fewMatrices = 2
	// near is how far apart the means of kernels are at most that are called equally fast, if another run may turn them
	// around, and from what factor on another kernel is an exception worth knowing.
	near = 1.1
	// noisy is from what difference between repeats on a run is called noisy.
	noisy = 0.1
	// blind is from what resolution on nothing is advised: see Resolution.
	blind = 0.5
)

// mostWords is how many words a part has at most. If it has more, it leaves out one thing after the other.
const mostWords = 60

const (
	noCases      = iota + 1 // what its cases are
	oneException            // all exceptions but the first
	noException
	noCounts
)

// Headline returns the headline, a part for each device and state of its caches where verified kernels compete. A
// place with one of them says nothing of who wins, and is left out, unless all places are so.
func Headline(d *Data) (parts []HeadlinePart) {
	for _, at := range d.Conditions() {
		all := Verified(d.Under(at))
		s := &scene{report: d, condition: at}
		s.places = slices.DeleteFunc(slices.Clone(all), func(p Panel) bool { return len(p.Kernels()) < 2 })
		if s.apart = len(s.places) == 0; s.apart {
			s.places = all
		}
		if len(KernelsOf(s.places)) < 2 {
			continue
		}
		s.contest, s.limit = NewContest(s.places), ResolutionOf(s.places)
		s.won = s.winners()
		s.lead()
		for s.say() > mostWords && s.terse < noCounts {
			s.terse++
		}
		parts = append(parts, HeadlinePart{at.Device, at.Cache, d.ConditionWords(at), s.said})
	}
	return parts
}

// say makes the sentences, and returns how many words they have.
func (s *scene) say() (words int) {
	say := []func() Sentence{s.winner, s.exception, s.start, s.noise}
	if s.limit.Usual > blind {
		say = []func() Sentence{s.blinded}
	}
	s.said = nil
	for _, say := range say {
		if said := say(); said.Lead != "" {
			said.Text = said.Lead + said.Text
			s.said, words = append(s.said, said), words+len(strings.Fields(said.Text))
		}
	}
	return words
}

// HeadlineLines are the sentences of all parts, for a terminal. Several parts have headings.
func HeadlineLines(parts []HeadlinePart) (lines []string) {
	for _, p := range parts {
		if len(parts) > 1 {
			lines = append(lines, p.On+":")
		}
		lines = append(lines, lists.Of(p.Sentences, func(s Sentence) string { return s.Text })...)
	}
	return lines
}

// Brief leaves who wins and what to start with of each part, for the end of a table.
func Brief(parts []HeadlinePart) []HeadlinePart {
	for i, p := range parts {
		parts[i].Sentences = lists.Where(p.Sentences, func(s Sentence) bool {
			return len(p.Sentences) == 1 || s.About == AboutWinner || s.About == AboutStart
		})
	}
	return parts
}

// A scene is what the sentences of a part are derived from.
type scene struct {
	report    *Data
	condition Condition
	places    []Panel // with verified trials only, of two kernels at least
	contest   *Contest
	won       map[string][]trial.Case // where each kernel was measured the fastest
	rivals    []*Contender            // those that may lead: at more than half of the places, or all if none was
	leader    *Contender              // nil if none is ahead of all rivals
	special   *Contender              // ahead of the leader where it was measured, at fewer places; nil for none
	gain      stat.Ratio              // how many times as fast it is there
	few       bool                    // the leader is compared with some rival on few matrices
	apart     bool                    // no two kernels were measured at one place
	limit     Resolution
	terse     int // up to what is left out: noCases, …; 0 for nothing
	said      []Sentence
}

// winner says which kernels are the fastest, and how much faster than what they are measured against.
func (s *scene) winner() Sentence {
	said := Sentence{About: AboutWinner}
	if s.apart {
		said.Lead, said.Text = "No two kernels were measured on one matrix:", " "+s.whoWhere()+"."
		return said
	}
	if s.leader == nil || s.few && (len(s.won) > 1 || s.open(s.leader.Kernel) > 0) {
		said.Lead = "Fastest: " + s.whoWhere() + "."
		return said
	}
	if s.special != nil && s.terse >= noException {
		said.Lead = "Of the kernels measured on most matrices, "
	}
	first, equal := s.leader.Kernel, s.equals()
	won := len(s.won[first])
	counted := fmt.Sprintf("fastest on %d of %s%s", won, s.cases(), s.clearly(first))
	switch {
	case len(equal) > 1:
		apart, words := s.spread(equal), " are equally fast here"
		if apart >= near {
			words = " can't be told apart here"
		}
		said.Lead += enumerated(equal, "and") + words + s.over(s.overBase(equal...)) + "."
		said.Text = " The difference of their means, " + term.Difference(apart-1) + ", is within noise."
		if won > 0 {
			said.Text = " " + first + " is " + counted + "; the mean difference of " + term.Difference(apart-1) +
				" is within noise."
		}
	case s.few:
		said.Lead += first + " is fastest on " + some(s.names(s.won[first]), 2) + s.overAll() + "."
	default:
		is := " is fastest here"
		if 2*won <= len(s.places) {
			is = " is the best single choice"
		}
		said.Lead += first + is + s.overAll() + "."
		said.Text = " It is " + counted + "."
		if won == 0 {
			said.Text = " On each matrix another kernel is faster."
		}
	}
	if s.terse >= noCounts {
		said.Text = ""
	}
	return said
}

// whoWhere says which kernels win where, the first three of them. Those that can't be told from the fastest stand
// beside it.
func (s *scene) whoWhere() string {
	const most = 3
	var who []string
	where := map[string][]trial.Case{}
	for i := range s.contest.Contenders { // by their means
		name := s.contest.Contenders[i].Kernel
		for _, at := range s.won[name] {
			label := enumerated(append([]string{name}, s.tiedWith(name, at)...), "or")
			if where[label] == nil {
				who = append(who, label)
			}
			where[label] = append(where[label], at)
		}
	}
	words := lists.Of(who, func(label string) string { return label + " on " + some(s.names(where[label]), 2) })
	if more := len(words) - most; more > 0 {
		words = append(words[:most], term.Count(more, "other", "others")+" elsewhere")
	}
	return strings.Join(words, "; ")
}

// clearly says on how many of the places that a kernel won no other one may have.
func (s *scene) clearly(kernel string) string {
	switch open, won := s.open(kernel), len(s.won[kernel]); open {
	case 0:
		return ", clearly"
	case won:
		return ", clearly on none"
	default:
		return fmt.Sprintf(", clearly on %d", won-open)
	}
}

// some names the first matrices, and counts the others.
func some(matrices []string, most int) string {
	text := term.Some(matrices, most)
	if len(matrices) > most+1 {
		text += " matrices"
	}
	return text
}

// enumerated lists kernels in words, and of more than three counts those after the second.
func enumerated(names []string, and string) string {
	if len(names) > 3 {
		names = append(slices.Clone(names[:2]), term.Count(len(names)-2, "other", "others"))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " " + and + " " + names[last]
}

// overAll compares the leader with the next of its rivals and with what all are measured against.
func (s *scene) overAll() string {
	if next := s.behind(); len(next) > 0 {
		return s.over(AsFast(s.lag(next[0]), next[0].Kernel+", the next,"), s.overBase(s.leader.Kernel, next[0].Kernel))
	}
	return s.over(s.overBase(s.leader.Kernel))
}

// over joins comparisons, those that are "" left out.
func (s *scene) over(list ...string) string {
	list = slices.DeleteFunc(list, func(text string) bool { return text == "" })
	if len(list) == 0 {
		return ""
	}
	return ", " + strings.TrimSuffix(strings.Join(list, " and "), ",")
}

// overBase compares the leader with the library or, where that was not measured, with the baseline, unless that is
// among those which the sentence names.
func (s *scene) overBase(named ...string) string {
	name, base := "the fastest of cuSPARSE", make([]Entry, len(s.places))
	for i := range s.places {
		base[i].Row = s.places[i].CuSPARSE()
	}
	r, n := Over(s.leader.Entries, base)
	if n == 0 || slices.ContainsFunc(named, ofLibrary) {
		name = s.report.BaselineOf(s.condition.Device)
		i := slices.IndexFunc(s.contest.Contenders, func(k Contender) bool { return k.Kernel == name })
		if i < 0 || slices.Contains(named, name) {
			return ""
		}
		if r, n = Over(s.leader.Entries, s.contest.Contenders[i].Entries); n == 0 {
			return ""
		}
	}
	return AsFast(r, name)
}

// exception says where other kernels are faster than the leader, the worst places first. Those whose output is not
// verified, which their names say, are named if there is no other.
func (s *scene) exception() Sentence {
	if s.leader == nil || s.few && len(s.won) > 1 || s.terse >= noException {
		return Sentence{}
	}
	list := s.losses(s.places)
	var said []string
	if s.special != nil {
		can := "was measured"
		if slices.ContainsFunc(s.report.Rows, func(r store.Row) bool {
			return r.Kernel == s.special.Kernel && r.Status == trial.Invalid
		}) {
			can = "can be used"
		}
		said = append(said, fmt.Sprintf("where %s %s (%s, %s)", s.special.Kernel, can,
			term.Matrices(s.shared(s.special, s.leader)), factor(s.gain)))
	} else if len(list) == 0 {
		list = s.losses(s.report.Under(s.condition))
	}
	said = append(said, lists.Of(list, func(l loss) string {
		return fmt.Sprintf("%s (%s, %s)", strings.Join(s.names(l.at), ", "), l.kernel, factor(l.gain))
	})...)
	if len(said) == 0 {
		return Sentence{}
	}
	said[0] = strings.TrimSuffix(said[0], ")") + " times as fast)"
	most := 2
	if s.terse >= oneException {
		most = 1
	}
	return Sentence{AboutException, " " + some(said, most) + ".", "Except:"}
}

// start names the configuration of the leader that is nearest to its fastest ones in the geometric mean, of those that
// were measured at the most places.
func (s *scene) start() Sentence {
	if s.leader == nil {
		return Sentence{}
	}
	means := Means[kernels.Config]{}
	for i := range s.places {
		rows := s.places[i].ByKernel(s.leader.Kernel)
		for k := range rows {
			c := rows[k].Config
			c.Precision = ""
			means.Add(c, Fastest(rows).Time/rows[k].Time)
		}
	}
	best := slices.MinFunc(slices.Collect(maps.Keys(means)), func(a, b kernels.Config) int {
		return cmp.Or(cmp.Compare(means[b].Count(), means[a].Count()), cmp.Compare(means[b].Value(), means[a].Value()),
			cmp.Compare(a.Block, b.Block), cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params, b.Params))
	})
	words := append([]string{" " + best.Kernel}, best.Settings()...)
	return Sentence{AboutStart, strings.Join(words, " "), "Start with"}
}

// noise says how far times scatter, if that is far or not known.
func (s *scene) noise() Sentence {
	switch what, repeated := s.scatter(); {
	case len(what) > 0:
		return Sentence{AboutNoise, " " + strings.Join(what, ", and ") + ".", "Noisy run:"}
	case !repeated:
		return Sentence{AboutNoise, " how far runs differ is not known.", "Too little was repeated:"}
	}
	return Sentence{}
}

// blinded says that the run tells nothing: no kernel is advised.
func (s *scene) blinded() Sentence {
	what, _ := s.scatter()
	said := Sentence{About: AboutNoise, Lead: "Measure on a quieter machine: the fastest can't be told within a factor of " +
		term.Significant(1+s.limit.Usual, 2) + " here."}
	if len(what) > 0 {
		said.Text = " The reason: " + strings.Join(what, ", and ") + "."
	}
	return said
}

// scatter says what makes the run noisy, and whether anything was repeated.
func (s *scene) scatter() (what []string, repeated bool) {
	var factors []float64
	for i := range s.places {
		if f := Fastest(s.places[i].Rows).Factor; f > 1 {
			factors = append(factors, f-1)
		}
	}
	if Middle(factors) > noisy {
		what = append(what, "repeats differ by up to "+term.Difference(slices.Max(factors)))
	}
	crowded := func(c Crowd) bool { return c.Device == s.condition.Device && c.Crowded() }
	if slices.ContainsFunc(s.report.Crowds(), crowded) {
		what = append(what, "other programs used the processor")
	}
	return what, len(factors) > 0
}

// cases counts the places in words: matrices or, where there are several precisions, a matrix in one each.
func (s *scene) cases() string {
	matrices := len(lists.Distinct(s.places, func(p Panel) string { return p.Matrix }))
	precisions := len(lists.Distinct(s.places, func(p Panel) kernels.Precision { return p.Precision }))
	if precisions > 1 && s.terse >= noCases {
		return term.Grouped(len(s.places)) + " cases"
	}
	if precisions > 1 {
		return fmt.Sprintf("%s (%s, %d precisions)", term.Grouped(len(s.places)), term.Matrices(matrices), precisions)
	}
	return term.Matrices(matrices)
}

// names lists places. A matrix at all of its precisions is named alone.
func (s *scene) names(at []trial.Case) (list []string) {
	for _, c := range at {
		name := c.Matrix
		if slices.ContainsFunc(s.places, func(p Panel) bool { return p.Matrix == name && !slices.Contains(at, p.Case) }) {
			name += " in " + string(c.Precision)
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// factor prints how many times as fast something is, with as many digits as its interval supports.
func factor(r stat.Ratio) string {
	const wide = 0.05
	digits := 3
	if r.High/r.Low > 1+wide {
		digits = 2
	}
	return printed(r.Value, digits)
}

// printed prints a factor with n digits, and with as many more as tell it from 1.
func printed(v float64, n int) string {
	const most = 9
	text := term.Significant(v, n)
	if rounded, _ := strconv.ParseFloat(text, 64); rounded == 1 && v != 1 && n < most {
		return printed(v, n+1)
	}
	return text
}
