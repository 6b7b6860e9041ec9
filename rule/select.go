package rule

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A Choice is a rule's selection for a matrix, with the reasons.
type Choice struct {
	kernels.Config
	Path []Step `json:"path"` // from the root; empty where the rule has one leaf
	// Expected is the fraction of the oracle, as a geometric mean, that the choice
	// reaches on the matrices the leaf was learned from. It is optimistic; the
	// selector's validation is not.
	Expected float64  `json:"expected_fraction"`
	Matrices []string `json:"matrices"` // that the leaf was learned from
	By       string   `json:"by"`       // sizes, features or ensemble
	// Pays is how many products of the matrix pay for computing its features; 0: none.
	Pays int `json:"features_pay_from,omitempty"`
	// Unknown is the feature that the tree over all features asked for in vain, where the
	// choice is by sizes for that.
	Unknown string `json:"unknown_feature,omitempty"`
	// Unsure says why the ensemble was asked and did not choose.
	Unsure string `json:"unsure,omitempty"`
	// Instead is what the leaf would choose if it were known to be legal on the matrix; nil: it is.
	Instead *kernels.Config `json:"instead_of,omitempty"`
	// Forecast is the time that a product is expected to take, nil where nothing is known.
	Forecast *Forecast `json:"forecast,omitempty"`
	// Shortlist is what is expected to be the fastest, the choice first.
	Shortlist []Ranked  `json:"shortlist"`
	Selector  *Selector `json:"-"` // that chose
}

// HeldOut are the figures, on matrices held out, of what chose: the tree over all features,
// that over sizes, or the ensemble.
func (c *Choice) HeldOut() Figures {
	way := Learned
	switch c.By {
	case BySizes:
		way = OverSizes
	case ByEnsemble:
		way = Boosted
	}
	return Summarise(c.Selector.Validation.Cases, way.Of)
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

// Select chooses a configuration for a matrix with these features. A device or
// cache state left empty in k is whatever the rule holds, if that is only one.
func (r *Rule) Select(k Key, f sparse.Features) (Choice, error) {
	s, err := r.Find(k)
	if err != nil {
		return Choice{}, err
	}
	on := s.subject(&f, Hardware{})
	return s.byFeatures(&on)
}

// An UnknownError says that a tree asks for a feature that is not known of the matrix.
type UnknownError struct{ Feature string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("selecting a kernel: the rule needs %s, which is not known of the matrix", e.Feature)
}

// Find returns the selector for k, with the same freedom as Select. The error
// lists what the rule holds.
func (r *Rule) Find(k Key) (*Selector, error) {
	var found []*Selector
	for i := range r.Selectors {
		s := &r.Selectors[i]
		if (k.Device == "" || k.Device == s.Device) && k.Precision == s.Precision &&
			(k.Cache == "" || k.Cache == s.Cache) {
			found = append(found, s)
		}
	}

	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("selecting a kernel: the rule has nothing for %s; available: %s", k.query(),
			holds(r.all()))
	default:
		return nil, fmt.Errorf("selecting a kernel: %s is ambiguous; available: %s", k.query(), holds(found))
	}
}

// query returns k in the form in which it was asked for.
func (k Key) query() string {
	if k.Device == "" {
		k.Device = "any device"
	}
	if k.Precision == "" {
		k.Precision = "no precision"
	}
	return k.String()
}

func (r *Rule) all() []*Selector {
	all := make([]*Selector, len(r.Selectors))
	for i := range all {
		all[i] = &r.Selectors[i]
	}
	return all
}

func holds(selectors []*Selector) string {
	if len(selectors) == 0 {
		return "nothing"
	}
	names := make([]string, len(selectors))
	for i, s := range selectors {
		names[i] = s.Key().String()
	}
	return strings.Join(names, "; ")
}

// walk follows the features to a leaf.
func (n *Node) walk(f *Subject) (leaf *Node, path []Step) {
	for !n.Leaf() {
		feature, _ := lookup(n.Feature) // checked by Read
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

// number gives x exactly, digits grouped: 12.5, 1,049,000.
func number(x float64) string {
	whole, rest, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	if rest != "" {
		rest = "." + rest
	}
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + rest
}

// rounded gives x to 6 significant digits, whole numbers exactly.
func rounded(x float64) float64 {
	if x == math.Trunc(x) {
		return x
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return r
}
