package rule

import (
	"spmvtune/kernels"
)

// A Rule picks a configuration for a matrix from its features. It holds one
// tree for each device, precision and cache state that it was learned on.
type Rule struct {
	Version   int        `json:"version"` // of this format
	Sweep     string     `json:"sweep"`
	Selectors []Selector `json:"selectors"`
}

// A Selector is the tree for one device, precision and cache state, with the
// figures that say how far it can be trusted.
type Selector struct {
	Device     string            `json:"device"`
	Precision  kernels.Precision `json:"precision"`
	Cache      string            `json:"cache"`
	Root       *Node             `json:"tree"`
	Validation Validation        `json:"validation"`
}

// A Node is a split on one feature, or a leaf with a choice.
type Node struct {
	Feature   string  `json:"feature,omitempty"` // name in sparse.Features' JSON
	Threshold float64 `json:"threshold,omitempty"`
	Below     *Node   `json:"below,omitempty"` // feature ≤ threshold
	Above     *Node   `json:"above,omitempty"`

	Choice   *kernels.Config `json:"choice,omitempty"`
	Matrices []string        `json:"matrices,omitempty"` // that the leaf was learned from
	Fraction float64         `json:"fraction,omitempty"` // of the oracle, geometric mean over Matrices
}

// Validation is leave-one-matrix-out: each matrix is judged by a tree learned
// without it. Figures are fractions of the oracle, the best measured
// configuration of each matrix: 1 is as fast.
type Validation struct {
	Matrices    int     `json:"matrices"`
	Mean        float64 `json:"mean"` // geometric
	Worst       float64 `json:"worst"`
	WorstMatrix string  `json:"worst_matrix"`
	Within5     float64 `json:"within_5_percent"` // share of matrices at 0.95 or more
	// The same for the configuration, and for the kernel at its best on each
	// matrix, that are best on average over the other matrices.
	SingleConfig float64 `json:"single_config_mean"`
	SingleKernel float64 `json:"single_kernel_mean"`
	// Cases are the matrices one by one, worst first.
	Cases []Case `json:"cases"`
}

// A Case is one held-out matrix.
type Case struct {
	Matrix       string         `json:"matrix"`
	Choice       kernels.Config `json:"choice"`
	Fraction     float64        `json:"fraction"`
	SingleConfig float64        `json:"single_config"`
	SingleKernel float64        `json:"single_kernel"`
}
