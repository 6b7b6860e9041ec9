package rule

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// validate judges the rule, the tree without pruning, the best single
// configuration and the best single kernel on each matrix, all chosen without it.
// What is judged as the rule is the whole procedure: whether the tree is pruned is
// decided anew without the matrix, see keepsTree.
func validate(ctx context.Context, t *table, opt Options) (Validation, error) {
	if len(t.names) < 2 {
		return Validation{}, nil
	}
	kernel := t.kernelLoss()
	cases := make([]Case, len(t.names))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for m := range cases {
		g.Go(func() error {
			cases[m] = t.holdOut(m, kernel, opt)
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return Validation{}, err
	}
	slices.SortFunc(cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Fraction, b.Fraction), cmp.Compare(a.Matrix, b.Matrix))
	})
	used := Summarise(cases, func(c Case) float64 { return c.Fraction })
	return Validation{
		Matrices: len(cases),
		Mean:     used.Mean, Worst: used.Worst, WorstMatrix: used.WorstMatrix, Within5: used.Within5,
		Unpruned:     Summarise(cases, func(c Case) float64 { return c.Unpruned }).Mean,
		SingleConfig: Summarise(cases, func(c Case) float64 { return c.SingleConfig }).Mean,
		SingleKernel: Summarise(cases, func(c Case) float64 { return c.SingleKernel }).Mean,
		Cases:        cases,
	}, nil
}

// holdOut learns without matrix m and judges by it.
func (t *table) holdOut(m int, kernel [][]float64, opt Options) Case {
	others := make([]int, 0, len(t.names)-1)
	for i := range t.names {
		if i != m {
			others = append(others, i)
		}
	}
	l := newLearner(t, opt, others)
	root := l.grow(others, opt.MaxDepth)
	leaf, _ := root.walk(&t.facts[m])
	tree := t.column[leaf.Choice.String()]
	single, _ := l.choose(others)
	choice := tree
	if opt.Prune && !root.Leaf() && !t.keepsTree(others, opt) {
		choice = single
	}
	return Case{
		Matrix:       t.names[m],
		Class:        t.classes[m],
		Choice:       t.configs[choice],
		Evidence:     t.evidence[m][choice],
		Fraction:     math.Exp(-t.loss[m][choice]),
		Unpruned:     math.Exp(-t.loss[m][tree]),
		SingleConfig: math.Exp(-t.loss[m][single]),
		SingleKernel: math.Exp(-kernel[m][l.chooseKernel(others, kernel)]),
	}
}

// kernelLoss is the loss of each kernel when it is tuned for the matrix, by
// matrix and kernel.
func (t *table) kernelLoss() [][]float64 {
	all := make([][]float64, len(t.names))
	for m, loss := range t.loss {
		all[m] = make([]float64, len(t.kernels))
		for k := range all[m] {
			all[m][k] = math.Inf(1)
		}
		for c, x := range loss {
			k := t.kernel[c]
			all[m][k] = min(all[m][k], x)
		}
	}
	return all
}

// chooseKernel returns the kernel that is best on average over the matrices, of
// those with a configuration that can be chosen.
func (l *learner) chooseKernel(matrices []int, kernel [][]float64) int {
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
		sum := 0.0
		for _, m := range matrices {
			sum += kernel[m][k]
		}
		if best < 0 || sum < least-same {
			best, least = k, sum
		}
	}
	return best
}

// Figures sum up how a way to choose did on held-out matrices, as fractions of
// the oracle.
type Figures struct {
	Mean        float64 // geometric
	Worst       float64
	WorstMatrix string
	Within5     float64 // share of matrices at 0.95 or more
}

// Summarise sums up one fraction of each case. Without cases all figures are 0.
func Summarise(cases []Case, fraction func(Case) float64) Figures {
	if len(cases) == 0 {
		return Figures{}
	}
	f := Figures{Worst: math.Inf(1)}
	logs := 0.0
	for _, c := range cases {
		x := fraction(c)
		logs += math.Log(x)
		if x < f.Worst {
			f.Worst, f.WorstMatrix = x, c.Matrix
		}
		if x >= 0.95 {
			f.Within5++
		}
	}
	n := float64(len(cases))
	f.Mean, f.Within5 = math.Exp(logs/n), f.Within5/n
	return f
}
