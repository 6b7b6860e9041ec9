// SPDX-License-Identifier: Apache-2.0

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
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
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
	Facts map[string]string `json:"facts,omitempty"` // about the writer: its attempt, the device's clocks, …
	At    time.Time         `json:"at"`              // when it began, UTC
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
	Damaged Trouble = "damaged" // the line is not what was written
	Strayed Trouble = "strayed" // the line is a copy, or comes later than it was written: Missing says what it left
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

// A runLine is a Run as it is written, with what it knows of its sweep. Trials name their run by its number.
type runLine struct {
	Number   int              `json:"number"` // from 1
	Sweep    string           `json:"sweep"`
	Title    string           `json:"title"`
	Text     string           `json:"text"`
	Settings configs.Settings `json:"settings"`
	*Run
}

// A trialLine is a trial as it is written. In JSON, a field of a struct takes precedence over
// one of the same name in an embedded struct: the error of a wrong result may be infinite. All other numbers of
// a result are finite.
type trialLine struct {
	Run int `json:"run"` // its number
	trial.Result
	MaxError number `json:"max_error"`
}

// A matrixLine is a matrix as it is written.
type matrixLine struct {
	trial.Matrix
	Features features `json:"features"`
}

func encodeTrial(run int, r trial.Result) trialLine { return trialLine{run, r, number(r.MaxError)} }

func (l *trialLine) decode() (trial.Result, error) {
	l.Result.MaxError = float64(l.MaxError)
	return l.Result, l.Check()
}

func encodeMatrix(m trial.Matrix) matrixLine { return matrixLine{m, features(m.Features)} }

func (l *matrixLine) decode() (*trial.Matrix, error) {
	l.Matrix.Features = sparse.Features(l.Features)
	return &l.Matrix, l.Check()
}

func encodeRun(n int, run *Run) runLine {
	sweep := run.RunInfo.Sweep
	return runLine{n, sweep.Name, sweep.Title, string(sweep.Text), sweep.Settings(), run}
}

func (l *runLine) decode() (*Run, error) {
	l.RunInfo.Sweep = l.Settings.Sweep(l.Sweep, l.Title, []byte(l.Text))
	return l.Run, trial.CheckNames(l.Sweep, l.Device.Name, l.Device.Backend, l.Device.Driver)
}

// decoded reads data into a line, and returns what that stands for.
func decoded[T any](data []byte, line any, decode func() (T, error)) (v T, err error) {
	if err = json.Unmarshal(data, line); err != nil {
		return v, err
	}
	return decode()
}

// features are written as sparse.Features would be, except that their numbers may be NaN.
// A number that is missing, because an older program wrote the line, is read as NaN: not
// known.
type features sparse.Features

func (f features) MarshalJSON() ([]byte, error) {
	values := map[string]any{}
	for field, v := range reflect.ValueOf(f).Fields() {
		name := field.Tag.Get("json")
		if v.CanInt() {
			values[name] = v.Int()
		} else {
			values[name] = number(v.Float())
		}
	}
	return json.Marshal(values)
}

func (f *features) UnmarshalJSON(data []byte) error {
	var values map[string]number
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for field, v := range reflect.ValueOf(f).Elem().Fields() {
		name := field.Tag.Get("json")
		x, there := values[name]
		switch whole := math.Trunc(float64(x)); {
		case v.CanInt() && (float64(x) != whole || math.Abs(whole) > 1<<53):
			return fmt.Errorf("%s: %v is not a whole number", name, x)
		case v.CanInt():
			v.SetInt(int64(whole))
		case there:
			v.SetFloat(float64(x))
		default:
			v.SetFloat(math.NaN())
		}
	}
	return nil
}

// A number is a float64 that comes back from JSON, also where JSON has no such number.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, `"%s"`, strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

func (n *number) UnmarshalJSON(data []byte) error {
	word, quoted := bytes.CutPrefix(data, []byte(`"`))
	v, err := strconv.ParseFloat(string(bytes.TrimSuffix(word, []byte(`"`))), 64)
	if err != nil || quoted != (math.IsNaN(v) || math.IsInf(v, 0)) {
		return fmt.Errorf("%s is not a number", data)
	}
	*n = number(v)
	return nil
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
