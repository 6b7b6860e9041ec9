package journal

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

func testRun() tuner.RunInfo {
	return tuner.RunInfo{
		Sweep: &configs.Sweep{Name: "quick", Title: "A <quick> one", Text: []byte("name = \"quick\" # é\n")},
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
		Status: trial.OK, Median: 1e-3 / 3, Low: 0.99e-3, High: 1.01e-3, Samples: []float64{1e-3 / 7, 5e-324, 1e-3}, Batch: 1,
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
	w, err := Create(t.Context(), dir, "0001", job, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	must(t, w.Matrix(t.Context(), testMatrix("grid")))
	must(t, w.Begin(t.Context(), testRun()))
	return w
}

// write records trials from, …, to-1.
func write(t testing.TB, w *Writer, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		must(t, w.Record(t.Context(), testTrial(i)))
	}
}

// content is what a reader finds: the identities of the trials, and what is
// wrong as "trouble in line n".
func content(t testing.TB, path string) (trials, problems []string, ends int) {
	t.Helper()
	for rec, err := range Read(t.Context(), path) {
		must(t, err)
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// file writes data to a file of its own.
func file(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "0001.1_1.0.jsonl")
	must(t, os.WriteFile(path, data, 0o666))
	return path
}
