// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/tuner/stat"
)

// validate judges everything that can be learned on each family, learning without that family
// and, if there are many, without some others. What is judged as the rule is the whole
// procedure: how far the tree is pruned is decided anew, see penalty.
func validate(ctx context.Context, t *table, opt Options) (Validation, error) {
	all := lists.Indices(len(t.names))
	parts := t.folds(all, toJudge)
	if len(parts) < 2 {
		return Validation{}, nil
	}
	cases := make([][]Case, len(parts))
	err := panics.Each(ctx, len(parts), func(i int) error {
		s := t.teach(without(all, parts[i]), opt)
		cases[i] = lists.Of(parts[i], func(m int) Case { return t.judge(m, s) })
		return nil
	})
	if err != nil {
		return Validation{}, err
	}
	v := t.sumUp(slices.Concat(cases...))
	v.Families, v.Parts = len(t.families(all)), len(parts)
	return v, nil
}

// fix notes in cases how the configuration does that is best for all of them that are of a class of sizes.
func (t *table) fix(cases []Case) {
	for size := range sizeClasses {
		sum, rows := make([]float64, len(t.configs)), make(map[int][]float64)
		for i, c := range cases {
			if m, ok := slices.BinarySearch(t.names, c.Matrix); ok && !c.Partial && sizeOf(c.Nonzeros) == size {
				rows[i] = t.loss[m]
				floats.Add(sum, t.loss[m])
			}
		}
		best := slices.Index(sum, slices.Min(sum))
		for i, row := range rows {
			cases[i].Fixed = share(row[best])
		}
	}
}

// sumUp gives the figures of cases, and sorts them: worst first, partial ones last.
func (t *table) sumUp(cases []Case) Validation {
	t.fix(cases)
	slices.SortFunc(cases, func(a, b Case) int {
		if a.Partial != b.Partial {
			return map[bool]int{true: 1, false: -1}[a.Partial]
		}
		return cmp.Or(cmp.Compare(a.Fraction, b.Fraction), cmp.Compare(a.Matrix, b.Matrix))
	})
	used, spreads := Summarise(cases, Learned.Of), t.spreads(cases)
	return Validation{
		Figures: used, Partial: len(cases) - used.Matrices, Times: t.coverage(cases, spreads), Spreads: spreads,
		SingleConfig: Summarise(cases, SingleConfig.Of).Mean,
		SingleKernel: Summarise(cases, SingleKernel.Of).Mean,
		Cases:        cases,
	}
}

// chooseKernel returns the kernel that is best on average over the matrices, of
// those with a configuration that can be chosen.
func (l *learner) chooseKernel(matrices []int) int {
	known := make([]bool, len(l.kernels))
	for c, s := range l.start {
		if s == 0 {
			known[l.kernel[c]] = true
		}
	}

	best, least := -1, math.Inf(1)
	for k := range l.kernels {
		if !known[k] {
			continue
		}
		sum := lists.Sum(matrices, func(m int) float64 { return l.tuned[m][k] })
		if best < 0 || sum < least-same {
			best, least = k, sum
		}
	}

	return best
}

// families divides matrices by their class: a rule must not be judged by relatives of the
// matrices it was learned from. A matrix without a class is a family of its own. If all
// matrices are of one class, each is a family of its own.
func (t *table) families(matrices []int) [][]int {
	type family struct {
		class string
		own   int // the matrix, where it has no class
	}
	list := lists.Groups(matrices, func(m int) family {
		if class := t.classes[m]; class != "" {
			return family{class: class}
		}
		return family{own: m}
	})
	if len(list) == 1 {
		return lists.Of(matrices, func(m int) []int { return []int{m} })
	}
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
		least := slices.MinFunc(lists.Indices(by.parts), func(a, b int) int { return cmp.Compare(len(parts[a]), len(parts[b])) })
		parts[least] = append(parts[least], family...)
	}

	for _, p := range parts {
		slices.Sort(p)
	}
	return parts
}

// without returns all that are not in part; both are sorted.
func without(all, part []int) []int {
	return lists.Where(all, func(m int) bool {
		_, found := slices.BinarySearch(part, m)
		return !found
	})
}

// cusparse begins the names of the vendor's kernels.
const cusparse = "cusparse_"

// A paperRule is a paper's recommendation: one kernel, given by the beginning of its name, for
// matrices with at least this many nonzeros per row, and another kernel for the rest.
//
// Note: no paper says which block and grid size, so that its kernels count at their
// fastest on the matrix, which flatters it.
type paperRule struct {
	dense       float64
	long, short string
}

var (
	// As coo-spmv-final ends (Sec. VII and Table VI): "ps 1024 warp equals" where rows are
	// dense, else "ps 32 warp jump_block" (at most its unrolled version, whose name begins
	// so). What is dense is not said; the two matrices of Table VI on which the first is
	// best have 642 and 679 nonzeros in a row, the others at most 15: it is the geometric
	// mean of 15.2 and 642.
	cooFinal = paperRule{100, "coo_segscan_block", "coo_segscan_warp_chunk"}
	// csr-five-algorithms, Sec. VI: LightSpMV excels from about 18 nonzeros in a row, and
	// PCSR is among the best below.
	csrFive = paperRule{18, "csr_light", "csr_pcsr"}
)

// share is the fraction of the oracle that a loss is.
func share(loss float64) float64 { return math.Exp(-loss) }

// fastest is the fraction of the oracle of the fastest configuration that was measured on
// matrix m, of the kernels whose names begin so; 0 if there is none.
func (t *table) fastest(m int, prefix string) float64 {
	best := 0.0
	for c, x := range t.loss[m] {
		if t.evidence[m][c] == Measured && strings.HasPrefix(strings.ToLower(t.configs[c].Kernel), prefix) {
			best = max(best, share(x))
		}
	}
	return best
}

// paper is the same of what a paper's rule chooses.
func (t *table) paper(m int, r paperRule) float64 {
	if t.facts[m].RowMean >= r.dense {
		return t.fastest(m, r.long)
	}
	return t.fastest(m, r.short)
}

// Figures sum up how a selector did on matrices left out, as fractions of
// the oracle.
type Figures struct {
	Matrices    int     `json:"matrices"` // on which it is known
	Mean        float64 `json:"mean"`     // geometric
	Worst       float64 `json:"worst"`
	WorstMatrix string  `json:"worst_matrix"`
	Within5     float64 `json:"within_5_percent"` // share of matrices at 0.95 or more
}

// Summarise sums up one fraction of each case. It leaves out those of 0, which are not known, and
// partial cases, where a selector may seem slow only because its kernel was not tried. Without
// any all figures are 0.
func Summarise(cases []Case, fraction func(Case) float64) Figures {
	f := Figures{Worst: math.Inf(1)}
	var mean stat.GeometricMean
	for _, c := range cases {
		x := fraction(c)
		if x == 0 || c.Partial {
			continue
		}
		f.Matrices++
		mean.Add(x)
		if x < f.Worst {
			f.Worst, f.WorstMatrix = x, c.Matrix
		}

		if x >= 0.95 {
			f.Within5++
		}
	}

	if f.Matrices == 0 {
		return Figures{}
	}
	f.Mean, f.Within5 = mean.Value(), f.Within5/float64(f.Matrices)
	return f
}

// A Selector is a way to choose a configuration for a matrix, and the fraction of the oracle
// that it reached in a case; 0 where that is not known.
type Selector struct {
	Name string
	Of   func(Case) float64
}

// Selectors are those that are compared, the rule itself first.
var Selectors = []Selector{
	Learned,
	LearnedTop3,
	Written,
	ByTree,
	ByTreeTop3,
	OverSizes,
	SingleConfig, SingleKernel, CuSPARSE, COOFinal, CSRFive,
}

// Those of them that figures name.
var (
	Learned      = Selector{"learned rule", func(c Case) float64 { return c.Fraction }}
	LearnedTop3  = Selector{"learned rule, best of 3", func(c Case) float64 { return c.Top3 }}
	Written      = Selector{"learned rule, written as code", func(c Case) float64 { return c.Written }}
	ByTree       = Selector{"its tree alone", func(c Case) float64 { return c.Tree }}
	ByTreeTop3   = Selector{"its tree alone, best of 3", func(c Case) float64 { return c.TreeTop3 }}
	whatTree     = Selector{"the tree", func(c Case) float64 { return cmp.Or(c.Tree, c.Fraction) }}
	OverSizes    = Selector{"tree over sizes only", func(c Case) float64 { return c.Sizes }}
	BestNamed    = Selector{"the best of all that the rule names", func(c Case) float64 { return c.Named }}
	SingleConfig = Selector{"best single configuration", func(c Case) float64 { return c.SingleConfig }}
	FixedConfig  = Selector{"best single configuration of the size", func(c Case) float64 { return c.Fixed }}
	SingleKernel = Selector{"best single kernel, tuned", func(c Case) float64 { return c.SingleKernel }}
	CuSPARSE     = Selector{"cuSPARSE, the fastest of its algorithms", func(c Case) float64 { return c.CuSPARSE }}
	COOFinal     = Selector{"rule of coo-spmv-final, tuned", func(c Case) float64 { return c.COOFinal }}
	CSRFive      = Selector{"rule of csr-five-algorithms, tuned", func(c Case) float64 { return c.CSRFive }}
)
