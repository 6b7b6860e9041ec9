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
	// fewMatrices is up to how many matrices no kernel is called the fastest: it is said which one wins where.
	fewMatrices = 2
	// near is how far apart the means of kernels are at most that are called equally fast.
	near = 1.1
	// noisy is from what difference between repeats on a run is called noisy.
	noisy = 0.1
	// blind is from what resolution on nothing is advised: see Resolution.
	blind = 0.5
)

// Headline returns the headline, a part for each device and state of its caches where verified kernels compete.
func Headline(d *Data) (parts []HeadlinePart) {
	for _, at := range d.Conditions() {
		s := &scene{report: d, condition: at, places: Verified(d.Under(at))}
		s.contest = NewContest(s.places)
		if len(s.contest.Contenders) < 2 {
			continue
		}
		s.leader, s.limit = s.fastest(), ResolutionOf(s.places)
		p := HeadlinePart{Device: at.Device, Cache: at.Cache, On: d.ConditionWords(at)}
		for _, say := range []func() Sentence{s.winner, s.exception, s.start, s.noise} {
			if said := say(); said.Lead != "" {
				said.Text = said.Lead + said.Text
				p.Sentences = append(p.Sentences, said)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// HeadlineLines are the sentences of all parts, for a terminal. Several parts have headings.
func HeadlineLines(parts []HeadlinePart) (lines []string) {
	for _, p := range parts {
		if len(parts) > 1 {
			lines = append(lines, p.On+":")
		}
		for _, s := range p.Sentences {
			lines = append(lines, s.Text)
		}
	}
	return lines
}

// A scene is what the sentences of a part are derived from.
type scene struct {
	report    *Data
	condition Condition
	places    []Panel // with verified trials only
	contest   *Contest
	leader    *Contender
	limit     Resolution
}

// fastest is the contender than which no other is faster in the geometric mean of the places of both.
func (s *scene) fastest() *Contender {
	list := s.contest.Contenders
	i := slices.IndexFunc(list, func(a Contender) bool {
		return !slices.ContainsFunc(list, func(b Contender) bool {
			r, _ := Over(b.Entries, a.Entries)
			return !s.contest.few(&b) && r.Value > 1
		})
	})
	return &list[max(i, 0)]
}

// winner says which kernels are the fastest, and how much faster than what they are measured against.
func (s *scene) winner() Sentence {
	won, few := s.won(), s.few()
	equal, apart := s.equals()
	said := Sentence{About: AboutWinner}
	switch first := s.leader.Kernel; {
	case few && len(won) > 1:
		var words []string
		for _, name := range s.ranked(won) {
			words = append(words, name+" on "+term.Some(s.names(won[name]), 2)+s.doubt(name))
		}
		said.Lead = "Fastest: " + strings.Join(words, "; ") + "."
	case len(equal) > 1:
		said.Lead = enumerated(equal) + " are equally fast here" + s.overBase(equal) + "."
		said.Text = fmt.Sprintf(" %s is fastest on %d of %s%s; the mean difference of %s is within noise.", first,
			len(won[first]), s.cases(), s.undecided(first), term.ShortPercent(apart-1))
	case few:
		said.Lead = first + " is fastest on " + strings.Join(s.names(won[first]), " and ") + s.overNext() + s.overBase(equal) + "."
	default:
		said.Lead = first + " is fastest here" + s.overNext() + s.overBase(equal) + "."
		said.Text = fmt.Sprintf(" It is fastest on %d of %s%s.", len(won[first]), s.cases(), s.undecided(first))
	}
	return said
}

// few reports whether so few matrices were measured that no kernel is called the fastest.
func (s *scene) few() bool {
	names := map[string]bool{}
	for i := range s.places {
		names[s.places[i].Matrix] = true
	}
	return len(names) <= fewMatrices
}

// won lists the places where each kernel was measured the fastest.
func (s *scene) won() map[string][]trial.Case {
	won := map[string][]trial.Case{}
	for i := range s.places {
		name := Fastest(s.places[i].Rows).Kernel
		won[name] = append(won[name], s.places[i].Case)
	}
	return won
}

// ranked lists the kernels that won somewhere, by their means.
func (s *scene) ranked(won map[string][]trial.Case) (names []string) {
	for i := range s.contest.Contenders {
		if name := s.contest.Contenders[i].Kernel; won[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// doubt says of a kernel that won somewhere that another one may have.
func (s *scene) doubt(kernel string) string {
	if s.shared(kernel) > 0 {
		return notDecided
	}
	return ""
}

// undecided says how many of the places that a kernel won another one may have.
func (s *scene) undecided(kernel string) string {
	if n := s.shared(kernel); n > 0 {
		return fmt.Sprintf(" (%d not decided)", n)
	}
	return ""
}

// shared counts the places that a kernel won, and another one may have.
func (s *scene) shared(kernel string) (places int) {
	for i := range s.places {
		tied := 0
		for k := range s.contest.Contenders {
			if s.contest.Contenders[k].Entries[i].Tied {
				tied++
			}
		}
		if tied > 1 && Fastest(s.places[i].Rows).Kernel == kernel {
			places++
		}
	}
	return places
}

const notDecided = " (not decided)"

// equals lists the leader and those that may as well be in its place, and how far their means are apart.
func (s *scene) equals() (names []string, apart float64) {
	names, apart = []string{s.leader.Kernel}, 1
	for i := range s.contest.Contenders {
		k := &s.contest.Contenders[i]
		if r, n := Over(s.leader.Entries, k.Entries); k.Kernel != s.leader.Kernel && !s.contest.few(k) && n > 0 && tied(r) &&
			r.Value < near {
			names, apart = append(names, k.Kernel), max(apart, r.Value)
		}
	}
	return names, apart
}

// enumerated lists two kernels in words, and counts the others.
func enumerated(names []string) string {
	if len(names) == 2 {
		return names[0] + " and " + names[1]
	}
	return fmt.Sprintf("%s, %s and %s", names[0], names[1], term.Count(len(names)-2, "other", "others"))
}

// overNext compares the leader with the next.
func (s *scene) overNext() string {
	for i := range s.contest.Contenders {
		next := &s.contest.Contenders[i]
		if next.Kernel == s.leader.Kernel || next.Kernel == s.report.BaselineOf(s.condition.Device) {
			continue
		}
		if r, n := Over(s.leader.Entries, next.Entries); n > 0 && r.Value >= 1 {
			text := ", " + times(r) + " as fast as " + next.Kernel + ", the next"
			if tied(r) {
				text += notDecided
			}
			return text
		}
	}
	return ""
}

// overBase compares the leader with the library or, where that was not measured, with the baseline, unless that is
// among its equals.
func (s *scene) overBase(equal []string) string {
	name, base := "the fastest of cuSPARSE", make([]Entry, len(s.places))
	for i := range s.places {
		base[i].Row = s.places[i].CuSPARSE()
	}
	r, n := Over(s.leader.Entries, base)
	if n == 0 || slices.ContainsFunc(equal, ofLibrary) {
		name = s.report.BaselineOf(s.condition.Device)
		i := slices.IndexFunc(s.contest.Contenders, func(k Contender) bool { return k.Kernel == name })
		if i < 0 || slices.Contains(equal, name) {
			return ""
		}
		if r, n = Over(s.leader.Entries, s.contest.Contenders[i].Entries); n == 0 {
			return ""
		}
	}
	text := ", " + times(r) + " as fast as " + name
	if tied(r) {
		text += notDecided
	}
	return text
}

// exception says where another kernel is faster than the leader, the one that gains the most, if it will be in another
// run. It may be one whose output is not verified, which its name says.
func (s *scene) exception() Sentence {
	at, gains := map[string][]trial.Case{}, map[string][]stat.Ratio{}
	panels := s.report.Under(s.condition)
	for i := range panels {
		own, best := panels[i].Best(s.leader.Kernel), Fastest(panels[i].Rows)
		if own != nil && best.Kernel != s.leader.Kernel && Tells(best, own) {
			gains[best.Kernel] = append(gains[best.Kernel], Ratio(own, best))
			at[best.Kernel] = append(at[best.Kernel], panels[i].Case)
		}
	}
	gain := func(name string) float64 { return float64(len(at[name])) * math.Log(stat.MeanRatio(gains[name]).Value) }
	names := slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		return cmp.Or(cmp.Compare(gain(b), gain(a)), compareKernels(a, b))
	})
	names = slices.DeleteFunc(names, func(name string) bool { return tied(stat.MeanRatio(gains[name])) })
	if len(names) == 0 || len(s.won()) > 1 && s.few() {
		return Sentence{}
	}
	return Sentence{AboutException, fmt.Sprintf(" %s, where %s is %s as fast.", term.Some(s.names(at[names[0]]), 2), names[0],
		times(stat.MeanRatio(gains[names[0]]))), "Exception:"}
}

// start names the configuration of the leader that is nearest to its fastest ones in the geometric mean, of those that
// were measured at the most places.
func (s *scene) start() Sentence {
	if s.limit.Usual > blind {
		return Sentence{}
	}
	means := map[kernels.Config]*stat.GeometricMean{}
	for i := range s.places {
		rows := s.places[i].ByKernel(s.leader.Kernel)
		for k := range rows {
			c := rows[k].Config
			if c.Precision = ""; means[c] == nil {
				means[c] = new(stat.GeometricMean)
			}
			means[c].Add(Fastest(rows).Time / rows[k].Time)
		}
	}
	best := slices.MinFunc(slices.Collect(maps.Keys(means)), func(a, b kernels.Config) int {
		return cmp.Or(cmp.Compare(means[b].Count(), means[a].Count()), cmp.Compare(means[b].Value(), means[a].Value()),
			cmp.Compare(a.Block, b.Block), cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params, b.Params))
	})
	return Sentence{AboutStart, " " + strings.Join(strings.Fields(best.String()), " ") + ".", "Start with"}
}

// noise says how far times scatter, if that is far or not known.
func (s *scene) noise() Sentence {
	var factors []float64
	for i := range s.places {
		if f := Fastest(s.places[i].Rows).Factor; f > 1 {
			factors = append(factors, f-1)
		}
	}
	var what []string
	if usual := Middle(factors); usual > noisy {
		what = append(what, "repeats differ by up to "+difference(slices.Max(factors)))
	}
	if slices.ContainsFunc(s.report.Crowds(), func(c Crowd) bool { return c.Device == s.condition.Device && c.Crowded() }) {
		what = append(what, "others used the processor")
	}
	switch {
	case s.limit.Usual > blind:
		what = append(what, "the fastest is not told within a factor of "+term.Significant(1+s.limit.Usual, 2))
		return Sentence{AboutNoise, ": " + strings.Join(what, ", ") + ".", "Measure on a quieter machine"}
	case len(what) > 0:
		return Sentence{AboutNoise, " " + strings.Join(what, ", and ") + ".", "Noisy run:"}
	case len(factors) == 0:
		return Sentence{AboutNoise, " another run may differ by more than this one shows.", "Nothing was repeated:"}
	}
	return Sentence{}
}

// cases counts the places in words: matrices or, where there are several precisions, a matrix in one each.
func (s *scene) cases() string {
	if len(s.precisions()) > 1 {
		return term.GroupedCount(len(s.places), "case", "cases")
	}
	return term.GroupedCount(len(s.places), "matrix", "matrices")
}

// precisions lists the precisions.
func (s *scene) precisions() (list []kernels.Precision) {
	for i := range s.places {
		if p := s.places[i].Precision; !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
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

// times prints how many times as fast something is, with as many digits as its interval supports.
func times(r stat.Ratio) string {
	const wide = 0.05
	digits := 3
	if r.High/r.Low > 1+wide {
		digits = 2
	}
	return printed(r.Value, digits) + " times"
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

// tied reports whether a ratio may be 1 in another run.
func tied(r stat.Ratio) bool { return r.Low <= 1 && r.High >= 1 }
