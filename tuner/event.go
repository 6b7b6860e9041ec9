package tuner

import (
	"fmt"

	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// An Event is progress of a run, for whoever shows it. Exactly one of the
// pointers is set.
type Event struct {
	Started *Started
	Matrix  *MatrixPlanned
	Result  *trial.Result
	Failure *Failure
}

// Started says which device the run is on.
type Started struct {
	Device   string
	Matrices int
	// NoSensors is why clocks, temperature and power are not recorded; "" if they are,
	// or if it has no sensors for them.
	NoSensors string
}

// MatrixPlanned says what is to be done on the next matrix.
type MatrixPlanned struct {
	Matrix   trial.Matrix
	Index    int  // from 0
	Trials   int  // of this matrix
	Finished int  // of these, measured by an earlier run
	AtMost   bool // a search decides how many of the trials there will be
	Skipped  map[string]int
}

// A Failure is something that ends work on a matrix, not on the sweep.
type Failure struct {
	Matrix string // its name
	Err    error
}

func (f *Failure) Error() string { return f.Matrix + ": " + f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// A Duplicate is a matrix with the same content as an earlier one of the sweep. It has the
// same trials, which are measured once.
type Duplicate struct {
	Matrix, First string // names
}

func (d Duplicate) String() string {
	return fmt.Sprintf("%s has the same content as %s: measured once", d.Matrix, d.First)
}

// A Summary says what a run did.
type Summary struct {
	Device   string
	Matrices int
	Trials   int                  // in the plan
	Finished int                  // measured by an earlier run
	Measured map[trial.Status]int // by this run, by how they ended
	Invalid  map[string]int       // of these, the ones that the device can't launch, by reason
	Skipped  map[string]int       // configurations left out, by reason
	Failed   []trial.Result       // trials of this run that did not end well, without Invalid ones
	// FailedBefore is how many trials of an earlier run did not end well and were
	// not tried again.
	FailedBefore int
	OKBefore     int // trials of an earlier run that are OK
	Failures     []Failure
	Pieces       []Piece // of Options.Parts, what became of each
	Duplicates   []Duplicate
	Effort       worker.Effort
	Finals       int  // measurements of the fastest again, see Finals in configs.Protocol
	Restarts     int  // workers that had to be replaced
	Interrupted  bool // stopped by the user
	OutOfTime    bool // stopped by the sweep's budget of time
}
