// SPDX-License-Identifier: Apache-2.0

// Package rule learns from measurements which configuration to use for a matrix
// that was never measured.
//
// A rule holds one decision tree for each device, precision and cache state.
// Its inner nodes test one feature of the matrix, its leaves name a kernel with
// block, grid and parameters. Data flows one way:
//
//	store → []Observation → table of losses → tree, judged by leaving each
//	family out → Rule → text, JSON, Select
//
// A family is the matrices of a structure class. A rule is judged only on matrices that it was
// not learned from: relatives of a matrix predict how it behaves, and would make a rule look
// better than it is on a matrix of another kind. Classes can be kept for a final test, which
// decides nothing: neither a choice nor how choices are learned.
//
// The tree is trained on regret, not on labels. A configuration costs a matrix log(its time /
// the time of the best configuration measured there), so being wrong between two equally fast
// kernels costs nothing and being wrong by a factor of ten costs a lot; a classifier that
// predicts the name of the winner sees the two alike. A choice that samples can't tell from the best
// one costs what was measured all the same: noise recommends nothing. Because losses are logarithms, minimising their mean maximises
// the geometric mean of the fraction of the oracle, where the oracle is the best measured
// configuration of each matrix.
//
// Splits are found greedily, as in CART, but exhaustively at each node: every feature, every
// boundary between two distinct values, and on each side the one configuration with the least
// total loss. The tree is then pruned by cost and complexity, as far as its result on families
// left out does not get worse. A second tree sees only what the sizes of a matrix give. An
// ensemble of boosted trees is learned beside them: it chooses better, and gives no reasons.
//
// This package is opinionated. It never splits on a matrix's name or class. It prefers a
// simpler tree to a gain of a few thousandths, and a single configuration to a tree that is no
// better on families left out. It never judges a choice by a tree that has seen the matrix, and
// always prints the figures of the best single configuration and the best single kernel beside
// its own. The time that it forecasts is that of the nearest matrices of a leaf. It doesn't adapt
// a rule to another device, since that was measured and gained nothing. It measures
// nothing; what thin data can't support is said in Model.Warnings.
//
// References:
//
//   - J. R. Rice, The algorithm selection problem, Advances in Computers 15,
//     1976: features, algorithms and performance as three spaces.
//   - L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and
//     Regression Trees, 1984: greedy trees; variable misclassification costs.
//   - K. M. Ting, An instance-weighting method to induce cost-sensitive trees,
//     IEEE TKDE 14(3), 2002: costs instead of labels in the induction itself.
//   - A. Elmachtoub, J. C. N. Liang, R. McNellis, Decision trees for
//     decision-making under the predict-then-optimize framework, ICML 2020: trees
//     whose splitting criterion is the regret of the decision.
//   - B. Bischl et al., ASlib: a benchmark library for algorithm selection,
//     Artificial Intelligence 237, 2016: the oracle (virtual best) and the single
//     best as the two yardsticks.
//   - M. Stone, Cross-validatory choice and assessment of statistical
//     predictions, JRSS B 36, 1974: leaving one out.
//   - S. Varma, R. Simon, Bias in error estimation when using cross-validation
//     for model selection, BMC Bioinformatics 7:91, 2006: decisions made by
//     validation, such as pruning, are judged by one more validation around them.
//   - J. Li, G. Tan, M. Chen, N. Sun, SMAT: an input adaptive auto-tuner for
//     sparse matrix-vector multiplication, PLDI 2013: the same task, by labels.
package rule

import (
	"iter"
	"slices"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
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
	Products int     `json:"products,omitempty"`
	Models   []Model `json:"selectors"`
	// Known is what single matrices were measured to be fastest with, which says nothing of others.
	Known []Known `json:"known,omitempty"`
}

// A Known is the fastest configuration that was measured on a matrix, with warm caches.
type Known struct {
	Matrix  string         `json:"matrix"` // its hash
	Device  string         `json:"device"`
	Choice  kernels.Config `json:"choice"`
	Seconds float64        `json:"seconds"`         // of a product
	Prepare float64        `json:"prepare"`         // seconds
	Plain   float64        `json:"plain,omitempty"` // seconds of the fastest product that needs no preparing; 0: not known
}

// A Key names what a tree is valid for.
type Key struct {
	Device    string            `json:"device"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
}

// A Model is what is learned for one device, precision and cache state: its trees and ensemble, with the
// figures that say how far it can be trusted.
type Model struct {
	Key               // what it is valid for
	Hardware Hardware `json:"hardware,omitzero"` // of the device
	Configs  int      `json:"configs"`           // number of configurations that the oracle is the best of
	Root     *Node    `json:"tree"`
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
	// configurations: of nearly equal ones those of other kernels.
	Speeds []Speed          `json:"speeds,omitempty"`
	Next   []kernels.Config `json:"next,omitempty"`
	// NextTimes are the times of Next over that of the choice, on Matrices; 0: not known.
	NextTimes []float64 `json:"next_times,omitempty"`

	// While a tree is learned, each node knows the leaf that could replace it: matrices and configurations by
	// their numbers in the table.
	matrices []int
	choice   int
	loss     float64 // total of the choice over matrices
}

// Leaf reports whether n is a leaf.
func (n *Node) Leaf() bool { return n.Below == nil }

// All gives n, which may be nil, and all nodes below it, from the lowest features up.
func (n *Node) All() iter.Seq[*Node] { return func(yield func(*Node) bool) { n.each(yield) } }

func (n *Node) each(yield func(*Node) bool) bool {
	return n == nil || yield(n) && n.Below.each(yield) && n.Above.each(yield)
}

// Leaves lists the leaves below n, which may be nil, from the lowest features up.
func (n *Node) Leaves() []*Node {
	return slices.DeleteFunc(slices.Collect(n.All()), func(n *Node) bool { return !n.Leaf() })
}

// used are the features that the tree splits on.
func (n *Node) used() map[string]bool {
	names := make(map[string]bool)
	for n := range n.All() {
		if !n.Leaf() {
			names[n.Feature] = true
		}
	}
	return names
}

// Validation is leave-one-family-out: each matrix is judged by a rule learned without any
// matrix of its class, the decision how far to prune its tree included. Figures are fractions
// of the oracle, the best measured configuration of each matrix: 1 is as fast, or not to be
// told from it. All are 0 if there is only one matrix, or none on which every kernel was tried.
type Validation struct {
	Figures // on the matrices on which every kernel was tried
	// Partial counts the other matrices. They are among Cases, and in no figure.
	Partial  int `json:"partial,omitempty"`
	Families int `json:"families"`        // that they are of
	Parts    int `json:"parts,omitempty"` // that were left out in turn, of whole families
	// The same for the configuration, and for the kernel at its best on each
	// matrix, that are best on average over the other matrices. The kernel has an
	// advantage over the other two: it is tuned on the matrix left out.
	SingleConfig float64 `json:"single_config_mean"`
	SingleKernel float64 `json:"single_kernel_mean"`
	// Times and Spreads say how far the times that the rule expects can be trusted.
	Times   Coverage `json:"forecast_coverage,omitzero"`
	Spreads []Spread `json:"spreads,omitempty"`
	// Cases are the matrices one by one, worst first, partial ones last.
	Cases []Case `json:"cases"`
}

// A Case is one matrix left out.
type Case struct {
	Matrix   string         `json:"matrix"`
	Class    string         `json:"class,omitempty"`
	Choice   kernels.Config `json:"choice"`
	Evidence Evidence       `json:"evidence"`          // for Fraction
	Partial  bool           `json:"partial,omitempty"` // says that a kernel tried elsewhere was not tried here
	Fraction float64        `json:"fraction"`
	Top3     float64        `json:"best_of_3,omitempty"` // of the choice and its first two runners-up
	// Written is that of code which is written from the rule: it knows the features of the matrix alone. 0:
	// as Fraction.
	Written float64 `json:"written,omitempty"`
	// Tree and TreeTop3 are the same of the tree alone, 0 where there is no ensemble; Unsure says that the tree chose for it.
	Tree         float64 `json:"tree,omitempty"`
	TreeTop3     float64 `json:"tree_best_of_3,omitempty"`
	Unsure       bool    `json:"unsure,omitempty"`
	Sizes        float64 `json:"sizes,omitempty"`    // of the tree over sizes only
	Named        float64 `json:"named,omitempty"`    // of the best configuration that the rule names; see Judge
	Nonzeros     int     `json:"nonzeros,omitempty"` // of the matrix
	SingleConfig float64 `json:"single_config"`
	SingleKernel float64 `json:"single_kernel"`
	// Fixed is that of the configuration which is best, in hindsight, for all matrices of this class of sizes.
	Fixed    float64 `json:"fixed,omitempty"`
	CuSPARSE float64 `json:"cusparse,omitempty"` // its fastest algorithm on the matrix; 0: none was measured
	// What the rules of coo-spmv-final and csr-five-algorithms choose, at its fastest; 0: not measured.
	COOFinal float64 `json:"papers,omitempty"`
	CSRFive  float64 `json:"csr_five,omitempty"`
	// Prepare is the time to prepare the matrix for Choice, in seconds, and SizesPrepare and
	// SinglePrepare are that for the choice by sizes and for the best single configuration. All
	// are 0 if not known, or if they are part of the times.
	Prepare       float64 `json:"prepare,omitempty"`
	SizesPrepare  float64 `json:"sizes_prepare,omitempty"`
	SinglePrepare float64 `json:"single_prepare,omitempty"`

	said Choice // for the matrix, while a rule is learned
}

// Evidence says how a configuration's time on a matrix is known.
type Evidence string

const (
	Measured Evidence = "measured" // verified and measured
	Near     Evidence = "near"     // not tried; charged with the kernel's nearest tried configuration
	Absent   Evidence = "absent"   // nothing of this kernel was tried
	Failed   Evidence = "failed"   // tried; wrong, invalid, or ended without a time
)
