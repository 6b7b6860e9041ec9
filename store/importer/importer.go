// SPDX-License-Identifier: Apache-2.0

// Package importer reads measurements that somebody else has taken, with other programs,
// from tables in text, and gives them to a recorder.
//
// What it reads was neither verified nor measured here. Every row that it records says
// so: in the name of its device, in its kernel's digest and in its message, with the
// file and the line that it comes from. So it never stands in one comparison with what
// this program has measured.
//
// A table is read whole before anything is recorded: a bad row is an error that names
// file, line and remedy, and nothing of the table is taken. docs/exchange.md has the format.
package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// A File is a table to be read.
type File struct {
	Name    string // name of the file in messages
	Content io.Reader
}

// What a table has at most.
const (
	mostBytes   = 100_000_000
	mostRows    = 1_000_000
	mostColumns = 10_000
)

// Open reads a file that holds a table, which may be compressed by gzip.
func Open(path string) (File, error) {
	text, err := files.ReadFile(path, mostBytes)
	if err == nil && bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		var packed *gzip.Reader
		if packed, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(io.LimitReader(packed, mostBytes+1))
		}
		switch {
		case err != nil:
			err = fmt.Errorf("%s: %w", path, err)
		case len(text) > mostBytes:
			err = fmt.Errorf("%s has more than %d bytes unpacked: import it in pieces", path, mostBytes)
		}
	}
	return File{Name: path, Content: bytes.NewReader(text)}, err
}

// Options say what a table leaves out.
type Options struct {
	// Columns gives the names of columns in the files, by the names in this program.
	Columns map[string]string
	// Matrix, Kernel, Device, Precision and Cache hold if the table has no such column, Device also where it is empty.
	// The cache state may stay unknown.
	Matrix    string
	Kernel    string
	Device    string
	Precision kernels.Precision
	Cache     trial.Cache
}

// Measurements are what a table holds.
type Measurements struct {
	File     string
	Matrices []Matrix
	Times    []Time
	Unused   []string // columns that mean nothing here
	Failed   int      // configurations that have no time
}

// A Matrix is a matrix that somebody has measured on. Features that the table does not give
// are not known.
type Matrix struct {
	Name, Class string
	Features    sparse.Features
}

// A Time is what a configuration took on a matrix, in seconds per product.
type Time struct {
	Device, Matrix string
	Cache          trial.Cache // "" if it is not known
	kernels.Config
	Runs []float64 // times of the rows of the table, rising
	From string    // the file, and the line of the first row
	// Samples are those of the last row that has some. They follow each other in one run, and say nothing of another.
	Samples []float64
}

// times are the columns that give the time of a product, with what they are multiplied by.
var times = map[string]float64{"time_s": 1, "time_ms": 1e-3, "time_us": 1e-6, "time_ns": 1e-9}

// rate is the column that stands for a time, in 10⁹ operations a second, two for each nonzero.
const rate = "gflops"

// others are the columns that are neither features nor times.
var others = []string{"matrix", "class", "device", "kernel", "precision", "cache", "block", "grid", "params"}

// longestName is how many characters a name has at most. DeviceName makes those of devices longer.
const longestName = 180

// Read reads a table of times. If features is not nil it is a second table, with the features
// of each matrix, and the first table needs none.
func Read(measured File, features *File, opt Options) (*Measurements, error) {
	t, err := readMeasured(measured, owned(opt.Columns, features == nil, false), features == nil)
	if err != nil {
		return nil, err
	}
	if opt.Matrix != "" && t.has("matrix") {
		return nil, fmt.Errorf("%s names its matrices: leave out --matrix", measured.Name)
	}
	t.constant("matrix", opt.Matrix)
	t.constant("kernel", opt.Kernel)
	facts := t
	if features != nil {
		if facts, err = readTable(features.Content, features.Name, owned(opt.Columns, true, true)); err != nil {
			return nil, err
		}
	}

	r := &reader{table: t, facts: facts, opt: opt, known: map[string]seen{}, index: map[string]int{}}
	if err := r.columns(); err != nil {
		return nil, err
	}
	for row := range facts.rows {
		r.matrix(row)
	}

	for row := range t.rows {
		r.time(row)
	}
	err = t.err()
	if facts != t {
		err = errors.Join(facts.err(), err)
	}
	if err == nil && len(r.m.Times) == 0 {
		err = fmt.Errorf("%s has no rows with a time", t.file)
	}
	if err != nil {
		return nil, err
	}

	r.m.File, r.m.Failed = t.file, t.failed
	for _, t := range r.m.Times {
		slices.Sort(t.Runs)
	}
	r.prune()
	return &r.m, nil
}

// owned are the names of the columns in a table. If there are two tables, features are in one
// and the rest in the other.
func owned(names map[string]string, features, only bool) map[string]string {
	own := map[string]string{}
	for ours, theirs := range names {
		if f := isFeature(ours) || ours == "class"; f && features || !f && !only {
			own[ours] = theirs
		}
	}
	return own
}

// reader puts measurements together.
type reader struct {
	*table
	facts *table // the table with the features: the same, or another
	unit  string // the column with the time
	opt   Options
	known map[string]seen // matrices by name
	index map[string]int  // index of a configuration in the times
	m     Measurements
}

// seen is where a matrix occurred first.
type seen struct{ index, line int }

// columns checks that no column is missing.
func (r *reader) columns() error {
	missing := lists.Where([]string{"matrix", "kernel"}, func(c string) bool { return !r.has(c) })
	for _, c := range append([]string{"matrix"}, sizes...) {
		if !r.facts.has(c) && !(c == "matrix" && r.facts == r.table) {
			missing = append(missing, c+" (in "+r.facts.file+")")
		}
	}

	if !r.has("device") && r.opt.Device == "" {
		missing = append(missing, "device (or --device)")
	}
	if !r.has("precision") && r.opt.Precision == "" {
		missing = append(missing, "precision (or --precision)")
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s:1: no column %s: add it, or name it with --column NAME=THEIRS; the columns are %s",
			r.file, strings.Join(missing, ", "), strings.Join(r.table.columns, ", "))
	}

	units := append(sortedKeys(times), rate)
	switch given := lists.Where(units, r.has); len(given) {
	case 0:
		return fmt.Errorf("%s:1: no column gives a time: call it one of %s, or name it with --column", r.file,
			strings.Join(units, ", "))
	case 1:
		r.unit = given[0]
	default:
		return fmt.Errorf("%s:1: both %s and %s give a time: leave one out", r.file, given[0], given[1])
	}

	unused := lists.Where(slices.Concat(r.table.columns, r.facts.columns), func(c string) bool {
		return !slices.Contains(others, c) && c != r.unit && !isFeature(c)
	})
	r.m.Unused = lists.Distinct(unused, func(c string) string { return c })
	return nil
}

// matrix reads what a row says of its matrix.
func (r *reader) matrix(row int) {
	t := r.facts
	m := Matrix{Name: t.cell(row, "matrix"), Class: t.cell(row, "class"), Features: sparse.UnknownFeatures()}
	if m.Name == "" {
		t.fail(row, "matrix is empty: name it")
		return
	}
	if max(utf8.RuneCountInString(m.Name), utf8.RuneCountInString(m.Class)) > longestName {
		t.fail(row, "the name or the class of the matrix is longer than %d characters", longestName)
		return
	}

	before := len(t.errs)
	t.features(row, &m.Features)
	if len(t.errs) > before {
		return
	}
	old, there := r.known[m.Name]
	if !there {
		r.known[m.Name] = seen{len(r.m.Matrices), t.lines[row]}
		r.m.Matrices = append(r.m.Matrices, m)
		return
	}

	if first := r.m.Matrices[old.index]; first.Class != m.Class || !first.Features.Equal(m.Features) {
		t.fail(row, "%s has other features or another class than in line %d: give different matrices different names",
			m.Name, old.line)
	}
}

// time reads the time in a row.
func (r *reader) time(row int) {
	name := r.cell(row, "matrix")
	at, known := r.known[name]
	if !known {
		if r.facts != r.table { // else it is told already
			r.fail(row, "%q is not in %s: add its features", name, r.facts.file)
		}
		return
	}

	c := Time{Device: r.opt.Device, Matrix: name, Cache: r.opt.Cache, From: r.where(row)}
	c.Precision = r.opt.Precision
	before := len(r.errs)
	if r.has("device") && (c.Device == "" || r.cell(row, "device") != "") {
		c.Device = r.word(row, "device")
	}
	c.Kernel = r.word(row, "kernel")
	if r.has("precision") {
		c.Precision = kernels.Precision(r.oneOf(row, "precision", string(kernels.Float32), string(kernels.Float64)))
	}
	if r.has("cache") {
		c.Cache = trial.Cache(r.oneOf(row, "cache", string(trial.Cold), string(trial.Warm)))
	}
	c.Block, c.Grid = r.size(row, "block"), r.size(row, "grid")
	c.Params = r.params(row)
	seconds := r.seconds(row, r.m.Matrices[at.index].Features.Nonzeros)
	if len(r.errs) > before {
		return
	}
	key := strings.Join([]string{c.Device, c.Matrix, string(c.Cache), c.Config.String()}, "\x00")
	i, there := r.index[key]
	if !there {
		i = len(r.m.Times)
		r.index[key] = i
		r.m.Times = append(r.m.Times, c)
	}

	r.m.Times[i].Runs = append(r.m.Times[i].Runs, seconds)
	if row < len(r.samples) && len(r.samples[row]) > 0 {
		r.m.Times[i].Samples = r.samples[row]
	}
}

// seconds reads the time of a product.
func (r *reader) seconds(row, nonzeros int) float64 {
	text := r.cell(row, r.unit)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 1e-30 && x < 1e30) {
		r.fail(row, "%s = %q is not a positive number: leave out rows without a time", r.unit, text)
		return 0
	}

	if r.unit == rate {
		if nonzeros == 0 {
			r.fail(row, "%s gives no time for a matrix without nonzeros: give the time itself, in time_us or another unit", rate)
			return 0
		}
		return 2 * float64(nonzeros) / x / 1e9
	}

	return x * times[r.unit]
}

// word reads a name.
func (r *reader) word(row int, column string) string {
	s := r.cell(row, column)
	if utf8.RuneCountInString(s) > longestName {
		r.fail(row, "%s is longer than %d characters", column, longestName)
	}
	if s == "" || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' }) {
		r.fail(row, "%s = %q is not a name: write one, on one line", column, s)
	}
	return s
}

// oneOf reads one of a few words.
func (r *reader) oneOf(row int, column string, words ...string) string {
	s := r.cell(row, column)
	if !slices.Contains(words, s) {
		hint := strings.Join(words, " or ")
		if near := configs.Nearest(s, words); near != "" {
			hint = near + "?"
		}
		r.fail(row, "%s = %q: write %s", column, s, hint)
	}
	return s
}

// size reads a block or a grid. It may be empty if the kernel has none.
func (r *reader) size(row int, column string) int {
	s := r.cell(row, column)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > math.MaxInt32 {
		r.fail(row, "%s = %q is not a whole number: write one, or nothing where the kernel has no such choice",
			column, s)
	}

	return n
}

// params reads name=value pairs with spaces between them.
func (r *reader) params(row int) kernels.Params {
	settings := map[string]string{}
	for _, field := range strings.Fields(r.cell(row, "params")) {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" || value == "" {
			r.fail(row, "params: %q: write name=value, with spaces between several", field)
			continue
		}
		settings[name] = value
	}

	return kernels.NewParams(settings)
}

// prune leaves out matrices that nothing was measured on.
func (r *reader) prune() {
	measured := lists.Keyed(r.m.Times, func(t Time) (string, bool) { return t.Matrix, true })
	r.m.Matrices = slices.DeleteFunc(r.m.Matrices, func(m Matrix) bool { return !measured[m.Name] })
}

// Source stands in place of the digest of a kernel's source, which is not known here.
const Source = "imported"

// DeviceName names a device that others have measured on. It differs from the names of the
// devices that this program has measured on, and stays where it is imported once more.
func DeviceName(name string) string { return strings.TrimSuffix(name, mark) + mark }

const mark = " (imported)"
