// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// An Event is progress of a run, for whoever shows it. Exactly one of the pointers is set.
type Event struct {
	Started *Started
	Matrix  *MatrixPlanned
	Result  *trial.Result
	// Again is the result of a repeat run or a sentinel. It counts no trial.
	Rerun   *trial.Result
	Failure *Failure
	Gone    *Gone
	Crowded *Crowded
	Unbuilt *Unbuilt
	// Searched comes when a search has ended, which may be before its Matrix.
	Searched *Searched
	// Ahead is what is ahead of the first trial, as far as it is known, by matrix. Most are not loaded by then.
	Ahead []Estimate
	// Repeating is the name of a matrix whose repeat runs begin, and Over that of one of which no more is measured.
	Repeating, Over string
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
	Index    int  // of the matrix, from 0
	Trials   int  // number of trials on this matrix
	Finished int  // number of trials that an earlier run has measured
	AtMost   bool // whether a search decides how many of the trials there will be
	// Again says that a device which has failed since was told of the same: these trials were counted.
	Again bool
}

// Searched says that a search has ended, and what it did not try that may still be the fastest.
type Searched struct {
	trial.Case
	Worthy int            // number of configurations that are not measured, though they may be faster
	Config kernels.Config // the one of them with the largest chance
	Chance float64        // of Config to be the faster one
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
	Matrix string `json:"matrix"`
	First  string `json:"first"`
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
	Pieces       []trial.Piece // of Options
	Duplicates   []Duplicate
	Breakdown    worker.TimeBreakdown
	Crowded      *Crowded // nil: others used the processor little, or it does not matter
	LeaderReruns int      // number of leader reruns
	NoiseReruns  int      // number of noise reruns
	Interrupted  bool     // whether the user stopped the run
	OutOfTime    bool     // whether the sweep's time budget is used up
}

// A Recorder keeps results for good. The store and the journal are recorders. Several devices may use
// one at the same time.
type Recorder interface {
	// Begin names the run that the following results of its device belong to.
	Begin(ctx context.Context, run RunInfo) error
	// Matrix is called before the first result on a matrix. It is also called, without Begin,
	// if all results on it are recorded, because it may have another name now.
	Matrix(ctx context.Context, m trial.Matrix) error
	// Recorded returns what is recorded of the trials with these identities. Samples may
	// have been rounded to float32.
	Recorded(ctx context.Context, ids []string, detail trial.Detail) (map[string]trial.Record, error)
	// Ask says that the run wants the trials with these identities: those that are recorded are
	// not measured again, but count from now on, see trial.Current.
	Ask(ctx context.Context, ids []string) error
	// Record keeps r. When it returns nil, r survives the death of the process.
	Record(ctx context.Context, r trial.Result) error
}

// A RunInfo is what all results of one sweep on one device have in common.
type RunInfo struct {
	Sweep    *configs.Sweep    `json:"-"`
	Device   kernels.Device    `json:"device"`
	Roof     kernels.Roof      `json:"roof"`
	Sources  map[string]string `json:"sources"`       // digest of each kernel's source, by its name
	Custom   []kernels.Custom  `json:"own,omitempty"` // those of the kernels that the sweep defines
	Protocol string            `json:"protocol"`      // canonical form, as in a trial's identity
	Version  string            `json:"version"`       // version of this program
	Origin   trial.Origin      `json:"origin,omitzero"`
}

// Add adds what another part of the same sweep did.
func (sum *Summary) Add(part Summary) {
	sum.Device = cmp.Or(sum.Device, part.Device)
	sum.Matrices = max(sum.Matrices, part.Matrices)
	sum.Trials += part.Trials
	sum.Finished += part.Finished
	sum.OKBefore += part.OKBefore
	sum.FailedBefore += part.FailedBefore
	sum.Measured = added(sum.Measured, part.Measured)
	sum.Invalid = added(sum.Invalid, part.Invalid)
	sum.Skipped = added(sum.Skipped, part.Skipped)
	sum.Failed = append(sum.Failed, part.Failed...)
	sum.Pieces = append(sum.Pieces, part.Pieces...)
	sum.Breakdown.Add(part.Breakdown)
	sum.Crowded = cmp.Or(sum.Crowded, part.Crowded)
	sum.LeaderReruns += part.LeaderReruns
	sum.NoiseReruns += part.NoiseReruns
	sum.Interrupted = sum.Interrupted || part.Interrupted
	sum.OutOfTime = sum.OutOfTime || part.OutOfTime
	// A matrix is the same for every device.
	for _, f := range part.Failures {
		if !slices.ContainsFunc(sum.Failures, func(g Failure) bool { return g.Matrix == f.Matrix }) {
			sum.Failures = append(sum.Failures, f)
		}
	}
	all := slices.Concat(sum.Duplicates, part.Duplicates)
	sum.Duplicates = lists.Distinct(all, func(d Duplicate) Duplicate { return d })
}

// added returns the sums of the counts of a and b.
func added[K comparable](a, b map[K]int) map[K]int {
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[K]int{}
	}
	for k, n := range b {
		sum[k] += n
	}
	return sum
}
