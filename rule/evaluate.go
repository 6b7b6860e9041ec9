package rule

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"spmvtune/internal/base/panics"
	"spmvtune/kernels"
)

// An Evaluation says what a user should know about each tree of a rule before trusting it: how
// much more data would help, and which features it depends on.
type Evaluation struct {
	Key
	Noise    string    `json:"noise,omitempty"`          // see Selector
	Choice   Figures   `json:"rule"`                     // figures on families left out
	Test     Figures   `json:"test,omitzero"`            // figures on the families of the final test
	Curve    []Point   `json:"learning_curve,omitempty"` // points by share of the corpus
	ByFamily []Point   `json:"family_curve,omitempty"`   // points by share of the families, each whole
	Used     []Used    `json:"features,omitempty"`       // features by what they are worth, the most first
	Missed   []Case    `json:"missed,omitempty"`         // cases below 0.75 of the oracle, final test included
	Times    Coverage  `json:"forecast_coverage,omitzero"`
	Payback  []Payback `json:"payback,omitempty"` // paybacks by size of the matrices
}

// Used says what a feature is worth to the tree.
type Used struct {
	Feature string `json:"feature"`
	// Loss is the decrease of the mean fraction of the oracle when the tree gets another
	// matrix's value (permutation importance: L. Breiman, Random forests, Machine Learning 45,
	// 2001), on families left out.
	Loss float64 `json:"loss"`
}

// A Payback says after how many products the features of a matrix have paid for themselves: the
// time that it took to compute them, and to prepare the matrix for the choice of the tree over
// all features beyond that for the choice of the tree over sizes, divided by the time per
// product that the former saves, on families left out.
type Payback struct {
	Nonzeros int     `json:"nonzeros"` // counts matrices with at least this many, and less than ten times that
	Matrices int     `json:"matrices"`
	Features float64 `json:"features_in_products"` // median time to compute them, as measured
	// Prepare is the mean time that preparation takes more.
	Prepare  float64 `json:"preparation_in_products"`
	Saved    float64 `json:"saved"`              // mean share of a product's time; 0 or less: they never pay
	Products float64 `json:"products,omitempty"` // number that pays for them; 0: no number does
}

const (
	repetitions = 5    // repetitions of each part of a learning curve, and of a permutation
	missed      = 0.75 // cases below this fraction of the oracle are listed
)

// Evaluate judges what Learn gives for the same observations and options. r is what it
// gave.
func Evaluate(ctx context.Context, r *Rule, obs []Observation, opt Options) ([]Evaluation, error) {
	opt.Ensemble = false // the trees are in question
	obs = charged(obs, opt.Products)
	_, groups := group(obs)
	var list []Evaluation

	for i := range r.Selectors {
		s := &r.Selectors[i]
		teaching := slices.DeleteFunc(slices.Clone(groups[s.Key()]),
			func(o *Observation) bool { return slices.Contains(opt.Test, o.Class) })
		t, _, err := newTable(teaching, opt)
		if err != nil {
			return nil, fmt.Errorf("evaluating the rule for %s: %w", s.Key(), err)
		}

		e := s.evaluation()
		if e.Curve, err = t.curve(ctx, opt, t.someMatrices); err != nil {
			return nil, err
		}
		if e.ByFamily, err = t.curve(ctx, opt, t.someFamilies); err != nil {
			return nil, err
		}
		if e.Used, err = t.importance(ctx, opt); err != nil {
			return nil, err
		}
		if e.Times, err = t.coverage(ctx, opt); err != nil {
			return nil, err
		}

		e.Payback = t.payback(s.Validation.Cases, teaching)
		list = append(list, e)
	}

	return list, nil
}

// Evaluations are what a rule says of itself, without the measurements that it was learned from.
func (r *Rule) Evaluations() []Evaluation {
	list := make([]Evaluation, len(r.Selectors))
	for i := range list {
		list[i] = r.Selectors[i].evaluation()
	}
	return list
}

// evaluation sums up the cases of a tree.
func (s *Selector) evaluation() Evaluation {
	e := Evaluation{Key: s.Key(), Noise: s.Noise, Choice: Summarise(s.Validation.Cases, Learned.Of),
		Test: Summarise(s.Test.Cases, Learned.Of)}
	for _, c := range slices.Concat(s.Validation.Cases, s.Test.Cases) {
		if c.Fraction < missed && !c.Partial {
			e.Missed = append(e.Missed, c)
		}
	}
	slices.SortStableFunc(e.Missed, func(a, b Case) int { return cmp.Compare(a.Fraction, b.Fraction) })
	return e
}

// each calls do for every part of the matrices that is left out in turn, on all cores.
func (t *table) each(ctx context.Context, do func(part int, in, out []int)) error {
	all := indices(len(t.names))
	g, ctx := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	list := t.folds(all, toJudge)
	if len(list) < 2 {
		return nil
	}

	for i, out := range list {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			do(i, without(all, out), out)
			return nil
		})
	}

	return g.Wait()
}

// fraction is that of the oracle of a configuration on matrix m.
func (t *table) fraction(m int, c *kernels.Config) float64 {
	return share(t.loss[m][t.at(*c)])
}

// importance permutes the values of one feature after the other among the matrices.
func (t *table) importance(ctx context.Context, opt Options) ([]Used, error) {
	trees := make([]*Node, len(t.names)) // by matrix, learned without its family
	err := t.each(ctx, func(_ int, in, out []int) {
		l := newLearner(t, opt, in)
		tree, _ := l.finish(l.grow(in, opt.MaxDepth))
		for _, m := range out {
			trees[m] = tree
		}
	})

	if err != nil || trees[0] == nil {
		return nil, err
	}
	mean := func(feature int, from []int) float64 {
		cases := make([]Case, len(trees))
		for m, tree := range trees {
			at := func(f int) float64 {
				if f == feature {
					return t.values[f][from[m]]
				}
				return t.values[f][m]
			}
			cases[m].Fraction, cases[m].Partial = t.fraction(m, &tree.follow(at).picks(&t.facts[m])[0]), t.partial(m)
		}

		return Summarise(cases, Ways[0].Of).Mean
	}

	whole := mean(-1, nil)
	var list []Used
	for f := range features {
		u := Used{Feature: features[f].Name}
		for rep := range repetitions {
			rng := rand.New(rand.NewPCG(uint64(rep), 77))
			u.Loss += (whole - mean(f, rng.Perm(len(trees)))) / repetitions
		}

		if u.Loss != 0 {
			list = append(list, u)
		}
	}

	slices.SortStableFunc(list, func(a, b Used) int { return cmp.Compare(b.Loss, a.Loss) })
	return list, nil
}

// follow goes to the leaf for values of the features, by their places.
func (n *Node) follow(at func(feature int) float64) *Node {
	for !n.Leaf() {
		f := slices.IndexFunc(features, func(f Feature) bool { return f.Name == n.Feature })
		if at(f) <= n.Threshold {
			n = n.Below
		} else {
			n = n.Above
		}
	}
	return n
}
