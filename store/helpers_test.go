package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
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
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return table
}

// one returns the single value that a query gives.
func one(t testing.TB, db *DB, sql string) any {
	t.Helper()
	table := query(t, db, sql)
	if len(table.Rows) != 1 || len(table.Rows[0]) != 1 {
		t.Fatalf("%s: %d rows, want a single value", sql, len(table.Rows))
	}
	return table.Rows[0][0]
}

// gives holds a query that gives a single value against what it must be.
func gives(t testing.TB, db *DB, sql string, want any, format string, args ...any) {
	t.Helper()
	testkit.Equal(t, one(t, db, sql), want, format, args...)
}
