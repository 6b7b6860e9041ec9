// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// create opens a new database.
func create(t testing.TB) *DB {
	t.Helper()
	db := testkit.Must(Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// started is a database with a run under way on one matrix, "grid", of 1000
// rows and 5000 nonzeros.
func started(t testing.TB) *DB {
	t.Helper()
	db := create(t)
	begin(t, db, testRun())
	describe(t, db, testMatrix("grid"))
	return db
}

func begin(t testing.TB, db *DB, run tuner.RunInfo) {
	t.Helper()
	testkit.Succeed(t, db.Begin(t.Context(), run))
}

func describe(t testing.TB, db *DB, m trial.Matrix) {
	t.Helper()
	testkit.Succeed(t, db.Matrix(t.Context(), m))
}

func record(t testing.TB, db *DB, results ...trial.Result) {
	t.Helper()
	for _, r := range results {
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
}

func testRun() tuner.RunInfo {
	sources := map[string]string{}
	for _, name := range []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell", "coo_atomic",
		"cusparse_csr_alg1", "cusparse_csr_alg2"} {
		sources[name] = "1"
	}
	return tuner.RunInfo{
		Sweep: &configs.Sweep{Name: "quick", Title: "A quick one", Text: []byte("name = \"quick\"\n"),
			Protocol: configs.Protocol{Warmup: 3}, Search: configs.Search{Strategy: "grid"}},
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "go1.26", Units: 2, MaxBlock: 65536,
			Memory: 8 << 30, Cache: 32 << 20, Properties: map[string]string{"governor": "performance"}},
		Roof:     kernels.Roof{Read: 10, Copy: 20, Triad: 16},
		Sources:  sources,
		Protocol: "warmup=3",
		Version:  "test",
		Origin:   trial.Origin{Node: "n1", UUID: "GPU-1", Job: "12_3"},
	}
}

func testMatrix(name string) trial.Matrix {
	return trial.Matrix{Name: name, Source: "grid 10 100", Class: "grid", Hash: "hash-of-" + name,
		Field: "real", Symmetry: "general",
		Features: sparse.Features{Rows: 1000, Cols: 900, Nonzeros: 5000, RowMean: 5, RowStd: 0.5, RowMin: 3,
			RowP25: 4, RowMedian: 5,
			RowP75: 5, RowP90: 5, RowP99: 5, RowMax: 6, EmptyRows: 7, ColsUsed: 890, Bandwidth: 100, BandwidthMean: 50.5},
		Pattern: sparse.Thumbnail("\x01 not empty")}
}

// good is a trial of 1 ms ± 1% on matrix "grid", as changed.
func good(kernel string, block int, change ...func(*trial.Result)) trial.Result {
	r := trial.Result{
		Trial: trial.Trial{Matrix: "hash-of-grid", Cache: trial.Cold,
			Config: kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block, Grid: 2}},
		Status: trial.OK, Median: 1e-3, WithinLow: 0.99e-3, WithinHigh: 1.01e-3, Samples: []float64{1e-3, 0.99e-3,
			1.01e-3}, Batch: 1,
		Stop: trial.StopTarget, Seconds: 0.01, Prepare: 2e-3, MaxError: 0.25, WorstRow: 17, BytesMin: 10_000, BytesOwn: 12_000,
		At: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
	}
	for _, c := range change {
		c(&r)
	}
	if r.ID == "" {
		sum := sha256.Sum256(fmt.Append(nil, r.Matrix, r.Config, r.Cache))
		r.ID = hex.EncodeToString(sum[:16])
	}
	return r
}

// takes sets the median and an interval of ± half of a percent, in ms.
func takes(ms float64) func(*trial.Result) { return between(0.995*ms, ms, 1.005*ms) }

// between sets the median and its interval, in ms.
func between(low, median, high float64) func(*trial.Result) {
	return func(r *trial.Result) { r.WithinLow, r.Median, r.WithinHigh = 1e-3*low, 1e-3*median, 1e-3*high }
}

func on(matrix string) func(*trial.Result) {
	return func(r *trial.Result) { r.Matrix = "hash-of-" + matrix }
}

func identity(id string) func(*trial.Result) {
	return func(r *trial.Result) { r.ID = id }
}

// later is measured a minute after the others.
func later(r *trial.Result) { r.At = r.At.Add(time.Minute) }

// failing turns a trial into one that ended in status.
func failing(status trial.Status, message string) func(*trial.Result) {
	return func(r *trial.Result) {
		*r = trial.Result{Trial: r.Trial, Status: status, Message: message, At: r.At}
	}
}

// query runs a query that has to work.
func query(t testing.TB, db *DB, sql string) *Table {
	t.Helper()
	table, err := db.Query(context.Background(), sql)
	testkit.Require(t, err == nil, "%s: %v", sql, err)
	return table
}

// one returns the single value that a query gives.
func one(t testing.TB, db *DB, sql string) any {
	t.Helper()
	table := query(t, db, sql)
	testkit.Require(t, len(table.Rows) == 1 && len(table.Rows[0]) == 1,
		"%s: %d rows, want a single value", sql, len(table.Rows))
	return table.Rows[0][0]
}

// gives holds a query that gives a single value against what it must be.
func gives(t testing.TB, db *DB, sql string, want any, format string, args ...any) {
	t.Helper()
	testkit.Equal(t, one(t, db, sql), want, format, args...)
}

// runsEnv names databases of one sweep, with commas between them.
const runsEnv = "SPMVTUNE_RUNS"

// TestIntervalsOfRuns shows how often the intervals of two runs agree, going by the repeats that
// each has.
func TestIntervalsOfRuns(t *testing.T) {
	if os.Getenv(runsEnv) == "" {
		t.Skip(runsEnv + " names no databases")
	}
	var runs []map[string]Row
	for _, path := range strings.Split(os.Getenv(runsEnv), ",") {
		runs = append(runs, decided(t, path))
	}

	var within, withinShort, all, short, hopeless agreement
	for i, one := range runs {
		for _, two := range runs[:i] {
			for id, x := range one {
				y, there := two[id]
				if !there || x.Another.Low == 0 || y.Another.Low == 0 {
					continue
				}
				if x.WithinLow == 0 || y.WithinLow == 0 { // it ended with its first products
					hopeless.add(x, y)
					continue
				}
				all.add(x, y)
				within.add(inRun(x), inRun(y))
				if min(x.Median, y.Median) < 10e-6 {
					short.add(x, y)
					withinShort.add(inRun(x), inRun(y))
				}
			}
		}
	}
	within.log(t, "within a run")
	withinShort.log(t, "within a run, below 10 µs")
	all.log(t, "in another run")
	short.log(t, "in another run, below 10 µs")
	hopeless.log(t, "trials that ended with their first products")
}

// inRun takes the interval of the median within the run for that of another run.
func inRun(r Row) Row {
	r.Another = trial.Interval{Low: r.WithinLow, High: r.WithinHigh}
	return r
}

// decided returns the trials of a database, of which a copy was decided anew.
func decided(t *testing.T, path string) map[string]Row {
	from := testkit.Must(OpenReadOnly(path))
	defer from.Close()
	db := testkit.Must(Open(changed(t, from, "DELETE FROM tie_set")))
	defer db.Close()
	decideAll(t, db)

	rows := testkit.Must(db.Results(t.Context(), Filter{}))
	found := map[string]Row{}
	for _, r := range rows {
		found[r.ID] = r
	}
	return found
}

// An agreement counts pairs of one trial in two runs.
type agreement struct {
	pairs, apart, contained int // each of two intervals may contain the other's median
	halves                  []float64
}

func (a *agreement) add(x, y Row) {
	a.pairs++
	if x.Another.High < y.Another.Low || y.Another.High < x.Another.Low {
		a.apart++
	}
	for _, r := range [][2]Row{{x, y}, {y, x}} {
		if r[0].Another.Low <= r[1].Median && r[1].Median <= r[0].Another.High {
			a.contained++
		}
		a.halves = append(a.halves, math.Sqrt(r[0].Another.High/r[0].Another.Low)-1)
	}
}

func (a *agreement) log(t *testing.T, what string) {
	slices.Sort(a.halves)
	t.Logf("%s: %d pairs, intervals apart %.1f%%, contain the other median %.1f%%, median half width %.1f%%", what,
		a.pairs, 100*float64(a.apart)/float64(a.pairs), 50*float64(a.contained)/float64(a.pairs),
		100*stat.Median(a.halves))
}

// changed is a copy of a good database in which a statement has changed something.
func changed(t testing.TB, db *DB, statement string, args ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.db")
	testkit.Succeed(t, db.copyTo(t.Context(), path))
	pool := connect(path, url.Values{}, nil)
	defer pool.Close()
	testkit.Must(pool.Exec(statement, args...))
	return path
}

// filled is a database with a trial, a repeat and a matrix.
func filled(t testing.TB) *DB {
	t.Helper()
	db := started(t)
	first := good("cpu_csr_rows", 64, sampled(1), sensed)
	record(t, db, first, good("cpu_sell", 8, sampled(1.1)), again(first, 1, 1.01))
	return db
}

// A value that no version of this program writes is refused when the file is opened.
func TestBadValues(t *testing.T) {
	db := filled(t)
	for statement, want := range map[string]string{
		"PRAGMA user_version = -3":                                              "version -3",
		"UPDATE trial SET median = -1":                                          "the time of trial 1",
		"UPDATE trial SET median = 1e-320":                                      "the time of trial 1",
		"UPDATE trial SET median = 'x'":                                         "the time of trial 1",
		"UPDATE trial SET high = 1e300":                                         "the interval of trial 1",
		"UPDATE trial SET bytes_min = 0":                                        "the bytes of trial 1",
		"UPDATE trial SET block = -9223372036854775808":                         "the block or grid of trial 1",
		"UPDATE trial SET grid = 2147483648":                                    "the block or grid of trial 1",
		"UPDATE trial SET measured_at = -9223372036854775808":                   "the moment of trial 1",
		"UPDATE matrix SET nonzeros = -1":                                       "matrix 1",
		"UPDATE matrix SET row_max = -9":                                        "matrix 1",
		"UPDATE matrix SET row_std = 9e999":                                     "matrix 1",
		"UPDATE matrix SET name = hex(zeroblob(105))":                           "matrix 1 is too long",
		"UPDATE device SET roof_read = -1":                                      "the bandwidth of device 1",
		"UPDATE rerun SET median = 0":                                           "invalid time in rerun, row 1",
		"UPDATE rerun SET low = -1":                                             "invalid time in rerun, row 1",
		"UPDATE trial SET kernel = -9":                                          "a row of trial belongs to a kernel that is not there",
		"UPDATE trial SET params = hex(zeroblob(501))":                          "the parameters of trial 1",
		"UPDATE device SET driver = hex(zeroblob(105))":                         "the name of device 1",
		"UPDATE kernel SET paper = hex(zeroblob(105))":                          "the name of kernel 1",
		"UPDATE sweep SET name = hex(zeroblob(105))":                            "the name of sweep 1",
		"CREATE TRIGGER x AFTER INSERT ON trial BEGIN SELECT 1; END":            "a trigger that is not this program's",
		"ALTER TABLE sample RENAME TO s; CREATE VIEW sample AS SELECT * FROM s": "sample is a view, and must be a table",
	} {
		for way, open := range map[string]func(string) (*DB, error){"Open": Open, "OpenReadOnly": OpenReadOnly} {
			_, err := open(changed(t, db, statement))
			testkit.Fails(t, err, want, "%s: %s gives", statement, way)
		}
	}
}

// Samples that are no numbers are refused where they are read.
func TestBadSamples(t *testing.T) {
	open := testkit.Must(OpenReadOnly(changed(t, filled(t), "UPDATE sample SET data = x'0000c07f0000c07f'")))
	defer open.Close()
	list := testkit.Must(open.Results(t.Context(), Filter{}))
	testkit.Fails(t, testkit.Err(open.Recorded(t.Context(), []string{list[0].ID}, trial.Full)), "", "NaN is a sample")
}

// A pipe is refused: opening it would wait for its writer.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "results.db")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	for _, open := range []func(string) (*DB, error){Open, OpenReadOnly} {
		testkit.Fails(t, testkit.Err(open(pipe)), "not a regular file")
	}
	testkit.Must(os.Stat(pipe))
}

// A name that would make the database unreadable is refused before it is written.
func TestLongName(t *testing.T) {
	db := started(t)
	testkit.Succeed(t, db.Matrix(t.Context(), testMatrix(strings.Repeat("ä", 200))))
	testkit.Fails(t, db.Matrix(t.Context(), testMatrix(strings.Repeat("ä", 201))), "", "a name of 201 characters is taken")
}
