package rule

import (
	"cmp"
	"slices"
)

// families divides matrices by their class: a rule must not be judged by relatives of the
// matrices it was learned from. A matrix without a class is a family of its own. If all
// matrices are of one class, each is a family of its own.
func (t *table) families(matrices []int) [][]int {
	byClass := make(map[string][]int)
	var list [][]int
	for _, m := range matrices {
		if class := t.classes[m]; class != "" {
			byClass[class] = append(byClass[class], m)
		} else {
			list = append(list, []int{m})
		}
	}

	if len(list) == 0 && len(byClass) == 1 {
		for _, m := range matrices {
			list = append(list, []int{m})
		}
		return list
	}

	for _, family := range byClass {
		list = append(list, family)
	}
	slices.SortFunc(list, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// A folding says into how many parts families are divided. If there are at most few families,
// each is a part.
type folding struct{ few, parts int }

var (
	toJudge  = folding{40, 20} // the rule
	toDecide = folding{10, 5}  // how far to prune: for each part that is judged, anew
)

// folds divides matrices into parts, a family never in two.
func (t *table) folds(matrices []int, by folding) [][]int {
	list := t.families(matrices)
	if len(list) <= by.few {
		return list
	}

	// The largest first, each to the part with the fewest matrices.
	slices.SortStableFunc(list, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	parts := make([][]int, by.parts)
	for _, family := range list {
		least := 0
		for p := range parts {
			if len(parts[p]) < len(parts[least]) {
				least = p
			}
		}
		parts[least] = append(parts[least], family...)
	}

	for _, p := range parts {
		slices.Sort(p)
	}
	return parts
}

// without returns all that are not in part; both are sorted.
func without(all, part []int) []int {
	rest := make([]int, 0, len(all)-len(part))
	for _, m := range all {
		if _, found := slices.BinarySearch(part, m); !found {
			rest = append(rest, m)
		}
	}
	return rest
}
