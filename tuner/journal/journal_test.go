// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// What is written comes back as it was, whatever its numbers are.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(t.Context(), dir, "0007.1", "123_4", 2,
		func(run tuner.RunInfo) map[string]string {
			return map[string]string{"attempt": "1", "device": run.Device.Name}
		})
	testkit.Succeed(t, err)
	defer w.Close()
	matrix, run := testMatrix("grid"), testRun()
	strange := testTrial(2)
	strange.Samples = []float64{1e11, math.SmallestNonzeroFloat64, 0, 0.1 + 0.2}
	wrong, unknown := testTrial(4), testTrial(5)
	wrong.Status, unknown.Status = trial.Wrong, trial.Wrong
	wrong.MaxError, unknown.MaxError = math.Inf(1), math.NaN()
	failed := trial.Result{Trial: testTrial(3).Trial, Status: trial.Fault, Message: "signal: \"killed\" {} \x00 \u2028",
		At: strange.At, Measurement: 2}
	sentinel, final := testTrial(1), testTrial(1)
	sentinel.Sentinel, final.LeaderRerun = true, true
	results := []trial.Result{testTrial(1), strange, wrong, unknown, failed, sentinel, final}
	end := End{Reason: "out of time", At: strange.At, Pieces: []trial.Piece{
		{Matrix: "grid", Part: trial.Part{Index: 1, Of: 4}, Complete: true},
		{Matrix: "b", Part: trial.Part{Of: 1}, Reason: "not begun"},
	}}
	testkit.Succeed(t, w.Matrix(t.Context(), matrix))
	testkit.Succeed(t, w.Begin(t.Context(), run))
	for _, r := range results {
		testkit.Succeed(t, w.Record(t.Context(), r))
	}
	testkit.Succeed(t, w.End(end))

	var gotResults []trial.Result
	for rec, err := range Read(t.Context(), w.Path()) {
		testkit.Succeed(t, err)
		switch {
		case rec.Run != nil:
			same(t, rec.Run.RunInfo, run)
			same(t, rec.Run.Facts, map[string]string{"attempt": "1", "device": "Testcore"})
		case rec.Matrix != nil:
			same(t, *rec.Matrix, matrix)
		case rec.Trial != nil:
			gotResults = append(gotResults, rec.Trial.Result)
			same(t, *rec.Trial.Matrix, matrix)
			same(t, rec.Trial.Run.Version, "test")
		case rec.End != nil:
			same(t, *rec.End, end)
		case rec.Problem != nil:
			t.Errorf("line %d: %v", rec.Problem.Line, rec.Problem.Err)
		}
	}
	same(t, gotResults, results)
}

// same compares by content, floats by their bits.
func same(t *testing.T, got, want any) {
	t.Helper()
	testkit.Check(t, equal(reflect.ValueOf(got), reflect.ValueOf(want)), "got  %+v\nwant %+v", got, want)
}

func equal(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Float64:
		x, y := a.Float(), b.Float()
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	case reflect.Struct:
		if a.NumField() > 0 && !a.Type().Field(0).IsExported() { // time.Time
			return reflect.DeepEqual(a.Interface(), b.Interface())
		}
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || equal(a.Elem(), b.Elem()))
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() || !equal(a.MapIndex(k), b.MapIndex(k)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// What an older program did not write of a matrix is not known, and is no 0.
func TestMissingFeatures(t *testing.T) {
	var f features
	testkit.Succeed(t, json.Unmarshal([]byte(`{"rows":3,"row_mean":1.5,"row_std":"NaN"}`), &f))
	testkit.Check(t, f.Rows == 3 && f.Cols == 0 && f.RowMean == 1.5 && math.IsNaN(f.RowStd) && math.IsNaN(f.RowSimilarity),
		"got %+v", f)
	for _, bad := range []string{`[]`, `{"rows":1.5}`, `{"rows":"3"}`, `{"row_mean":"many"}`} {
		testkit.Fails(t, json.Unmarshal([]byte(bad), &f), "", "%s is read", bad)
	}
}

func testRun() tuner.RunInfo {
	return tuner.RunInfo{
		Sweep: &configs.Sweep{Name: "quick", Title: "A <quick> one", Text: []byte("name = \"quick\" # é\n"),
			Protocol: configs.Protocol{Warmup: 3, Target: 0.02, Budget: time.Second, Seed: 1<<64 - 1},
			Search:   configs.Search{Strategy: "rule", Top: 3}, Report: configs.Report{Kernels: []string{"cpu_*"}}},
		Device: kernels.Device{Backend: "cpu", Name: "Testcore", Driver: "go1.26", Units: 2,
			Properties: map[string]string{"governor": "performance"}},
		Roof:     kernels.Roof{Read: 10, Copy: 20.1, Triad: 1.0 / 3, Gather: 0.7},
		Sources:  map[string]string{"cpu_coo": "1", "cpu_csr": "2"},
		Protocol: "warmup=3",
		Version:  "test",
		Origin:   trial.Origin{Node: "n1", UUID: "GPU-1", Job: "12_3"},
	}
}

func testMatrix(name string) trial.Matrix {
	return trial.Matrix{Name: name, Pattern: sparse.Thumbnail("\x01 of bins"), Source: "grid 10 100", Class: "grid",
		Hash: "hash-of-" + name, Field: "real", Symmetry: "general",
		Features: sparse.Features{Rows: 1000, Cols: 900, Nonzeros: 5000, RowMean: 5, RowStd: 0.1 + 0.2,
			BandwidthMean: math.NaN()}}
}

func testTrial(i int) trial.Result {
	return trial.Result{
		Trial: trial.Trial{ID: fmt.Sprintf("trial-%d", i), Matrix: "hash-of-grid", Cache: trial.Cold,
			Config: kernels.Config{Kernel: "cpu_csr", Precision: kernels.Float32, Block: i % 1_000_000, Grid: 2,
				Params: kernels.Params("unroll=4")}},
		Status: trial.OK, Median: 1e-3 / 3, WithinLow: 0.99e-3, WithinHigh: 1.01e-3, Samples: []float64{1e-3 / 7, 5e-324, 1e-3}, Batch: 1,
		Stop: trial.StopTarget, Prepare: 2e-3, MaxError: 0.25, WorstRow: 17, BytesMin: 10_000, BytesOwn: 12_000,
		Properties: map[string]float64{"registers": 32}, Warnings: []string{"a line\nand another"},
		Telemetry: &trial.Telemetry{SMClock: 1755, Temperature: 60, Power: 650.125, Energy: 0.1 + 0.2,
			Reasons:    kernels.SWPowerCap,
			HasReasons: true, Repeated: 10},
		Host:        trial.HostUse{Cores: 4, Others: 0.1 + 0.2, Stolen: 0.5, Switches: 30, Own: 2, Load: 7.5},
		Measurement: 2, At: time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC),
	}
}

// start begins a journal of chunk 0001 with a run and the matrix "grid".
func start(t testing.TB, dir, job string) *Writer {
	t.Helper()
	w := testkit.Must(Create(t.Context(), dir, "0001", job, 0, nil))
	t.Cleanup(func() { w.Close() })
	testkit.Succeed(t, w.Matrix(t.Context(), testMatrix("grid")))
	testkit.Succeed(t, w.Begin(t.Context(), testRun()))
	return w
}

// write records trials from, …, to-1.
func write(t testing.TB, w *Writer, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		testkit.Succeed(t, w.Record(t.Context(), testTrial(i)))
	}
}

// content is what a reader finds: the identities of the trials, and what is
// wrong as "trouble in line n".
func content(t testing.TB, path string) (trials, problems []string, ends int) {
	t.Helper()
	for rec, err := range Read(t.Context(), path) {
		testkit.Succeed(t, err)
		switch {
		case rec.Trial != nil:
			trials = append(trials, rec.Trial.ID)
		case rec.Problem != nil:
			problems = append(problems, fmt.Sprintf("%s in line %d", rec.Problem.Kind, rec.Problem.Line))
		case rec.End != nil:
			ends++
		}
	}
	return trials, problems, ends
}

// file writes data to a file of its own.
func file(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "0001.1_1.0.jsonl")
	testkit.Succeed(t, os.WriteFile(path, data, 0o666))
	return path
}
