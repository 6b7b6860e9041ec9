package headline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spmvtune/plots/number"
	"spmvtune/rule"
)

// fewCases is on how many matrices ways to choose have to be judged before something is said.
const fewCases = 4

// sameShare is the difference of two mean shares that is not told from none.
const sameShare = 0.01

// A way is a way to choose for a matrix that was not measured.
type way struct {
	rule.Figures
	do, is string // What to do, and what that is.
}

// rule says what to do for a new matrix: of the ways that keep the most of the best speed, the one
// that takes the least. Of a learned rule that is no better than one configuration it says so. Only
// matrices where every kernel was tried count: elsewhere ways lose by kernels that were not tried.
func (s *scene) rule() string {
	var selectors []rule.Selector
	var cases []rule.Case
	if s.report.Rule != nil {
		for _, sel := range s.report.Rule.Selectors {
			if sel.Device == s.condition.Device && sel.Cache == s.condition.Cache {
				selectors, cases = append(selectors, sel), append(cases, sel.Validation.Cases...)
			}
		}
	}
	cases = slices.DeleteFunc(cases, func(c rule.Case) bool { return c.Partial })

	config := way{rule.Summarise(cases, rule.SingleConfig.Of), "take " + each(selectors, singleConfig),
		"one configuration"}
	learned := way{rule.Summarise(cases, rule.Learned.Of), "ask the rule (spmvtune select A.mtx)", "the rule"}
	library := way{rule.Summarise(cases, rule.CuSPARSE.Of), "try cuSPARSE's algorithms", "the fastest of cuSPARSE"}
	tuned := way{rule.Summarise(cases, rule.SingleKernel.Of), "tune " + each(selectors, singleKernel),
		"one kernel that is tuned on each"}
	if learned.Matrices < fewCases || tuned.Matrices == 0 || config.Matrices == 0 {
		return ""
	}
	blind := learned // where nothing can be tried on the matrix
	if learned.Mean < config.Mean+sameShare {
		blind, learned.is = config, "the rule, which is not worth using here"
	}

	ways := []way{config, learned, library, tuned} // by what they take
	ways = slices.DeleteFunc(ways, func(w way) bool { return w.Matrices < learned.Matrices })
	most := slices.MaxFunc(ways, func(a, b way) int { return cmp.Compare(a.Mean, b.Mean) }).Mean
	i := slices.IndexFunc(ways, func(w way) bool { return w.Mean > most-sameShare })
	best := ways[i]
	ways = slices.Delete(ways, i, i+1)
	slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(b.Mean, a.Mean) })
	var others []string
	for _, w := range ways {
		others = append(others, number.Percent0(w.Mean)+" for "+w.is)
	}
	text := fmt.Sprintf("For a new matrix, %s. On matrices left out of learning that keeps %s of the best speed (%s at "+
		"worst, on %s), against %s (geometric means of %d, where a tie with the best counts as 100%%).", best.do,
		number.Percent0(best.Mean), number.Percent0(best.Worst), best.WorstMatrix, strings.Join(others, ", "),
		learned.Matrices)
	if best.is == tuned.is || best.is == library.is {
		text += " Where nothing can be tried on it, " + blind.do + "."
	}
	return text
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
