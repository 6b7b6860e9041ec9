package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/rule"
	"spmvtune/tuner/trial"
)

// ties says where no kernel can be told from others.
func (s *scene) ties() string {
	if s.best() == nil {
		return ""
	}
	var places []string
	pairs := map[string]int{}
	blurred := 0
	for i := range s.contest.Places {
		named, others, tried := "", []string{}, 0
		for k := range s.contest.Contenders {
			switch o := &s.contest.Contenders[k]; {
			case o.Entries[i].Named:
				named = o.Kernel
			case o.Entries[i].Tied:
				others = append(others, o.Kernel)
			}
			if s.contest.Contenders[k].Entries[i].Row != nil {
				tried++
			}
		}
		switch {
		case len(others) > 0 && len(others)+1 == tried && tried > 2:
			blurred++
		case len(others) > 0:
			places = append(places, fmt.Sprintf("%s (%s = %s)", s.place(i), named, term.Some(others, 2)))
			for _, o := range others {
				pairs[min(named, o)+" = "+max(named, o)]++
			}
		}
	}

	n := len(s.contest.Places)
	var text []string
	if blurred > 0 {
		text = append(text, fmt.Sprintf("On %d of %s no kernel can be told from any other.", blurred, s.places(n)))
	}
	if len(places) > 0 {
		which := ": " + term.Some(places, fewPlaces)
		if len(places) > fewPlaces+1 {
			which = often(pairs)
		}
		text = append(text, fmt.Sprintf("On %d of %s others are tied with the best%s.", len(places), s.places(n), which))
	}
	return strings.Join(text, " ")
}

// often names the pairs that are tied the most often, two at most.
func often(pairs map[string]int) string {
	maps.DeleteFunc(pairs, func(_ string, n int) bool { return n < leastApart })
	list := slices.SortedFunc(maps.Keys(pairs), func(a, b string) int {
		return cmp.Or(cmp.Compare(pairs[b], pairs[a]), cmp.Compare(a, b))
	})
	if len(list) == 0 {
		return ""
	}
	for i, pair := range list {
		list[i] = fmt.Sprintf("%s (%d)", pair, pairs[pair])
	}
	return ", most often " + strings.Join(list[:min(2, len(list))], " and ")
}

// repeats says how far repeating a trial moves it, and what is not called a win.
func (s *scene) repeats() string {
	var factors []float64
	worst, at := 0.0, -1
	for i := range s.contest.Places {
		rows := s.contest.Places[i].Rows
		if f := Fastest(rows).Factor; f > 1 {
			factors = append(factors, f)
			if f > worst {
				worst, at = f, i
			}
		}
	}
	limit := ResolutionOf(s.contest.Places)
	if !(limit.Usual > 0) {
		return ""
	}
	if len(factors) == 0 {
		return fmt.Sprintf("No trial was repeated, so how far another run may be off is not known. Within this one, "+
			"differences below %s on %s are not called wins.", limit.Limit(), s.one())
	}

	usual := Middle(factors)
	text := "Repeating a trial moves it by up to " + moved(usual)
	if far := moved(worst); far != moved(usual) {
		text = fmt.Sprintf("Repeating a trial usually moves it by at most %s, at worst by %s, on %s",
			moved(usual), far, s.place(at))
	}
	return text + fmt.Sprintf(": on %s, differences below %s are usually not called wins, unless repeat runs confirm "+
		"them (a mean over several can show a smaller one).", s.one(), limit.Limit())
}

// one is a place in words, as opposed to the mean of several.
func (s *scene) one() string {
	if len(s.precisions()) > 1 {
		return "a single case"
	}
	return "a single matrix"
}

// moved prints how far a factor is from 1.
func moved(factor float64) string {
	if factor < 2 {
		return "±\u202f" + term.ShortPercent(factor-1)
	}
	return "a factor of " + term.Significant(factor, 2)
}

// fewCases is on how many matrices ways to choose have to be judged before something is said.
const fewCases = 4

// sameShare is the difference of two mean shares that is not told from none.
const sameShare = 0.01

// A way is a way to choose for a matrix that was not measured.
type way struct {
	rule.Figures
	do, is string // What to do, and what that is.
}

// advice says what to do for a new matrix or, where kernels were tried on some matrices only, why that is
// not known.
func (s *scene) advice() string {
	if text := s.rule(); text != "" {
		return text
	}
	partial := 0
	for _, sel := range s.selectors() {
		partial += sel.Validation.Partial
	}
	if partial < fewCases {
		return ""
	}
	return fmt.Sprintf("For a new matrix, no kernel or rule is advised: on %s some of the kernels were not tried, and "+
		"what was not tried can't be judged. Measure the new matrix itself (spmvtune help config).", s.places(partial))
}

// selectors are what was learned on the device, with its caches in this state.
func (s *scene) selectors() (list []rule.Selector) {
	if s.report.Rule == nil {
		return nil
	}
	for _, sel := range s.report.Rule.Selectors {
		if sel.Device == s.condition.Device && sel.Cache == s.condition.Cache {
			list = append(list, sel)
		}
	}
	return list
}

// rule says what to do for a new matrix: of the ways that keep the most of the best speed, the one
// that takes the least. Of a learned rule that is no better than one configuration it says so.
func (s *scene) rule() string {
	selectors := s.selectors()
	var cases []rule.Case
	for i := range selectors {
		cases = append(cases, selectors[i].Validation.Cases...)
	}
	take := each(selectors, singleConfig)
	config := way{rule.Summarise(cases, rule.SingleConfig.Of), "take " + take, "one configuration for all"}
	learned := way{rule.Summarise(cases, rule.Learned.Of), "ask the rule (spmvtune select A.mtx)", "the rule"}
	library := way{rule.Summarise(cases, rule.CuSPARSE.Of), "try cuSPARSE's algorithms", "the fastest of cuSPARSE"}
	tuned := way{rule.Summarise(cases, rule.SingleKernel.Of), "tune " + each(selectors, singleKernel) +
		" (try its blocks, grids and parameters)", "one kernel tuned on each"}
	if learned.Matrices < fewCases || tuned.Matrices == 0 || config.Matrices == 0 {
		return ""
	}
	blind := learned // where nothing can be tried on the matrix
	if learned.Mean < config.Mean+sameShare && config.Matrices >= learned.Matrices {
		blind, learned.is = config, "the rule, which is not worth using here"
	}

	ways := []way{config, learned, library, tuned} // by what they take
	ways = slices.DeleteFunc(ways, func(w way) bool { return w.Matrices < learned.Matrices })
	advised := slices.DeleteFunc(slices.Clone(ways), func(w way) bool { return w.is == learned.is && w.is != blind.is })
	most := slices.MaxFunc(advised, func(a, b way) int { return cmp.Compare(a.Mean, b.Mean) }).Mean
	best := advised[slices.IndexFunc(advised, func(w way) bool { return w.Mean > most-sameShare })]
	text := fmt.Sprintf("For a new matrix, %s. %s. These are geometric means of %s, where a tie with the best counts as "+
		"100%%. Each choice was made without the matrix that it is judged on, and need not be the one named here.", best.do,
		kept(best, ways), s.places(best.Matrices))
	if best.is == tuned.is || best.is == library.is {
		text += " Where nothing can be tried on a matrix, " + blind.do + "."
		best = blind
	}
	if best.is != config.is {
		text += " The one configuration for all is " + take + "."
	}
	return text
}

// kept says what shares of the best speed the ways keep, the best first.
func kept(best way, ways []way) string {
	text := fmt.Sprintf("%s keeps %s of the best speed (%s at worst, on %s, chosen without that matrix)", best.is,
		term.Percent0(best.Mean), term.Percent0(best.Worst), best.WorstMatrix)
	others := slices.DeleteFunc(ways, func(w way) bool { return w.is == best.is })
	slices.SortStableFunc(others, func(a, b way) int { return cmp.Compare(b.Mean, a.Mean) })
	var words []string
	for _, w := range others {
		words = append(words, term.Percent0(w.Mean)+" for "+w.is)
	}
	return strings.ToUpper(text[:1]) + text[1:] + ", against " + strings.Join(words, ", ")
}

func singleConfig(s *rule.Selector) string { return s.Single.String() }
func singleKernel(s *rule.Selector) string { return s.SingleKernel }

// each names something of selectors, with their precisions where they differ.
func each(selectors []rule.Selector, of func(*rule.Selector) string) string {
	var names, told []string
	for i := range selectors {
		sel := &selectors[i]
		name := strings.Replace(of(sel), " "+string(sel.Precision), "", 1)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		told = append(told, fmt.Sprintf("%s (%s)", name, sel.Precision))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(told, " or ")
}

// busy says where others used the processor so much that they are in the times.
func (s *scene) busy() string {
	all := s.report.Crowds()
	all = slices.DeleteFunc(all, func(c Crowd) bool { return c.Device != s.condition.Device })
	crowded := slices.DeleteFunc(slices.Clone(all), func(c Crowd) bool { return !c.Crowded() })
	if len(crowded) == 0 {
		return ""
	}
	worst := slices.MaxFunc(crowded, func(a, b Crowd) int { return cmp.Compare(a.Excess(), b.Excess()) })
	return fmt.Sprintf("The processor was busy on %d of %s, at worst on %s: %s. %s.",
		matricesOf(crowded), term.GroupedCount(matricesOf(all), "matrix", "matrices"), worst.Matrix, worst.HostUse,
		trial.HostRemedy(s.report.IsGPU(worst.Device)))
}

// matricesOf counts the matrices, each once in however many sweeps it was measured.
func matricesOf(list []Crowd) int {
	names := map[string]bool{}
	for _, c := range list {
		names[c.Matrix] = true
	}
	return len(names)
}
