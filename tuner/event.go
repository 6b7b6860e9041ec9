package tuner

import (
	"fmt"

	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// An Event is progress of a run, for whoever shows it. Exactly one of the pointers is set.
type Event struct {
	Started *Started
	Matrix  *MatrixPlanned
	Result  *trial.Result
	// Again is the result of a repeat run or a sentinel. It counts no trial.
	Again   *trial.Result
	Failure *Failure
	Gone    *Gone
	Crowded *Crowded
	Unbuilt *Unbuilt
	// Expected says what is ahead of the first trial, as far as it is known.
	Expected []Expected
	// Doing says what is done between trials that may take long.
	Doing string
	// Roofless is why the bandwidth of the device is not known.
	Roofless error
}

// Crowded says that others use the processor so much that they are in the times.
type Crowded struct {
	trial.HostUse
	// Launching says that the device is a GPU, to which the processor launches each kernel.
	Launching bool
}

// Gone says that one of several devices does not answer any more. Others go on with its matrix.
type Gone struct {
	Index  int
	Err    error
	Others int // how many there are
}

// Started says which device the run is on.
type Started struct {
	Device   string
	Devices  int // how many of them measure at the same time
	Matrices int
	// NoSensors is why clocks, temperature and power are not recorded; "" if they are, or if
	// the device has no sensors for them.
	NoSensors string
}

// MatrixPlanned says what there is to do on the next matrix.
type MatrixPlanned struct {
	Matrix   trial.Matrix
	Index    int            // of the matrix, from 0
	Trials   int            // number of trials on this matrix
	Finished int            // number of trials that an earlier run has measured
	AtMost   bool           // whether a search decides how many of the trials there will be
	Skipped  map[string]int // number of configurations left out, by reason
	// Again says that a device which has failed since was told of the same: these trials were counted.
	Again bool
}

// A Failure is something that ends work on a matrix, not on the sweep.
type Failure struct {
	Matrix string // name
	Err    error
	// Measured says that all of its trials are measured: only repeat runs are missing.
	Measured bool
}

func (f *Failure) Error() string { return f.Matrix + ": " + f.Err.Error() }

// Skips says what the run goes without.
func (f *Failure) Skips() string {
	if f.Measured {
		return "keeping the trials of " + f.Matrix + " without repeat runs"
	}
	return "skipping " + f.Matrix
}

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
	Trials   int                  // number of trials in the plan
	Finished int                  // number of trials that an earlier run has measured
	Measured map[trial.Status]int // number of trials of this run, by how they ended
	Invalid  map[string]int       // number of trials of this run that the device can't launch, by reason
	Skipped  map[string]int       // number of configurations left out, by reason
	Failed   []trial.Result       // trials of this run that did not end well, without the invalid ones
	// FailedBefore is the number of trials of an earlier run that did not end well and were
	// not tried again.
	FailedBefore int
	OKBefore     int // number of trials of an earlier run that are OK
	Failures     []Failure
	Pieces       []trial.Piece // of Options.Parts
	Duplicates   []Duplicate
	Effort       worker.Effort
	Crowded      *Crowded // nil: others used the processor little, or it does not matter
	Finals       int      // number of finals
	Spreads      int      // number of spreads
	Interrupted  bool     // whether the user stopped the run
	OutOfTime    bool     // whether the sweep's time budget is used up
}
