package rule

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Wanted says what a choice is wanted for.
type Wanted struct {
	// Products is the number of products with the matrix over which the cost of features is
	// amortized; 0: enough that it does not matter. For few of them the sizes must do.
	Products int
	// Reading is how long it took to compute the features of the matrix, in seconds; 0: as on
	// the matrices that the rule was learned from.
	Reading float64
	// Accurate asks the ensemble. Where it is not sure, the tree chooses.
	Accurate bool
	// On is the device to choose for; none: the one that the rule was learned on.
	On Hardware
}

// What a choice goes by.
const (
	BySizes    = "sizes"
	ByFeatures = "features"
	ByEnsemble = "ensemble"
)

// SelectFor is Select for something. What the features save is what they did on families left
// out, in the matrices of the leaf over sizes.
func (r *Rule) SelectFor(k Key, f sparse.Features, want Wanted) (Choice, error) {
	s, err := r.Find(k)
	if err != nil {
		return Choice{}, err
	}
	on := s.subject(&f, want.On)
	if !want.Accurate {
		return s.byTree(&on, want)
	}
	if s.Ensemble == nil {
		return Choice{}, errors.New("selecting a kernel: the rule has no ensemble: spmvtune learn -o rule.json " +
			"makes one, from a database, and --rule " + EmbeddedName + " has one")
	}

	why := s.Ensemble.unsure(&on)
	if why == "" {
		return s.byEnsemble(&on), nil
	}
	want.Products = 0
	c, err := s.byTree(&on, want)
	c.Unsure = why
	return c, err
}

// subject is what the trees of s are asked about; without a device, one of their own.
func (s *Selector) subject(f *sparse.Features, on Hardware) Subject {
	if on == (Hardware{}) {
		on = s.Hardware
	}
	return Subject{f, on}
}

// byTree chooses by all features, or by the sizes where they must do.
func (s *Selector) byTree(f *Subject, want Wanted) (Choice, error) {
	c, err := s.byFeatures(f)
	if unknown := new(UnknownError); errors.As(err, &unknown) && s.Sizes != nil {
		c, err = s.bySizes(f)
		c.Unknown = unknown.Feature
		return c, err
	}
	if err != nil || s.Sizes == nil {
		return c, err
	}

	leaf, _ := s.Sizes.walk(f)
	c.Pays = leaf.pays(f, want.Reading)
	if want.Products > 0 && (c.Pays == 0 || want.Products < c.Pays) {
		pays := c.Pays
		c, err = s.bySizes(f)
		c.Pays = pays
	}
	return c, err
}

func (s *Selector) byFeatures(f *Subject) (Choice, error) { return s.follow(s.Root, f, ByFeatures) }

func (s *Selector) bySizes(f *Subject) (Choice, error) { return s.follow(s.Sizes, f, BySizes) }

// follow chooses by a tree.
func (s *Selector) follow(root *Node, f *Subject, by string) (Choice, error) {
	leaf, path := root.walk(f)
	for _, step := range path {
		if math.IsNaN(step.Value) || math.IsInf(step.Value, 0) {
			return Choice{}, &UnknownError{step.Feature}
		}
	}
	c := Choice{Path: path, Expected: leaf.Fraction, Matrices: leaf.Matrices, By: by, Forecast: leaf.forecast(f),
		Shortlist: leaf.shortlist(f), Selector: s}
	c.Config = c.Shortlist[0].Config
	if first := leaf.legal(f)[0]; first > 0 {
		c.Instead = leaf.Choice
		c.Forecast = c.Forecast.slower(leaf.slower(first))
	}
	return c, nil
}

// byEnsemble chooses by the ensemble, which knows all of its features.
func (s *Selector) byEnsemble(f *Subject) Choice {
	order, lost := s.Ensemble.rank(f)
	c := Choice{By: ByEnsemble, Selector: s}
	leaf, _ := s.Root.walk(f)
	var forecast *Forecast
	list := s.Ensemble.best(f)
	times := make(map[kernels.Config]float64)
	if tree, err := s.byFeatures(f); err == nil {
		forecast = leaf.forecast(f)
		list = withTree(list, tree.Config)
		times[tree.Config] = tree.Shortlist[0].Seconds
	}
	for _, i := range order {
		// What the oracle is expected to take in the leaf, over the expected share of its speed.
		if forecast != nil {
			times[s.Ensemble.Configs[i]] = forecast.Seconds * leaf.Fraction / expected(lost[i])
		}
	}
	for _, config := range list {
		c.Shortlist = append(c.Shortlist, Ranked{config, times[config]})
	}
	c.Config, c.Expected = c.Shortlist[0].Config, expected(lost[order[0]])
	return c
}

// pays is after how many products of a matrix the features, and the preparation for the choice
// that they lead to, pay for themselves; 0: never. reading is the time to compute them.
func (n *Node) pays(f *Subject, reading float64) int {
	product := n.Pace * float64(f.Nonzeros+f.Rows)
	saved := n.Saved * product
	if !(saved > 0) {
		return 0
	}
	if reading == 0 {
		reading = n.Reading * product
	}
	if reading == 0 {
		reading = estimatedReading(f)
	}
	return int(min(max(1, math.Ceil((reading+n.Prepare*product)/saved)), math.MaxInt32))
}

// price notes at each leaf of the tree over sizes what a product takes, what the features save
// in one, on families left out, and what they cost.
func (s *Selector) price(t *table, oracle map[string]float64) {
	cases := make(map[string]Case, len(s.Validation.Cases))
	for _, c := range s.Validation.Cases {
		cases[c.Matrix] = c
	}
	s.Sizes.eachLeaf(func(n *Node) {
		var paces, readings []float64
		for _, name := range n.Matrices {
			m, _ := slices.BinarySearch(t.names, name)
			f := &t.facts[m]
			if c, ok := cases[name]; ok {
				n.Saved += (1 - c.Sizes/c.Fraction) / float64(len(n.Matrices))
				n.Prepare += (c.Prepare - c.SizesPrepare) / oracle[name] / float64(len(n.Matrices))
			}

			if size := f.Nonzeros + f.Rows; size > 0 {
				paces = append(paces, oracle[name]/float64(size))
			}
			if reading := t.reading(m); reading > 0 {
				readings = append(readings, reading/oracle[name])
			}
		}

		n.Pace, n.Reading = middle(paces), middle(readings)
	})
}

// middle is the median, the larger one of two, and 0 of nothing.
func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// oracles are the times of the fastest configuration of each matrix, in seconds.
func oracles(obs []*Observation) map[string]float64 {
	fastest := make(map[string]float64)
	for _, o := range obs {
		if s, ok := fastest[o.Matrix]; !o.Failed && (!ok || o.Seconds < s) {
			fastest[o.Matrix] = o.Seconds
		}
	}
	return fastest
}

// charged adds to each time its share of the kernel's preparation of the matrix, amortized over
// this many products; 0: any number.
func charged(obs []Observation, products int) []Observation {
	if products == 0 {
		return obs
	}
	list := slices.Clone(obs)

	for i := range list {
		o := &list[i]
		if o.Failed {
			continue
		}
		more := o.Prepare / float64(products)
		if o.Low != 0 {
			o.Low, o.High = o.Low+more, o.High+more
		}
		o.Seconds, o.Tied = o.Seconds+more, false // ties were told without it
		o.Prepare = 0                             // it is in the time
	}

	return list
}

// products says how many of them a rule is for.
func (r *Rule) products() string {
	if r.Products == 0 {
		return ""
	}
	return fmt.Sprintf(", for %s of a matrix, preparation included", term.Count(r.Products, "product", "products"))
}
