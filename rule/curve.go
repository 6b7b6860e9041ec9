package rule

import (
	"context"
	"math/rand/v2"
	"slices"
)

// A Point is the result of learning from a part of the matrices.
type Point struct {
	Matrices float64 `json:"matrices"` // that were learned from, on average
	Mean     float64 `json:"mean"`     // fraction of the oracle on families left out, geometric
	Worst    float64 `json:"worst"`    // on average over the repetitions
}

// parts of the matrices that a learning curve is drawn over.
var parts = []float64{0.05, 0.1, 0.2, 0.4, 0.7, 1}

// curve draws a learning curve: the tree is learned from what draw takes of the matrices
// that are not left out.
func (t *table) curve(ctx context.Context, opt Options,
	draw func(rng *rand.Rand, in []int, share float64) []int) ([]Point, error) {
	var list []Point
	for _, share := range parts {
		var p Point
		n := repetitions
		if share == 1 {
			n = 1
		}

		for rep := range n {
			cases := make([][]Case, len(t.names))
			sizes := make([]int, len(t.names))
			err := t.each(ctx, func(part int, in, out []int) {
				in = draw(rand.New(rand.NewPCG(uint64(rep), uint64(part))), in, share)
				l := newLearner(t, opt, in)
				tree, _ := l.finish(l.grow(in, opt.MaxDepth))
				sizes[part] = len(in)

				for _, m := range out {
					leaf, _ := tree.walk(&t.facts[m])
					cases[part] = append(cases[part], Case{Matrix: t.names[m], Fraction: t.fraction(m, &leaf.picks(&t.facts[m])[0])})
				}
			})
			if err != nil {
				return nil, err
			}

			f := Summarise(slices.Concat(cases...), Ways[0].Of)
			if f.Matrices == 0 {
				return nil, nil // there is nothing to leave out
			}
			learned, folds := 0, 0

			for _, s := range sizes {
				if s > 0 {
					learned, folds = learned+s, folds+1
				}
			}

			p.Matrices += float64(learned) / float64(folds) / float64(n)
			p.Mean += f.Mean / float64(n)
			p.Worst += f.Worst / float64(n)
		}
		list = append(list, p)
	}

	return list, nil
}

// someMatrices draws a share of the matrices, of whatever family.
func (t *table) someMatrices(rng *rand.Rand, in []int, share float64) []int {
	return slices.Sorted(slices.Values(someOf(rng, in, share)))
}

// someFamilies draws a share of the families and takes all of their matrices. Compared with as
// many matrices of all families, it shows the value of another family.
func (t *table) someFamilies(rng *rand.Rand, in []int, share float64) []int {
	return slices.Sorted(slices.Values(slices.Concat(someOf(rng, t.families(in), share)...)))
}

// someOf draws a share of a list, which it brings into another order; at least one.
func someOf[T any](rng *rand.Rand, list []T, share float64) []T {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:max(1, int(share*float64(len(list))+0.5))]
}
