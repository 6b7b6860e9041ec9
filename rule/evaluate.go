package rule

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"spmvtune/internal/base/panics"
)

// An Evaluation says what a user should know about each tree of a rule before trusting it: how
// much more data would help, and which features it depends on.
type Evaluation struct {
	Key
	Noise   string    `json:"noise,omitempty"`          // see Model
	Choice  Figures   `json:"rule"`                     // figures on families left out
	Test    Figures   `json:"test,omitzero"`            // figures on the families of the final test
	Curve   []Point   `json:"learning_curve,omitempty"` // points by share of the families, each whole
	Used    []Used    `json:"features,omitempty"`       // features by what they are worth, the most first
	Missed  []Case    `json:"missed,omitempty"`         // cases below 0.75 of the oracle, final test included
	Times   Coverage  `json:"forecast_coverage,omitzero"`
	Payback []Payback `json:"payback,omitempty"` // paybacks by size of the matrices
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

	for i := range r.Models {
		s := &r.Models[i]
		teaching := opt.teaching(groups[s.Key])
		t, _, err := newTable(teaching, opt)
		if err != nil {
			return nil, fmt.Errorf("evaluating the rule for %s: %w", s.Key, err)
		}

		e, errs := s.evaluation(), [2]error{}
		e.Curve, errs[0] = t.curve(ctx, opt)
		e.Used, errs[1] = t.importance(ctx, opt)
		if err := cmp.Or(errs[:]...); err != nil {
			return nil, err
		}
		e.Payback = t.payback(s.Validation.Cases, teaching)
		list = append(list, e)
	}

	return list, nil
}

// Evaluations are what a rule says of itself, without the measurements that it was learned from.
func (r *Rule) Evaluations() []Evaluation {
	list := make([]Evaluation, len(r.Models))
	for i := range list {
		list[i] = r.Models[i].evaluation()
	}
	return list
}

// evaluation sums up the cases of a tree.
func (s *Model) evaluation() Evaluation {
	e := Evaluation{Key: s.Key, Noise: s.Noise, Choice: s.Validation.Figures, Test: s.Test.Figures, Times: s.Validation.Times}
	for _, c := range slices.Concat(s.Validation.Cases, s.Test.Cases) {
		if c.Fraction < missed && !c.Partial {
			e.Missed = append(e.Missed, c)
		}
	}
	slices.SortStableFunc(e.Missed, func(a, b Case) int { return cmp.Compare(a.Fraction, b.Fraction) })
	return e
}

// each gives what do makes of every part of the matrices that is left out in turn, on all cores; nothing if there are
// not two.
func each[T any](ctx context.Context, t *table, do func(part int, in, out []int) T) ([]T, error) {
	all := indices(len(t.names))
	list := t.folds(all, toJudge)
	if len(list) < 2 {
		return nil, nil
	}
	results := make([]T, len(list))
	g, ctx := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, out := range list {
		g.Go(func() error {
			if ctx.Err() == nil {
				results[i] = do(i, without(all, out), out)
			}
			return ctx.Err()
		})
	}
	return results, g.Wait()
}

// grownWithout learns a tree without each part of the matrices in turn, from those of the others that some takes.
func grownWithout[T any](ctx context.Context, t *table, opt Options, some func(part int, in []int) []int,
	do func(tree *Node, in, out []int) T) ([]T, error) {
	return each(ctx, t, func(part int, in, out []int) T {
		if some != nil {
			in = some(part, in)
		}
		l := newLearner(t, opt, in)
		tree, _ := l.finish(l.grow(in, opt.MaxDepth))
		return do(tree, in, out)
	})
}

// fraction is that of the oracle which a leaf reaches on matrix m.
func (t *table) fraction(m int, leaf *Node) float64 {
	return share(t.loss[m][t.at(leaf.picks(&t.facts[m])[0].Config)])
}

// importance permutes the values of one feature after the other among the matrices.
func (t *table) importance(ctx context.Context, opt Options) ([]Used, error) {
	trees := make([]*Node, len(t.names)) // by matrix, learned without its family
	parts, err := grownWithout(ctx, t, opt, nil, func(tree *Node, _, out []int) bool {
		for _, m := range out {
			trees[m] = tree
		}
		return true
	})
	if err != nil || parts == nil {
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
			leaf, _ := tree.follow(at)
			cases[m].Fraction, cases[m].Partial = t.fraction(m, leaf), t.partial(m)
		}

		return Summarise(cases, Learned.Of).Mean
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

// A Point is the result of learning from a part of the matrices.
type Point struct {
	Matrices float64 `json:"matrices"` // that were learned from, on average
	Mean     float64 `json:"mean"`     // fraction of the oracle on families left out, geometric
	Worst    float64 `json:"worst"`    // on average over the repetitions
}

// parts of the matrices that a learning curve is drawn over.
var parts = []float64{0.05, 0.1, 0.2, 0.4, 0.7, 1}

// curve draws a learning curve: the tree is learned from some of the families that are not left out.
func (t *table) curve(ctx context.Context, opt Options) ([]Point, error) {
	type result struct {
		learned int // number of matrices
		cases   []Case
	}
	var list []Point
	for _, share := range parts {
		var p Point
		n := repetitions
		if share == 1 {
			n = 1
		}
		for rep := range n {
			some := func(part int, in []int) []int {
				return t.someFamilies(rand.New(rand.NewPCG(uint64(rep), uint64(part))), in, share)
			}
			results, err := grownWithout(ctx, t, opt, some, func(tree *Node, in, out []int) result {
				r := result{learned: len(in)}
				for _, m := range out {
					r.cases = append(r.cases, Case{Matrix: t.names[m], Fraction: t.fraction(m, t.leaf(tree, m))})
				}
				return r
			})
			if err != nil || results == nil {
				return nil, err // or there is nothing to leave out
			}
			var cases []Case
			learned := 0
			for _, r := range results {
				learned, cases = learned+r.learned, append(cases, r.cases...)
			}
			f := Summarise(cases, Learned.Of)
			p.Matrices += float64(learned) / float64(len(results)) / float64(n)
			p.Mean += f.Mean / float64(n)
			p.Worst += f.Worst / float64(n)
		}
		list = append(list, p)
	}
	return list, nil
}

// someFamilies draws a share of the families, at least one, and takes all of their matrices.
func (t *table) someFamilies(rng *rand.Rand, in []int, share float64) []int {
	list := t.families(in)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return slices.Sorted(slices.Values(slices.Concat(list[:max(1, int(share*float64(len(list))+0.5))]...)))
}

// What the features of a matrix cost on two cores of a shared AMD EPYC (docs/database.md):
// a loop over the entries and the rows, and samples that cost the same for every matrix.
const (
	secondsPerEntry = 3e-9
	secondsSampled  = 1e-3
)

// estimatedReading stands in for what computing the features of a matrix takes, where neither
// the matrix nor those that the rule was learned from tell.
func estimatedReading(f *Subject) float64 {
	return secondsSampled + secondsPerEntry*float64(f.Nonzeros+f.Rows)
}

// reading is how long it took to compute the features of matrix m, 0 if it is not known.
func (t *table) reading(m int) float64 {
	for _, o := range t.seen[m] {
		if o != nil {
			return o.Reading
		}
	}
	return 0
}

// prepare is how long it took to prepare matrix m for configuration c or, where that was not
// measured, for the nearest configuration of its kernel; 0 if neither is known.
func (t *table) prepare(m, c int) float64 {
	if near := nearest(t.configs[c], t.configs, func(d int) bool { return t.seen[m][d].measured() }); near != nil {
		return t.seen[m][near[0]].Prepare
	}
	return 0
}

// payback says, by size, when the features pay for themselves. It leaves out matrices of which
// the time to compute them is not known.
func (t *table) payback(cases []Case, obs []*Observation) []Payback {
	oracle := oracles(obs)
	groups, features := make(map[int]*Payback), make(map[int][]float64)
	for _, c := range cases {
		m, ok := slices.BinarySearch(t.names, c.Matrix)
		if !ok || c.Sizes == 0 || t.reading(m) == 0 {
			continue
		}
		size := int(math.Pow10(int(math.Log10(max(1, float64(t.facts[m].Nonzeros))))))
		p := groups[size]
		if p == nil {
			p = &Payback{Nonzeros: size}
			groups[size] = p
		}
		product := oracle[c.Matrix] / c.Sizes
		features[size] = append(features[size], t.reading(m)/product)
		p.Matrices++
		p.Prepare += (c.Prepare - c.SizesPrepare) / product
		p.Saved += c.saved()
	}

	var list []Payback
	for _, size := range slices.Sorted(maps.Keys(groups)) {
		p := *groups[size]
		p.Features = middle(features[size])
		p.Prepare, p.Saved = p.Prepare/float64(p.Matrices), p.Saved/float64(p.Matrices)
		if p.Saved > 0 {
			p.Products = max(1, (p.Features+p.Prepare)/p.Saved)
		}
		list = append(list, p)
	}
	return list
}
