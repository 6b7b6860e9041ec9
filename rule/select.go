// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A Choice is a rule's selection for a matrix, with the reasons.
type Choice struct {
	kernels.Config
	Path []Step `json:"path"` // from the root; empty where the rule has one leaf
	// Expected is the fraction of the oracle, as a geometric mean, that the choice
	// reaches on the matrices the leaf was learned from. It is optimistic; the
	// model's validation is not.
	Expected float64  `json:"expected_fraction"`
	Matrices []string `json:"matrices"` // that the leaf was learned from
	By       string   `json:"by"`       // sizes, features or ensemble
	// Pays is how many products of the matrix pay for computing its features; 0: none.
	Pays int `json:"features_pay_from,omitempty"`
	// Unknown is the feature that the tree over all features asked for in vain, where the
	// choice is by sizes for that.
	Unknown string `json:"unknown_feature,omitempty"`
	// Unsure says why the ensemble did not choose, but the tree.
	Unsure string `json:"unsure,omitempty"`
	// Tree is what the tree would choose where the ensemble chose something else: Path leads to that.
	Tree *kernels.Config `json:"tree,omitempty"`
	// Instead is what the leaf would choose if it were known to be legal on the matrix; nil: it is.
	Instead *kernels.Config `json:"instead_of,omitempty"`
	// Forecast is the time that a product is expected to take, nil where nothing is known.
	Forecast *Forecast `json:"forecast,omitempty"`
	// Shortlist is what is expected to be the fastest, the choice first.
	Shortlist []Ranked `json:"shortlist"`
	Model     *Model   `json:"-"` // that chose
}

// HeldOut are the figures, on matrices left out, of what chose: the tree over all features,
// that over sizes, or the ensemble.
func (c *Choice) HeldOut() Figures { return Summarise(c.Model.Validation.Cases, SelectorBy(c.By).Of) }

// SelectorBy is the selector that goes by sizes, features or the ensemble.
func SelectorBy(by string) Selector {
	switch by {
	case BySizes:
		return OverSizes
	case ByEnsemble:
		return Learned
	}
	return whatTree
}

// A Step is one test on the path to a leaf.
type Step struct {
	Feature   string  `json:"feature"`
	Unit      string  `json:"unit,omitempty"`
	Value     float64 `json:"value"` // of the matrix
	Threshold float64 `json:"threshold"`
	Above     bool    `json:"above"` // value > threshold
}

// String gives s as users read it: "row_mean 680.1 > 12 nonzeros".
func (s Step) String() string {
	return fmt.Sprintf("%s %s %s", s.Feature, number(rounded(s.Value)), condition("", s.Threshold, s.Unit, s.Above))
}

// An UnknownError says that a tree asks for a feature that is not known of the matrix.
type UnknownError struct{ Feature string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("selecting a kernel: the rule needs %s, which is not known of the matrix", e.Feature)
}

// Find returns the model for k, with the same freedom as Select. The error
// lists what the rule holds.
func (r *Rule) Find(k Key) (*Model, error) {
	var s *Model
	var found, all []string
	for i := range r.Models {
		of := r.Models[i].Key
		all = append(all, of.String())
		if (k.Device == "" || k.Device == of.Device) && k.Precision == of.Precision && (k.Cache == "" || k.Cache == of.Cache) {
			s, found = &r.Models[i], append(found, of.String())
		}
	}
	switch len(found) {
	case 1:
		return s, nil
	case 0:
		return nil, fmt.Errorf("selecting a kernel: the rule has nothing for %s; available: %s", k.query(),
			cmp.Or(strings.Join(all, "; "), "nothing"))
	}
	return nil, fmt.Errorf("selecting a kernel: %s is ambiguous; available: %s", k.query(), strings.Join(found, "; "))
}

// query returns k in the form in which it was asked for.
func (k Key) query() string {
	k.Device, k.Precision = cmp.Or(k.Device, "any device"), cmp.Or(k.Precision, "no precision")
	return k.String()
}

// walk follows the features to a leaf.
func (n *Node) walk(f *Subject) (leaf *Node, path []Step) {
	for !n.Leaf() {
		feature := features[places[n.Feature]] // checked by Read
		v := feature.Value(f)
		above := !(v <= n.Threshold)
		path = append(path, Step{n.Feature, feature.Unit, v, n.Threshold, above})
		if above {
			n = n.Above
		} else {
			n = n.Below
		}
	}

	return n, path
}

// condition gives a test: "row_mean ≤ 12 nonzeros".
func condition(feature string, threshold float64, unit string, above bool) string {
	sign := "≤"
	if above {
		sign = ">"
	}
	return strings.TrimSpace(strings.Join([]string{feature, sign, number(threshold), unit}, " "))
}

// number gives x exactly, digits grouped: 12.5, 1 049 000.
func number(x float64) string {
	whole, rest, found := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	if n, err := strconv.Atoi(whole); err == nil && len(whole) > 4 {
		whole = term.Grouped(n)
	}
	if found {
		return whole + "." + rest
	}
	return whole
}

// rounded gives x to 6 significant digits, whole numbers exactly.
func rounded(x float64) float64 {
	if x == math.Trunc(x) {
		return x
	}
	return digits(x, 6)
}

// Wanted says what a choice is wanted for.
type Wanted struct {
	// Products is the number of products with the matrix over which the cost of features is
	// amortized; 0: enough that it does not matter. For few of them the sizes must do.
	Products int
	// Reading is how long it took to compute the features of the matrix, in seconds; 0: as on
	// the matrices that the rule was learned from.
	Reading float64
	// On is the device to choose for; none: the one that the rule was learned on.
	On Hardware
	// Takes says what is legal, see Subject.
	Takes func(kernels.Config) bool
	// Top is how many configurations of the shortlist are wanted; 0: all.
	Top int
}

// What a choice goes by.
const (
	BySizes    = "sizes"
	ByFeatures = "features"
	ByEnsemble = "ensemble"
)

// Select chooses a configuration for a matrix with these features, by the ensemble or, where there is none or it is not
// sure, by the tree. A device or
// cache state left empty in k is whatever the rule holds, if that is only one. What the features save is what they did
// on families left out, in the matrices of the leaf over sizes.
func (r *Rule) Select(k Key, f sparse.Features, want Wanted) (Choice, error) {
	s, err := r.Find(k)
	if err != nil {
		return Choice{}, err
	}
	return s.choose(&Subject{Features: &f, Hardware: cmp.Or(want.On, s.Hardware), Takes: want.Takes}, want)
}

// choose chooses for a matrix.
func (s *Model) choose(on *Subject, want Wanted) (Choice, error) {
	c, err := s.byTree(on, want)
	if s.Ensemble == nil || err == nil && c.By == BySizes && c.Unknown == "" {
		return c, err
	}
	if c.Unsure = s.Ensemble.unsure(on); c.Unsure != "" {
		return c, err
	}
	return s.byEnsemble(on, c, want.Top), nil
}

// byTree chooses by all features, or by the sizes where they must do.
func (s *Model) byTree(f *Subject, want Wanted) (Choice, error) {
	if s.Sizes == nil {
		return s.follow(s.Root, f, ByFeatures)
	}
	leaf, _ := s.Sizes.walk(f)
	pays := leaf.pays(f, want.Reading)
	root, by := s.Root, ByFeatures
	if want.Products > 0 && (pays == 0 || want.Products < pays) {
		root, by = s.Sizes, BySizes
	}
	c, err := s.follow(root, f, by)
	c.Pays = pays
	if unknown := new(UnknownError); errors.As(err, &unknown) {
		c, err = s.follow(s.Sizes, f, BySizes)
		c.Unknown = unknown.Feature
	}
	return c, err
}

// follow chooses by a tree.
func (s *Model) follow(root *Node, f *Subject, by string) (Choice, error) {
	leaf, path := root.walk(f)
	for _, step := range path {
		if math.IsNaN(step.Value) || math.IsInf(step.Value, 0) {
			return Choice{}, &UnknownError{step.Feature}
		}
	}
	picks, forecast := leaf.picks(f), leaf.forecast(f)
	c := Choice{Config: picks[0], Path: path, Expected: leaf.Fraction, Matrices: leaf.Matrices, By: by,
		Forecast: forecast.slower(leaf.times(picks[0])), Model: s}
	if c.Config != *leaf.Choice {
		c.Instead = leaf.Choice
	}
	for _, config := range picks {
		r := Ranked{Config: config}
		if forecast != nil {
			r.Seconds = leaf.times(config) * forecast.Seconds
		}
		c.Shortlist = append(c.Shortlist, r)
	}
	return c, nil
}

// byEnsemble chooses by the ensemble, which knows all of its features, and explains that by what the tree chose. Times
// are what the oracle is expected to take in the leaf, over the share of its speed that is expected.
func (s *Model) byEnsemble(f *Subject, tree Choice, top int) Choice {
	order, lost := s.Ensemble.rank(f, top)
	list, times := s.Ensemble.named(order), make(map[kernels.Config]float64)
	if tree.By == ByFeatures {
		list = withTree(list, tree.Config)
		times[tree.Config] = tree.Shortlist[0].Seconds
		leaf, _ := s.Root.walk(f)
		if forecast := leaf.forecast(f); forecast != nil {
			for _, i := range order {
				times[s.Ensemble.Configs[i]] = forecast.Seconds * leaf.Fraction / expected(lost[i])
			}
		}
	}
	c := tree
	c.By, c.Model, c.Expected, c.Unknown, c.Instead, c.Shortlist = ByEnsemble, s, expected(lost[order[0]]), "", nil, nil
	for _, config := range list {
		c.Shortlist = append(c.Shortlist, Ranked{config, times[config]})
	}
	if c.Config = list[0]; c.Config != tree.Config {
		c.Tree = &tree.Config
	}
	c.Forecast = s.around(times[c.Config], f, c.Config)
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
	reading = cmp.Or(reading, n.Reading*product, secondsSampled+secondsPerEntry*float64(f.Nonzeros+f.Rows))
	return int(min(max(1, math.Ceil((reading+n.Prepare*product)/saved)), math.MaxInt32))
}

// price notes at each leaf of the tree over sizes what a product takes, what the features save
// in one, on families left out, and what they cost.
func (s *Model) price(t *table) {
	cases := lists.Keyed(s.Validation.Cases, func(c Case) (string, Case) { return c.Matrix, c })
	for _, n := range s.Sizes.Leaves() {
		var paces, readings []float64
		for _, name := range n.Matrices {
			m, _ := slices.BinarySearch(t.names, name)
			product := t.quickest(m).Seconds
			if c, ok := cases[name]; ok {
				n.Saved += c.saved() / float64(len(n.Matrices))
				n.Prepare += (c.Prepare - c.SizesPrepare) / product / float64(len(n.Matrices))
			}
			if size := t.facts[m].Nonzeros + t.facts[m].Rows; size > 0 {
				paces = append(paces, product/float64(size))
			}
			if reading := t.reading(m); reading > 0 {
				readings = append(readings, reading/product)
			}
		}
		n.Pace, n.Reading = middle(paces), middle(readings)
	}
}

// saved is the share of a product's time that the features save.
func (c *Case) saved() float64 { return 1 - c.Sizes/c.Fraction }

// middle is the median, the larger one of two, and 0 of nothing.
func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
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
