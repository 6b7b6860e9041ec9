package matrix

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
	"spmvtune/tuner/trial"
)

// A twin is described by fields that say what it is a likeness of, as its section does, and
// its source says the same.
func TestTwins(t *testing.T) {
	inPlace := func(generator string, args map[string]any) configs.Matrix {
		return configs.Matrix{Name: "m", SuiteSparse: "MAWI/mawi_201512020330", Generate: generator, Args: args}.AsTwin()
	}
	for _, tt := range []struct {
		spec  configs.Matrix
		of    string
		scale float64
	}{
		{inPlace("twin", map[string]any{"of": "mawi_201512020330", "scale": 0.1}), "mawi_201512020330", 0.1},
		{inPlace("twin", map[string]any{"of": "mawi_201512020330"}), "mawi_201512020330", 1},
		{inPlace("grid_5pt", map[string]any{"nx": 3, "ny": 4}), "mawi_201512020330", 1},
		{configs.Matrix{Generate: "twin", Args: map[string]any{"of": "model7", "scale": int64(2)}}, "model7", 2},
		{configs.Matrix{Generate: "grid_5pt", Args: map[string]any{"nx": 3, "ny": 4}}, "", 0},
		{configs.Matrix{Name: "m (twin)", SuiteSparse: "HB/1138_bus", Path: "/a/1138_bus.tar.gz"}, "", 0},
		{configs.Matrix{Path: "/a/twin of x: twin(of=y).mtx"}, "", 0},
	} {
		m := Named(tt.spec)
		if m.TwinOf != tt.of || m.TwinScale != tt.scale {
			t.Errorf("%q: a twin of %q at scale %g, want %q, %g", m.Source, m.TwinOf, m.TwinScale, tt.of, tt.scale)
		}
	}
}

// resolverOf returns a resolver whose server answers with a status, and the count of the
// answers.
func resolverOf(t *testing.T, status int) (*Resolver, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	t.Setenv(cache.Env, t.TempDir())
	t.Setenv(fetch.EnvServers, server.URL)
	s := testkit.Must(NewResolver())
	return s, &asked
}

// put makes a file be there as if it was downloaded.
func put(t *testing.T, s *Resolver, name string) {
	t.Helper()
	path := filepath.Join(s.Collection.Dir, name+".tar.gz")
	testkit.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
	testkit.Succeed(t, os.WriteFile(path, []byte(fileOfFive), 0o666))
}

func TestResolve(t *testing.T) {
	alone := configs.Matrix{Name: "n", Class: "c", SuiteSparse: "G/N", Expand: true}
	withTwin := alone
	withTwin.Generate, withTwin.Args = "grid_5pt", map[string]any{"nx": int64(3), "ny": int64(4)}

	s, asked := resolverOf(t, 403)
	if m := s.Foresee(withTwin); m.Resolved() || asked.Load() > 0 {
		t.Errorf("a server was asked, or %+v is resolved", m)
	}
	if size, err := SizeOf(alone); err != nil || size != (trial.Size{}) {
		t.Errorf("%+v, %v", size, err)
	}
	if size, err := SizeOf(withTwin); err != nil || size.Rows != 12 {
		t.Errorf("%+v, %v", size, err)
	}
	if _, _, err := Load(t.Context(), withTwin); err == nil || !strings.Contains(err.Error(), "matrix get G/N") {
		t.Errorf("loaded: %v", err)
	}

	// No server gives it: the twin where there is one, now and later.
	if _, _, err := s.Resolve(t.Context(), alone); !errors.Is(err, fetch.ErrUnavailable) {
		t.Error(err)
	}
	put(t, s, "G/N")
	twin, why, err := s.Resolve(t.Context(), withTwin)
	if err != nil || why == nil || !twin.Twin || asked.Load() != 1 {
		t.Fatalf("%+v, %v, %v, asked %d times", twin, why, err, asked.Load())
	}
	if m := loaded(t, twin); m.Name != "n (twin)" || m.Class != "c" ||
		!strings.HasPrefix(m.Source, "twin of G/N: grid_5pt") || m.Features.Rows != 12 {
		t.Errorf("%+v", m)
	}

	// The file is there: it is what is measured.
	s, asked = resolverOf(t, 403)
	put(t, s, "G/N")
	if foreseen := s.Foresee(withTwin); foreseen.Path == "" {
		t.Errorf("%+v", foreseen)
	}
	real, why, err := s.Resolve(t.Context(), withTwin)
	if err != nil || why != nil || asked.Load() > 0 {
		t.Fatalf("%v, %v, asked %d times", why, err, asked.Load())
	}
	if m := loaded(t, real); m.Name != "n" || m.Source != "SuiteSparse G/N" || m.Features.Nonzeros != 5 {
		t.Errorf("%+v", m)
	}

	// A matrix that does not exist is a mistake, and so is a broken-off download no
	// reason for a twin.
	s, _ = resolverOf(t, 404)
	if _, _, err := s.Resolve(t.Context(), withTwin); !errors.Is(err, fetch.ErrNotFound) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s, _ = resolverOf(t, 200)
	if _, _, err := s.Resolve(ended, withTwin); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
