package export

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// measured is a database of the matrices a/b and =sum, whose names other formats give a meaning. On the first,
// csr_vector with blocks of 64 and two vectors is the fastest; csr_block fails with a block of 2048.
func measured(t testing.TB) *store.DB {
	t.Helper()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	testkit.Succeed(t, db.Begin(t.Context(), tuner.RunInfo{
		Sweep:    &configs.Sweep{Name: "quick", Text: []byte("name = \"quick\"\n")},
		Device:   kernels.Device{Backend: "cuda", Name: "Test GPU", Driver: "1"},
		Roof:     kernels.Roof{Read: 100, Copy: 90, Triad: 80},
		Sources:  map[string]string{"csr_vector": "1", "csr_block": "1"},
		Protocol: "p", Version: "test",
	}))
	for _, name := range []string{"a/b", "=sum"} {
		f := sparse.UnknownFeatures()
		f.Rows, f.Cols, f.Nonzeros, f.RowMean = 1000, 900, 5000, 5
		if err := db.Matrix(t.Context(), trial.Matrix{Name: name, Class: "grid", Hash: name, Field: "real",
			Symmetry: "general", Features: f}); err != nil {
			t.Fatal(err)
		}
	}

	for i, r := range []trial.Result{
		took(3e-6, "csr_vector", 32, "vec=2"), took(1e-6, "csr_vector", 64, "vec=2"), took(5e-6, "csr_vector", 32, "vec=4"),
		took(2e-6, "csr_vector", 64, "vec=4"), took(4e-6, "csr_block", 64, ""), failed("csr_block", 2048),
	} {
		r.Matrix, r.ID, r.At = "a/b", fmt.Sprint("a", i), time.Date(2026, 1, 2, 3, 4, i, 5e6, time.UTC)
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
	other := took(7e-6, "csr_block", 64, "")
	other.Matrix, other.ID = "=sum", "b"
	testkit.Succeed(t, db.Record(t.Context(), other))
	return db
}

func took(seconds float64, kernel string, block int, params kernels.Params) trial.Result {
	return trial.Result{
		Trial: trial.Trial{Cache: trial.Cold,
			Config: kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block, Params: params}},
		Status: trial.OK, Median: seconds, WithinLow: 0.99 * seconds, WithinHigh: 1.01 * seconds, Batch: 4,
		Samples: []float64{seconds, 0.99 * seconds, 1.01 * seconds}, Stop: trial.StopTarget, Seconds: 0.25,
		BytesMin: 60_000, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func failed(kernel string, block int) trial.Result {
	r := took(1, kernel, block, "")
	return trial.Result{Trial: r.Trial, Status: trial.Invalid, Message: "too many\nthreads"}
}

// written is what a format writes of them.
func written(t testing.TB, format string, f store.Filter) (string, Count) {
	t.Helper()
	kind, ok := Named(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	var b bytes.Buffer
	n := testkit.Must(kind.Write(t.Context(), &b, measured(t), f))
	return b.String(), n
}
