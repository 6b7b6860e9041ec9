package store

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// A Row is a trial that was read from the database: its result, and the names that it
// has in the views.
type Row struct {
	Sweep, Device string
	Matrix        string // The matrix's name; Result.Matrix is its content hash.
	Rows, Cols    int
	NNZ           int
	Format        kernels.Format

	// Result lacks the samples, the telemetry, the properties and the warnings.
	trial.Result
	// Taken is the number of samples.
	Taken int

	// GFLOPS, GBPS and RoofFraction are NaN where the trial has no time.
	GFLOPS, GBPS, RoofFraction float64

	// Tied reports whether the trial is in the tie set of its place. Only Results sets it,
	// and only where ties are decided.
	Tied bool
}

// A Best is a row of the view best: the representative of the tie set of a place.
type Best struct {
	Row
	// Margin is how much slower than the winner the fastest configuration outside the tie
	// set is, as a fraction. It is NaN where every configuration is tied.
	Margin  float64
	TieSize int
}

// A Matrix is a row of the view features.
type Matrix struct {
	Name, Class, Hash, Source, Field, Symmetry string
	sparse.Features
}
