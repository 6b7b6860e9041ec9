package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A sweepRun is a database that is being written.
type sweepRun struct {
	t    *testing.T
	path string
	db   *store.DB
	n    int
}

// newRun begins a sweep of two matrices.
func newRun(t *testing.T) *sweepRun {
	t.Helper()
	r := &sweepRun{t: t, path: filepath.Join(t.TempDir(), "results.db")}
	var err error
	if r.db, err = store.Open(r.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.db.Close() })
	r.must(r.db.Begin(t.Context(), tuner.RunInfo{
		Sweep:  &configs.Sweep{Name: "demo", Title: "A title", Text: []byte("title = \"A title\"\n")},
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "1"}, Protocol: "p", Version: "test",
		Sources: map[string]string{"cpu_csr": "1", "cpu_coo": "1"},
	}))
	for _, name := range []string{"one", "two"} {
		r.must(r.db.Matrix(t.Context(), trial.Matrix{Name: name, Hash: name, Class: "c", Source: "s", Field: "real",
			Symmetry: "general", Features: sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 1_000_000}}))
	}
	return r
}

func (r *sweepRun) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// record records a trial.
func (r *sweepRun) record(matrix, kernel string, milliseconds float64) {
	r.t.Helper()
	r.n++
	result := trial.Result{
		Trial: trial.Trial{ID: strconv.Itoa(r.n), Matrix: matrix, Cache: trial.Warm,
			Config: kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: r.n}},
		Status: trial.OK, Median: milliseconds / 1e3, WithinLow: 0.99 * milliseconds / 1e3, WithinHigh: 1.01 * milliseconds / 1e3,
		BytesMin: 12_000_000, At: time.Now(), Stop: trial.StopTarget,
	}
	result.Samples = []float64{result.Median, result.Median, result.Median}
	r.must(r.db.Record(r.t.Context(), result))
}

// says makes the run say how far it is.
func (r *sweepRun) says(s show.LiveState) {
	r.t.Helper()
	content, err := json.Marshal(s)
	r.must(err)
	r.must(os.WriteFile(filepath.Join(filepath.Dir(r.path), show.LiveFile), content, 0o666))
}

// server serves the run.
func (r *sweepRun) server(opt Options) *Server {
	opt.Database, opt.Name = r.path, "demo"
	if opt.Draw == nil {
		opt.Draw = Draw
	}
	s := New(opt)
	r.t.Cleanup(s.Close)
	return s
}

// get asks for a path as the page does, with further headers.
func get(s *Server, path string, headers ...string) *httptest.ResponseRecorder {
	return request(s, http.MethodGet, path, headers...)
}

func request(s *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:8765"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// decoded reads a good answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) (v T) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	testkit.Succeed(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

// nothing draws nothing.
func nothing(context.Context, string) (*Drawing, error) { return &Drawing{Figures: []Figure{}}, nil }

// shorten makes queries end soon.
func shorten(t *testing.T) {
	before := queryTime
	queryTime = 50 * time.Millisecond
	t.Cleanup(func() { queryTime = before })
}
