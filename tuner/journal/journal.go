// Package journal keeps results in files that only grow: one line of JSON for each record,
// flushed to the disk before the call returns. The tasks of a cluster write journals where
// many of them share a file system, each attempt of a task to a file of its own. The files
// are united in a database later.
//
// A line is {"crc":"89abcdef","n":1,"KIND":{…}}, where KIND is run, matrix, trial or end. The
// checksum (CRC-32C) is that of everything between the comma after it and the end of the
// line, so that a torn or altered line is noticed. Lines are numbered from 1, so that a
// missing or repeated line is noticed, too. A
// reader reports such a line and goes on with the next; it never guesses. It takes a trial
// only with the records of its run and its matrix, which come earlier in the same file.
//
// Numbers come back as they were, with NaN and infinities. JSON does not have these: they
// are the strings "NaN", "+Inf" and "-Inf".
package journal

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"spmvtune/configs"
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
// the title, the text and the settings of its sweep.
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
	Settings configs.Settings  `json:"settings"`
	Device   kernels.Device    `json:"device"`
	Roof     kernels.Roof      `json:"roof"`
	Sources  map[string]string `json:"sources"`
	Own      []kernels.Custom  `json:"own,omitempty"`
	Protocol string            `json:"protocol"`
	Version  string            `json:"version"`
	Origin   trial.Origin      `json:"origin,omitzero"`
	Facts    map[string]string `json:"facts,omitempty"`
	At       time.Time         `json:"at"`
}

// A Name is the name of a journal's file: CHUNK.JOB.ATTEMPT.jsonl, with a number if there was a journal of that name
// already. A chunk "0007" may be split into "0007.1" and "0007.2".
type Name struct {
	Chunk   string
	Job     string
	Attempt int // how often Slurm had restarted the job
	Again   int // number from 1, or 0 if the name was free
}

// String returns the name of the file: "0007.1.123_4.0.r2.jsonl".
func (n Name) String() string {
	again := ""
	if n.Again > 0 {
		again = fmt.Sprintf(".r%d", n.Again)
	}
	return fmt.Sprintf("%s.%s.%d%s.jsonl", n.Chunk, n.Job, n.Attempt, again)
}

// Family returns the chunk of the plan that the journal's chunk is a part of.
func (n Name) Family() string { return Family(n.Chunk) }

// Family returns the chunk that a chunk was split from: "0007" for "0007.1".
func Family(chunk string) string {
	family, _, _ := strings.Cut(chunk, ".")
	return family
}

var nameForm = regexp.MustCompile(`^([0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*)\.([0-9A-Za-z_-]+)\.([0-9]+)` +
	`(?:\.r([0-9]+))?\.jsonl$`)

// ParseName parses the name of a file. It returns false for a file that is not a journal.
func ParseName(file string) (Name, bool) {
	m := nameForm.FindStringSubmatch(file)
	if m == nil {
		return Name{}, false
	}
	attempt, err := strconv.Atoi(m[3])
	again, againErr := strconv.Atoi(cmp.Or(m[4], "0"))
	n := Name{m[1], m[2], attempt, again}
	return n, err == nil && againErr == nil && n.String() == file // "007" is not a number as we write it
}

// check refuses a name that ParseName would not understand.
func (n Name) check() error {
	if parsed, ok := ParseName(n.String()); !ok || parsed != n {
		return fmt.Errorf("%q is not the name of a journal of chunk %q", n, n.Chunk)
	}
	return nil
}

// List returns the journals in a folder, sorted by the names of their files. It leaves out
// other files.
func List(dir string) ([]Name, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing journals: %w", err)
	}

	var names []Name
	for _, e := range entries {
		if n, ok := ParseName(e.Name()); ok {
			names = append(names, n)
		}
	}

	return names, nil
}

// Others returns the files in a folder whose names end as those of journals do, and that List leaves out, such as
// "0007.123_4.0.g1.jsonl" of versions before 0.1.0.
func Others(dir string) []string {
	all, _ := fs.Glob(os.DirFS(dir), "*.jsonl")
	return slices.DeleteFunc(all, func(file string) bool { _, is := ParseName(file); return is })
}
