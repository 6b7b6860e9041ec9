package analysis

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"

	"spmvtune/tuner/stat"
)

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

// verified says who wins without the kernels whose y nobody sees, if one of these wins anywhere.
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
	text := fmt.Sprintf("Nobody sees the y of %s, which may be wrong; no rule takes %s.", term.Some(won, 2),
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
	i := s.standing(base)
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

// standing is the index of a kernel among the standings, -1 if it was not measured.
func (s *scene) standing(kernel string) int {
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
