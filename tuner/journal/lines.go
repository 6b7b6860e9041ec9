package journal

import (
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A Line is what a line of a journal says: exactly one field is set.
type Line struct {
	Run     *Run
	Matrix  *trial.Matrix
	Trial   *Trial
	End     *End
	Problem *Problem
}

// A Run is what the trials after it have in common, and where they ran. It knows the name,
// the title and the text of its sweep.
type Run struct {
	tuner.RunInfo
	Facts map[string]string // about the writer: its attempt, the device's clocks, …
	At    time.Time         // when it began, UTC
}

// A Trial is a result with its run and its matrix, which come earlier in the journal.
type Trial struct {
	Run    *Run
	Matrix *trial.Matrix
	trial.Result
}

// An End is the last line of a task that could still write one.
type End struct {
	Reason string        `json:"reason"` // why the task stopped, as a user reads it
	Pieces []trial.Piece `json:"pieces"` // everything that the task had to do
	At     time.Time     `json:"at"`     // UTC
	// OutOfTime says that the task was warned that its time limit is near.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// Skipped says why configurations were left out, if none was left.
	Skipped []string `json:"skipped,omitempty"`
}

// A Problem is what is wrong with a line.
type Problem struct {
	Line int // its number, from 1
	Kind Trouble
	Err  error
}

// Trouble says how a line is wrong.
type Trouble string

const (
	Torn    Trouble = "torn"    // the last line has no end: it is being written, or its writer died
	Damaged Trouble = "damaged" // the line is not what was written, or not where it was written
	Missing Trouble = "missing" // lines before this one are missing
	Orphan  Trouble = "orphan"  // the run or the matrix of a trial was on a damaged line
	Unknown Trouble = "unknown" // only a newer program knows this kind of line
)

// The kinds of lines.
const (
	runKind    = "run"
	matrixKind = "matrix"
	trialKind  = "trial"
	endKind    = "end"
)

// A runLine is a Run as it is written. Trials name their run by its number.
type runLine struct {
	Number   int               `json:"number"` // from 1
	Sweep    string            `json:"sweep"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	Device   kernels.Device    `json:"device"`
	Roof     roof              `json:"roof"`
	Sources  map[string]string `json:"sources"`
	Own      []kernels.Own     `json:"own,omitempty"`
	Protocol string            `json:"protocol"`
	Version  string            `json:"version"`
	Origin   trial.Origin      `json:"origin,omitzero"` // not in older journals
	Facts    map[string]string `json:"facts,omitempty"`
	At       time.Time         `json:"at"`
}
