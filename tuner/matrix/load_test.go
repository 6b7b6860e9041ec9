// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/tuner/trial"
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
		testkit.Check(t, m.TwinOf == tt.of && m.TwinScale == tt.scale,
			"%q: a twin of %q at scale %g, want %q, %g", m.Source, m.TwinOf, m.TwinScale, tt.of, tt.scale)
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
	m := s.Foresee(withTwin)
	testkit.Check(t, !m.Resolved() && asked.Load() == 0, "a server was asked, or %+v is resolved", m)
	testkit.Equal(t, testkit.Must(SizeOf(alone)), trial.Size{}, "the size of one without a twin")
	testkit.Equal(t, testkit.Must(SizeOf(withTwin)).Rows, 12, "rows of the twin")
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
	foreseen := s.Foresee(withTwin)
	testkit.Check(t, foreseen.Path != "", "%+v", foreseen)
	real, why, err := s.Resolve(t.Context(), withTwin)
	testkit.Require(t, err == nil && why == nil && asked.Load() == 0, "%v, %v, asked %d times", why, err, asked.Load())
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

const fileOfFive = `%%MatrixMarket matrix coordinate integer symmetric
3 3 3
1 1 2
2 1 -1
3 1 4
`

// loaded loads a matrix and checks that Describe says the same.
func loaded(t *testing.T, spec configs.Matrix) trial.Matrix {
	t.Helper()
	a, m, err := Load(t.Context(), spec)
	testkit.Succeed(t, err)
	if err := a.Validate(); err != nil || a.Hash() != m.Hash {
		t.Errorf("the matrix is not the one described: %v", err)
	}
	d := testkit.Must(Describe(t.Context(), spec, true))
	testkit.Check(t, alike(d, m), "described as %+v, loaded as %+v", d, m)
	return m
}

func entries(t *testing.T) []cache.Info {
	t.Helper()
	dir := testkit.Must(cache.Default())
	return testkit.Must(dir.List())
}

// A matrix from the cache is the one that was read, until its file or the way to read
// it changes, and an entry that is damaged is made again.
func TestLoadKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cache.Env, "off")
	path := filepath.Join(dir, "A.mtx")
	write := func(text string) {
		t.Helper()
		testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write(fileOfFive)
	spec := configs.Matrix{Name: "A", Class: "small", Path: path, Expand: true}
	read := loaded(t, spec)
	t.Setenv(cache.Env, filepath.Join(dir, "cache"))
	for range 3 {
		if m := loaded(t, spec); !alike(m, read) {
			t.Errorf("kept as %+v, read as %+v", m, read)
		}
	}
	testkit.Equal(t, len(entries(t)), 1, "entries for one matrix")

	triangle := spec
	triangle.Expand = false
	testkit.Equal(t, loaded(t, triangle).Features.Nonzeros, 3, "the triangle has")
	entry := filepath.Join(dir, "cache", string(entries(t)[0].Key)+".csr")
	bytes := testkit.Must(os.ReadFile(entry))
	bytes[len(bytes)-1] ^= 1
	testkit.Succeed(t, os.WriteFile(entry, bytes, 0o666))
	if m := loaded(t, triangle); m.Features.Nonzeros != 3 || m.Note != "" {
		t.Errorf("after the entry was damaged: %+v", m)
	}
	d, _ := cache.Default()
	for _, e := range entries(t) {
		a := testkit.Must(testkit.Must(d.Open(e.Key)).Copy(t.Context()))
		testkit.Equal(t, a.Hash(), e.Hash, "what was damaged was not made again")
	}

	write(strings.Replace(fileOfFive, "2 1 -1", "2 2 -1", 1)) // of the same size
	testkit.Equal(t, loaded(t, spec).Features.Nonzeros, 4, "of the changed file there are")
	write("%%MatrixMarket matrix coordinate")
	_, _, err := Load(t.Context(), spec)
	testkit.Check(t, err != nil, "a broken file can be loaded")
}

// Matrices that take long to generate are kept; the others would only fill the disk.
func TestLoadKeepsGenerated(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	spec := configs.Matrix{Name: "grid", Generate: "grid_5pt", Args: map[string]any{"nx": 5, "ny": 7}}
	made := loaded(t, spec)
	testkit.Equal(t, len(entries(t)), 0, "entries for what is made in no time")
	defer func(d time.Duration) { worthKeeping = d }(worthKeeping)
	worthKeeping = 0
	for range 2 {
		m := loaded(t, spec)
		testkit.Check(t, alike(m, made), "kept as %+v, made as %+v", m, made)
	}
	all := entries(t)
	testkit.Check(t, len(all) == 1 && all[0].Source == made.Source, "entries %+v", all)
	spec.Args["ny"] = 8
	testkit.Equal(t, loaded(t, spec).Features.Rows, 40, "another grid has")
}

// A cache at its limit loses what was used the longest ago, and says so; what is in use stays.
func TestLoadAtTheLimit(t *testing.T) {
	defer func(d time.Duration) { worthKeeping = d }(worthKeeping)
	worthKeeping = 0
	t.Setenv(cache.Env, t.TempDir())
	grid := func(nx int) configs.Matrix {
		return configs.Matrix{Name: "grid", Generate: "grid_5pt", Args: map[string]any{"nx": nx, "ny": 70}}
	}
	load := func(nx int) trial.Matrix {
		t.Helper()
		_, m, err := Load(t.Context(), grid(nx))
		testkit.Succeed(t, err)
		return m
	}
	_, _, held, err := Hold(t.Context(), grid(80))
	testkit.Require(t, err == nil && held != nil, "%v %v", held, err)
	load(81)
	if all := entries(t); len(all) != 2 {
		t.Fatalf("%d entries below the limit", len(all))
	}
	t.Setenv(cache.EnvLimit, fmt.Sprint(entries(t)[0].Size*5/2))
	m := load(82)
	all := entries(t)
	testkit.Check(t, len(all) == 2 && all[0].Features.Rows == 82*70 && all[1].Features.Rows == 80*70 &&
		strings.Contains(m.Note, "is at its limit of "), "the cache has %d entries, and the note is %q", len(all), m.Note)
	testkit.Succeed(t, held.Close())
	t.Setenv(cache.EnvLimit, "5kB")
	if m := load(83); len(entries(t)) != 2 || !strings.Contains(m.Note, "more than the cache's limit of 5 kB") {
		t.Errorf("the cache has %d entries, and the note is %q", len(entries(t)), m.Note)
	}
}

// A cache that can't be written is worth a note, and nothing else.
func TestLoadWithoutRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "A.mtx")
	testkit.Succeed(t, os.WriteFile(path, []byte(fileOfFive), 0o666))
	t.Setenv(cache.Env, filepath.Join(path, "cache"))
	m := loaded(t, configs.Matrix{Name: "A", Path: path, Expand: true})
	testkit.Check(t, m.Features.Nonzeros == 5 && strings.Contains(m.Note, "not kept"), "loaded as %+v", m)
}

// alike reports whether two descriptions of a matrix are the same but for how long
// reading its features took.
func alike(a, b trial.Matrix) bool {
	a.FeaturesSeconds, b.FeaturesSeconds = 0, 0
	return reflect.DeepEqual(a, b)
}

// What a matrix needs is compared with what there is before it is made.
func TestLoadNeedsMemory(t *testing.T) {
	var before unix.Rlimit
	testkit.Succeed(t, unix.Getrlimit(unix.RLIMIT_DATA, &before))
	testkit.Succeed(t, unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 4 << 30, Max: before.Max}))
	defer unix.Setrlimit(unix.RLIMIT_DATA, &before)
	t.Setenv(cache.Env, "off")
	for _, nnz := range []float64{0, 0.5} {
		_, _, err := Load(t.Context(), configs.Matrix{Name: "m", Generate: "uniform",
			Args: map[string]any{"rows": 2147483647, "cols": 9, "row_nnz": nnz}})
		testkit.Fails(t, err, "of memory are more than the")
	}
}
