package store

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A Row is a row of the view results: one trial. Times are in milliseconds per
// product; figures that a trial does not have are NaN.
type Row struct {
	Sweep, Device, Matrix      string
	Rows, Cols, NNZ            int
	Kernel                     string
	Format                     kernels.Format
	Precision                  kernels.Precision
	Block, Grid                int
	Params                     string // canonical, see kernels.Params
	Cache, Status              string
	MedianMS, LowMS, HighMS    float64
	Samples                    int
	GFLOPS, GBPS, RoofFraction float64
	PrepareMS, MaxError        float64
	Message, MeasuredAt        string

	// Tied says that it is in the tie set of its place. It is known only where Results
	// has read the row, and ties are settled.
	Tied bool
}

// A Best is a row of the view best: the representative of the tie set of one
// matrix on one device in one precision and cache state.
type Best struct {
	Row
	Margin  float64 // how much slower than the fastest the best configuration outside the tie set is, as a fraction; NaN if there is none
	TieSize int
}

// A Matrix is a row of the view features.
type Matrix struct {
	Name, Class, Hash, Source, Field, Symmetry string
	sparse.Features
}
