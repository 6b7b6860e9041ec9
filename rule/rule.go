package rule

import (
	"slices"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// Version is the version of the JSON form of a rule.
const Version = 1

// A Rule picks a configuration for a matrix from its features. It holds one
// tree for each device, precision and cache state that it was learned on.
type Rule struct {
	Version int    `json:"version"` // of this format
	Sweep   string `json:"sweep"`   // names of the sweeps it was learned from, joined by ", "
	// Products is the number of products over which the preparation of a matrix is amortized.
	// It is 0 if preparation does not count.
	Products  int        `json:"products,omitempty"`
	Selectors []Selector `json:"selectors"`
}

// A Key names what a tree is valid for.
type Key struct {
	Device    string            `json:"device"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
}

// A Selector is the tree for one device, precision and cache state, with the
// figures that say how far it can be trusted.
type Selector struct {
	Device    string            `json:"device"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
	Hardware  Hardware          `json:"hardware,omitzero"` // of the device
	Configs   int               `json:"configs"`           // number of configurations that the oracle is the best of
	Root      *Node             `json:"tree"`
	// Sizes is the tree over the features that the sizes of a matrix give, for users who can't
	// wait for the other features.
	Sizes    *Node     `json:"tree_over_sizes,omitempty"`
	Ensemble *Ensemble `json:"ensemble,omitempty"`
	// Pruned says why the tree that was grown was replaced by a single leaf; it is empty if it
	// was not.
	Pruned     string     `json:"pruned,omitempty"`
	Validation Validation `json:"validation"`
	// Test is the same on classes that were kept for it: neither the rule nor how it
	// is learned was decided by them. Without such classes all is 0.
	Test Validation `json:"test,omitzero"`
	// Single and SingleKernel are the best on average over all matrices: the configuration, and
	// the kernel if it is tuned anew for each matrix.
	Single       kernels.Config `json:"single_config"`
	SingleKernel string         `json:"single_kernel"`
	// Sources are the digests of the kernels that leaves name, as they were measured.
	Sources map[string]string `json:"sources,omitempty"`
	// Warnings say in full sentences where the data is too thin to trust.
	Warnings []string `json:"warnings,omitempty"`
	// Noise says how much slower than the oracle configurations may be that can't be told from it;
	// it is empty if that is little.
	Noise string `json:"noise,omitempty"`
}

// Caveats are the warnings and the noise.
func (s *Selector) Caveats() []string {
	if s.Noise == "" {
		return s.Warnings
	}
	return append(slices.Clone(s.Warnings), s.Noise)
}

// Key names what s is valid for.
func (s *Selector) Key() Key { return Key{s.Device, s.Precision, s.Cache} }

// A Node is a split on one feature, or a leaf with a choice.
type Node struct {
	Feature   string  `json:"feature,omitempty"` // a name from Features
	Threshold float64 `json:"threshold,omitempty"`
	Below     *Node   `json:"below,omitempty"` // feature ≤ threshold
	Above     *Node   `json:"above,omitempty"`

	Choice   *kernels.Config `json:"choice,omitempty"`
	Matrices []string        `json:"matrices,omitempty"` // matrices that the leaf was learned from
	Fraction float64         `json:"fraction,omitempty"` // fraction of the oracle, geometric mean over Matrices

	// Of a leaf of the tree over sizes: what the oracle takes for each entry and row,
	// in seconds, the median over Matrices; and which share of a product's time the
	// tree over all features saves, on families left out.
	Pace  float64 `json:"pace,omitempty"`
	Saved float64 `json:"saved,omitempty"`
	// And, in products of the oracle, what computing the features takes, the median over
	// Matrices, and what preparing a matrix for the choice by features takes more than for this
	// one, the mean. 0: not known.
	Reading float64 `json:"reading_in_products,omitempty"`
	Prepare float64 `json:"preparation_in_products,omitempty"`

	// Every leaf has the speeds of its choice, by rising traffic, and the next best
	// configurations, of other kernels if there are any.
	Speeds []Speed          `json:"speeds,omitempty"`
	Next   []kernels.Config `json:"next,omitempty"`
	// NextTimes are the times of Next over that of the choice, on Matrices; 0: not known.
	NextTimes []float64 `json:"next_times,omitempty"`
}

// Leaf reports whether n is a leaf.
func (n *Node) Leaf() bool { return n.Choice != nil }

// eachLeaf calls f with every leaf below n, from the lowest features up.
func (n *Node) eachLeaf(f func(*Node)) {
	if n.Leaf() {
		f(n)
		return
	}
	n.Below.eachLeaf(f)
	n.Above.eachLeaf(f)
}

// Leaves is the number of leaves below n.
func (n *Node) Leaves() int {
	if n.Leaf() {
		return 1
	}
	return n.Below.Leaves() + n.Above.Leaves()
}

// Validation is leave-one-family-out: each matrix is judged by a rule learned without any
// matrix of its class, the decision how far to prune its tree included. Figures are fractions
// of the oracle, the best measured configuration of each matrix: 1 is as fast, or not to be
// told from it. All are 0 if there is only one matrix, or none on which every kernel was tried.
type Validation struct {
	Matrices int `json:"matrices"` // on which every kernel was tried
	// Partial counts the other matrices. They are among Cases, and in no figure.
	Partial     int     `json:"partial,omitempty"`
	Families    int     `json:"families"`        // that they are of
	Parts       int     `json:"parts,omitempty"` // that were left out in turn, of whole families
	Mean        float64 `json:"mean"`            // geometric
	Worst       float64 `json:"worst"`
	WorstMatrix string  `json:"worst_matrix"`
	Within5     float64 `json:"within_5_percent"` // share of matrices at 0.95 or more
	// Unpruned is the mean for the tree if it is never pruned.
	Unpruned float64 `json:"unpruned_mean"`
	// The same for the configuration, and for the kernel at its best on each
	// matrix, that are best on average over the other matrices. The kernel has an
	// advantage over the other two: it is tuned on the held-out matrix.
	SingleConfig float64 `json:"single_config_mean"`
	SingleKernel float64 `json:"single_kernel_mean"`
	// Cases are the matrices one by one, worst first, partial ones last.
	Cases []Case `json:"cases"`
}

// A Case is one held-out matrix.
type Case struct {
	Matrix       string         `json:"matrix"`
	Class        string         `json:"class,omitempty"`
	Choice       kernels.Config `json:"choice"`
	Evidence     Evidence       `json:"evidence"`          // for Fraction
	Partial      bool           `json:"partial,omitempty"` // says that a kernel tried elsewhere was not tried here
	Fraction     float64        `json:"fraction"`
	Sizes        float64        `json:"sizes,omitempty"`     // of the tree over sizes only
	Unpruned     float64        `json:"unpruned"`            // of the tree before pruning
	Top3         float64        `json:"best_of_3,omitempty"` // of the tree's choice and its first two runners-up
	Ensemble     float64        `json:"ensemble,omitempty"`  // 0: there is none
	Unsure       bool           `json:"unsure,omitempty"`    // says that the tree chose for the ensemble
	EnsembleTop3 float64        `json:"ensemble_best_of_3,omitempty"`
	Named        float64        `json:"named,omitempty"`    // of the best configuration that the rule names; see Judge
	Nonzeros     int            `json:"nonzeros,omitempty"` // of the matrix
	SingleConfig float64        `json:"single_config"`
	SingleKernel float64        `json:"single_kernel"`
	CuSPARSE     float64        `json:"cusparse,omitempty"` // its fastest algorithm on the matrix; 0: none was measured
	// What the rules of coo-spmv-final and csr-five-algorithms choose, at its fastest; 0: not measured.
	COOFinal float64 `json:"papers,omitempty"`
	CSRFive  float64 `json:"csr_five,omitempty"`
	// Prepare is the time to prepare the matrix for Choice, in seconds, and SizesPrepare and
	// SinglePrepare are that for the choice by sizes and for the best single configuration. All
	// are 0 if not known, or if they are part of the times.
	Prepare       float64 `json:"prepare,omitempty"`
	SizesPrepare  float64 `json:"sizes_prepare,omitempty"`
	SinglePrepare float64 `json:"single_prepare,omitempty"`
}

// Evidence says how a configuration's time on a matrix is known.
type Evidence string

const (
	Measured Evidence = "measured" // verified and measured
	Near     Evidence = "near"     // not tried; charged with the kernel's nearest tried configuration
	Absent   Evidence = "absent"   // nothing of this kernel was tried
	Failed   Evidence = "failed"   // tried; wrong, invalid, or ended without a time
)
