package rule

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"spmvtune/internal/base/panics"
)

// validate judges everything that can be learned on each family, learning without that family
// and, if there are many, without some others. What is judged as the rule is the whole
// procedure: how far the tree is pruned is decided anew, see penalty.
func validate(ctx context.Context, t *table, opt Options) (Validation, error) {
	all := indices(len(t.names))
	list := t.folds(all, toJudge)
	if len(list) < 2 {
		return Validation{}, nil
	}

	kernel := t.kernelLoss()
	cases := make([][]Case, len(list))
	g, ctx := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))

	for i, family := range list {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s := t.teach(without(all, family), kernel, opt)
			for _, m := range family {
				cases[i] = append(cases[i], t.judge(m, s, kernel))
			}

			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return Validation{}, err
	}

	v := sumUp(slices.Concat(cases...))
	v.Families, v.Parts = len(t.families(all)), len(list)
	return v, nil
}

// sumUp gives the figures of cases, and sorts them: worst first, partial ones last.
func sumUp(cases []Case) Validation {
	last := func(c *Case) int {
		if c.Partial {
			return 1
		}
		return 0
	}
	slices.SortFunc(cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(last(&a), last(&b)), cmp.Compare(a.Fraction, b.Fraction), cmp.Compare(a.Matrix, b.Matrix))
	})
	used := Summarise(cases, func(c Case) float64 { return c.Fraction })
	return Validation{
		Matrices: used.Matrices, Partial: len(cases) - used.Matrices,
		Mean: used.Mean, Worst: used.Worst, WorstMatrix: used.WorstMatrix, Within5: used.Within5,
		Unpruned:     Summarise(cases, func(c Case) float64 { return c.Unpruned }).Mean,
		SingleConfig: Summarise(cases, func(c Case) float64 { return c.SingleConfig }).Mean,
		SingleKernel: Summarise(cases, func(c Case) float64 { return c.SingleKernel }).Mean,
		Cases:        cases,
	}
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
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
