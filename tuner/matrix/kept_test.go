package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse/cache"
	"spmvtune/tuner/trial"
)

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
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Validate(); err != nil || a.Hash() != m.Hash {
		t.Errorf("the matrix is not the one described: %v", err)
	}
	d, err := Describe(t.Context(), spec)
	if err != nil || !alike(d, m) {
		t.Errorf("described as %+v, %v, loaded as %+v", d, err, m)
	}
	return m
}

func entries(t *testing.T) []cache.Info {
	t.Helper()
	dir := testkit.Must(cache.Default())
	all := testkit.Must(dir.List())
	return all
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
	if m := loaded(t, triangle); m.Features.Nonzeros != 3 {
		t.Errorf("the triangle has %d entries", m.Features.Nonzeros)
	}
	entry := filepath.Join(dir, "cache", string(entries(t)[0].Key)+".csr")
	bytes := testkit.Must(os.ReadFile(entry))
	bytes[len(bytes)-1] ^= 1
	testkit.Succeed(t, os.WriteFile(entry, bytes, 0o666))
	if m := loaded(t, triangle); m.Features.Nonzeros != 3 || m.Note != "" {
		t.Errorf("after the entry was damaged: %+v", m)
	}
	d, _ := cache.Default()
	for _, e := range entries(t) {
		if err := d.Verify(t.Context(), e); err != nil {
			t.Errorf("what was damaged was not made again: %v", err)
		}
	}

	write(strings.Replace(fileOfFive, "2 1 -1", "2 2 -1", 1)) // of the same size
	if m := loaded(t, spec); m.Features.Nonzeros != 4 {
		t.Errorf("of the changed file there are %d entries", m.Features.Nonzeros)
	}
	write("%%MatrixMarket matrix coordinate")
	if _, _, err := Load(t.Context(), spec); err == nil {
		t.Error("a broken file can be loaded")
	}
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
		if m := loaded(t, spec); !alike(m, made) {
			t.Errorf("kept as %+v, made as %+v", m, made)
		}
	}
	if all := entries(t); len(all) != 1 || all[0].Source != made.Source {
		t.Errorf("entries %+v", all)
	}
	spec.Args["ny"] = 8
	if m := loaded(t, spec); m.Features.Rows != 40 {
		t.Errorf("another grid has %d rows", m.Features.Rows)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	_, _, held, err := Hold(t.Context(), grid(80))
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	load(81)
	if all := entries(t); len(all) != 2 {
		t.Fatalf("%d entries below the limit", len(all))
	}
	t.Setenv(cache.EnvLimit, fmt.Sprint(entries(t)[0].Size*5/2))
	m := load(82)
	if all := entries(t); len(all) != 2 || all[0].Features.Rows != 82*70 || all[1].Features.Rows != 80*70 ||
		!strings.Contains(m.Note, "is at its limit of ") {
		t.Errorf("the cache has %d entries, and the note is %q", len(all), m.Note)
	}
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
	if m := loaded(t, configs.Matrix{Name: "A", Path: path, Expand: true}); m.Features.Nonzeros != 5 ||
		!strings.Contains(m.Note, "not kept") {
		t.Errorf("loaded as %+v", m)
	}
}

// alike reports whether two descriptions of a matrix are the same but for how long
// reading its features took.
func alike(a, b trial.Matrix) bool {
	a.FeaturesSeconds, b.FeaturesSeconds = 0, 0
	return reflect.DeepEqual(a, b)
}
