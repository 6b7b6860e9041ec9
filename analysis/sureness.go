package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
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
