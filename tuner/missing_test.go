package tuner

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
	"spmvtune/tuner/trial"
)

// missingSweep is a sweep of two matrices that are to be downloaded, the second of which has a twin,
// and of one that is made.
func missingSweep(t *testing.T, answer http.HandlerFunc) *configs.Sweep {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	t.Setenv(cache.Env, t.TempDir())
	t.Setenv(fetch.EnvServers, server.URL)

	sweep := testSweep(behave)
	twin := sweep.Matrices[0]
	twin.Name, twin.SuiteSparse, twin.Args = "twin", "G/twin", map[string]any{"nx": int64(3), "ny": int64(4)}
	sweep.Matrices = []configs.Matrix{{Name: "alone", SuiteSparse: "G/alone", Expand: true}, twin, sweep.Matrices[0]}
	return sweep
}

// Where matrices can't be downloaded, a run reports by its name the one that has no twin, notes why it
// measures the twin of the other, and goes on.
func TestDownloadsThatFail(t *testing.T) {
	sweep := missingSweep(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	rec := &memory{}
	sum := runTest(t, sweep, rec, Options{})
	if len(sum.Failures) != 1 || sum.Failures[0].Matrix != "alone" ||
		!errors.Is(sum.Failures[0].Err, fetch.ErrUnavailable) {
		t.Errorf("failures %v, want one of alone", sum.Failures)
	}
	notes := map[string]string{}
	for _, m := range rec.matrices {
		notes[m.Name] = m.Note
	}
	if note, ok := notes["grid"]; len(notes) != 2 || !ok || note != "" || !strings.Contains(notes["twin (twin)"], "403") {
		t.Errorf("notes of the matrices %q", notes)
	}
	if sum.Measured[trial.OK] != 2 {
		t.Errorf("measured %v", sum.Measured)
	}
}

// A download ends with the run.
func TestInterruptedDownload(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sweep := missingSweep(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	sum, err := Run(ctx, sweep, &memory{}, Options{Launch: testLauncher})
	if err != nil || !sum.Interrupted || len(sum.Failures) != 0 || sum.Trials != 0 {
		t.Errorf("error %v, summary %+v", err, sum)
	}
}

// A preview downloads nothing. It foresees the work on a missing matrix by its twin.
func TestPreviewOfMissingMatrices(t *testing.T) {
	sweep := missingSweep(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it asked for %s", r.URL) })
	dev, plans, failed, err := Preview(t.Context(), sweep, nil, Options{Launch: testLauncher})
	if err != nil || len(plans) != 3 || len(failed) != 0 || dev.Backend != "cpu" {
		t.Fatalf("%d plans, failures %v, device %+v, error %v", len(plans), failed, dev, err)
	}
	alone, twin := plans[0], plans[1]
	if alone.Matrix.Name != "alone" || alone.Missing != "G/alone" ||
		alone.Size != (trial.Size{}) || alone.Outlook.Trials != 0 {
		t.Errorf("of the one without a twin: %+v", alone)
	}
	if twin.Missing != "G/twin" || twin.Size.Rows != 12 || twin.Size.Cols != 12 || twin.Outlook.Trials != 1 ||
		twin.Outlook.Time <= 0 {
		t.Errorf("of the one with a twin: %+v", twin)
	}
	if here := plans[2]; here.Missing != "" || len(here.Trials) != 1 || here.Time <= 0 {
		t.Errorf("of the one that is here: %+v", here)
	}
}
