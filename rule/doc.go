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
// predicts the name of the winner sees the two alike. Choices that are tied with the best one
// cost nothing, see Options.Tie. Because losses are logarithms, minimising their mean maximises
// the geometric mean of the fraction of the oracle, where the oracle is the best measured
// configuration of each matrix.
//
// Splits are found greedily, as in CART, but exhaustively at each node: every feature, every
// boundary between two distinct values, and on each side the one configuration with the least
// total loss. The tree is then pruned by cost and complexity, as far as its result on families
// left out does not get worse. A second tree sees only what the sizes of a matrix give. An
// ensemble of boosted trees can be learned for comparison.
//
// This package is opinionated. It never splits on a matrix's name or class. It prefers a
// simpler tree to a gain of a few thousandths, and a single configuration to a tree that is no
// better on families left out. It never judges a choice by a tree that has seen the matrix, and
// always prints the figures of the best single configuration and the best single kernel beside
// its own. It doesn't guess times, doesn't transfer a tree to another device, and measures
// nothing; what thin data can't support is said in Selector.Warnings.
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
