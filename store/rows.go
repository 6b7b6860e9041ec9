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
	SweepHash     string // tells sweeps of one name apart, see Sweep.Hash
	Matrix        string // name of the matrix; Result.Matrix is its content hash
	Rows, Cols    int
	NNZ           int
	Format        kernels.Format

	// Result lacks the samples, the telemetry, the properties and the warnings.
	trial.Result
	// Taken is the number of samples.
	Taken int

	// Time estimates what a product takes, in seconds. It leaves out the measurement that made a
	// trial a leader, where it has repeats. It is Median where there are none, and 0 where the
	// trial has no time.
	Time float64
	// Another is the interval in which another run finds the median. Low and High of the result
	// are the interval within the run.
	Another trial.Interval
	// Factor is how far two measurements of one configuration differ in the trial's place: the
	// ratio that most stay below, see stat.Share. It is 0 if it is not known, and then Another is the interval
	// within the run, which another run may well leave.
	Factor float64

	// GFLOPS, GBPS and RoofFraction follow from Time. They are NaN where the trial has no time.
	GFLOPS, GBPS, RoofFraction float64

	// Tied reports whether the trial is in the tie set of its place. Only Results sets it,
	// and only where ties are decided.
	Tied bool
}

// Place returns where the trial competes with others.
func (r *Row) Place() trial.Case {
	return trial.Case{Device: r.Device, Matrix: r.Matrix, Precision: r.Precision, Cache: r.Cache}
}

// A Best is a row of the view best: the representative of the tie set of a place.
type Best struct {
	Row
	// Margin is how much slower than the winner the fastest configuration outside the tie
	// set is, as a fraction. It is NaN where every configuration is tied.
	Margin  float64
	TieSize int
}

// A Matrix is a matrix with what is known of it. Features that are not known are NaN.
type Matrix struct {
	Name, Class, Hash, Source, Field, Symmetry string
	sparse.Features
	// TwinOf is the published matrix that a twin is a likeness of, and TwinScale is the twin's
	// size as a multiple of it. TwinOf is "" if the matrix is not a twin.
	TwinOf    string
	TwinScale float64
	// FeaturesSeconds is how long it took to read the features, 0 if it is not known.
	FeaturesSeconds float64
}
