package headline

import (
	"fmt"

	"spmvtune/plots/number"
	"spmvtune/rule"
)

// fewCases is on how many matrices a rule has to be judged before something is said of it.
const fewCases = 4

// sameShare is the difference of two mean shares that is not told from none.
const sameShare = 0.01

// rule says whether the learned rule is worth using, beside its alternatives.
func (s *scene) rule() string {
	if s.report.Rule == nil {
		return ""
	}
	var cases []rule.Case
	for i := range s.report.Rule.Selectors {
		if sel := &s.report.Rule.Selectors[i]; sel.Device == s.condition.Device && sel.Cache == s.condition.Cache {
			cases = append(cases, sel.Validation.Cases...)
		}
	}

	share := func(of func(rule.Case) float64) rule.Figures { return rule.Summarise(cases, of) }
	learned := share(func(c rule.Case) float64 { return c.Fraction })
	config := share(func(c rule.Case) float64 { return c.SingleConfig })
	tuned := share(func(c rule.Case) float64 { return c.SingleKernel })
	library := share(func(c rule.Case) float64 { return c.CuSPARSE })
	if learned.Matrices < fewCases || tuned.Matrices == 0 || config.Matrices == 0 {
		return ""
	}

	advice := "worth using here"
	switch {
	case learned.Mean < config.Mean+sameShare:
		advice = "not worth using here"
	case learned.Mean < tuned.Mean-sameShare:
		advice = "worth using where a matrix can't be tuned"
	}
	others := fmt.Sprintf("%s for one kernel that is tuned on each and %s for one configuration",
		number.Percent0(tuned.Mean), number.Percent0(config.Mean))
	if library.Matrices == learned.Matrices {
		others = fmt.Sprintf("%s for the fastest of cuSPARSE, %s", number.Percent0(library.Mean), others)
	}
	return fmt.Sprintf("The rule: %s. On matrices left out of learning it keeps %s of the best speed, against %s "+
		"(geometric means of %d, where a tie with the best counts as 100%%).", advice, number.Percent0(learned.Mean), others,
		learned.Matrices)
}
