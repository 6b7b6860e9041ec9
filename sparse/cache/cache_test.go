// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/generate"
)

// example makes a matrix and what is to be kept of it.
func example(t testing.TB, generator string, args map[string]any) (*sparse.CSR[float64], Meta) {
	t.Helper()
	a := testkit.Must(generate.Build(t.Context(), generator, args))
	source := generate.Spec(generator, args)
	return a, Meta{Key: NewKey(source), Source: source, Field: "real", Symmetry: "general", NonFinite: 3,
		Hash: a.Hash(), Features: sparse.Analyze(a)}
}

func small(t testing.TB) (*sparse.CSR[float64], Meta) {
	return example(t, "uniform", map[string]any{"rows": 21, "cols": 13, "row_nnz": 3})
}

func fill(t testing.TB, d *Dir, m Meta, a *sparse.CSR[float64]) {
	t.Helper()
	testkit.Succeed(t, d.Fill(context.Background(), m, a))
}

// What comes out is what went in, bit by bit, whatever the sizes.
func TestRoundTrip(t *testing.T) {
	matrices := map[string]map[string]any{
		"no rows":    {"rows": 0, "cols": 5, "row_nnz": 0},
		"no columns": {"rows": 5, "cols": 0, "row_nnz": 0},
		"no entries": {"rows": 5, "cols": 5, "row_nnz": 0},
		"one entry":  {"rows": 1, "cols": 1, "row_nnz": 1},
		"odd":        {"rows": 301, "cols": 77, "row_nnz": 5},
		"pieces":     {"rows": 100_000, "cols": 1000, "row_nnz": 12},
	}

	for name, args := range matrices {
		t.Run(name, func(t *testing.T) {
			d := At(filepath.Join(t.TempDir(), "a", "b"))
			a, m := example(t, "uniform", args)
			if a.NNZ() > 1 {
				a.Val[0], a.Val[1] = math.NaN(), math.Copysign(0, -1)
				m.Hash = a.Hash()
			}

			fill(t, d, m, a)
			e := testkit.Must(d.Open(m.Key))
			defer e.Close()
			testkit.Check(t, reflect.DeepEqual(e.Meta, m), "it says %+v, not %+v", e.Meta, m)
			b, err := e.Copy(t.Context())
			testkit.Check(t, err == nil && b.Validate() == nil && b.Hash() == m.Hash, "copying: %v", err)
			p := testkit.Must(e.Pattern(t.Context()))
			testkit.Check(t, slices.Equal(p.RowPtr, a.RowPtr) && slices.Equal(p.ColIdx, a.ColIdx) && p.Val == nil, "another pattern")
		})
	}
}

// Whatever byte of an entry changes, but for the gaps between arrays, wherever it ends: it is noticed, by Open if that
// concerns what it says, and can be filled again.
func TestDamage(t *testing.T) {
	d := At(t.TempDir())
	a, m := small(t)
	fill(t, d, m, a)
	path := d.entry(m.Key)
	good := testkit.Must(os.ReadFile(path))

	opened := testkit.Must(d.Open(m.Key))
	header, gaps := opened.rowPtr, slices.Clone(good) // the bytes of the gaps are 1, of all others 0
	for i := range gaps {
		gaps[i] = 1
	}
	clear(gaps[:header])
	for _, p := range piecesOf(a, opened.layout) {
		clear(gaps[p.at:][:len(p.memory)])
	}
	opened.Close()

	check := func(what string, bytes []byte, atOpen bool) {
		t.Helper()
		testkit.Succeed(t, os.WriteFile(path, bytes, 0o666))
		e, err := d.Open(m.Key)
		if err != nil {
			testkit.Is(t, err, ErrDamaged, what)
			return
		}
		defer e.Close()

		testkit.Check(t, !atOpen, "%s: Open notices nothing", what)
		if b, err := e.Copy(t.Context()); b != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: Copy says %v", what, err)
		}
	}

	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1 << (i % 8)
		if gaps[i] == 0 {
			check(fmt.Sprintf("byte %d is changed", i), bad, int64(i) < header)
		}
		check(fmt.Sprintf("cut off at %d", i), good[:i], true)
	}

	check("longer", append(good[:len(good):len(good)], 0), true)

	fill(t, d, m, a)
	testkit.Must(testkit.Must(d.Open(m.Key)).Copy(t.Context()))
	other := NewKey("other")
	testkit.Succeed(t, os.Rename(path, d.entry(other)))

	testkit.Is(t, testkit.Err(d.Open(other)), ErrDamaged, "under another name")
}

// A reader sees a whole entry or none, whoever writes.
func TestFilledAtOnce(t *testing.T) {
	d := At(t.TempDir())
	a, m := example(t, "uniform", map[string]any{"rows": 3000, "cols": 3000, "row_nnz": 20})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				testkit.Succeed(t, d.Fill(context.Background(), m, a))
			}
		})

		wg.Go(func() {
			for range 20 {
				e, err := d.Open(m.Key)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				testkit.Succeed(t, errors.Join(testkit.Err(e.Copy(t.Context())), e.Close()))
			}
		})
	}

	wg.Wait()
	testkit.Equal(t, len(testkit.Must(os.ReadDir(d.path))), 1, "files that are left")
}

func TestOffAndUnwritable(t *testing.T) {
	a, m := small(t)
	var off *Dir
	testkit.Fails(t, testkit.Err(off.Open(m.Key)), "", "a cache that is off")
	testkit.Fails(t, off.Fill(t.Context(), m, a), "", "a cache that is off")

	file := filepath.Join(t.TempDir(), "file")
	testkit.Succeed(t, os.WriteFile(file, nil, 0o666))
	testkit.Fails(t, At(filepath.Join(file, "cache")).Fill(t.Context(), m, a), "", "a cache below a file")

	d := At(t.TempDir())
	testkit.Fails(t, d.room(1<<62), "free", "an entry larger than any disk")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.Is(t, d.Fill(ctx, m, a), context.Canceled, "filling after the end")

	files, _ := os.ReadDir(d.path)
	testkit.Equal(t, len(files), 0, "files that are left")
}

func TestDefault(t *testing.T) {
	for _, c := range []struct{ set, xdg, want string }{
		{"off", "/x", ""},
		{"/c", "/x", "/c"},
		{"", "/x", "/x/spmvtune/matrices"},
	} {
		t.Setenv(Env, c.set)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		testkit.Equal(t, testkit.Must(Default()).Path(), c.want, "%+v", c)
	}
}

// An entry that is cut off while it is open gives an error to those who read it.
func TestCutOff(t *testing.T) {
	d := At(t.TempDir())
	a, m := example(t, "uniform", map[string]any{"rows": 100_000, "cols": 1000, "row_nnz": 12})
	fill(t, d, m, a)
	e := testkit.Must(d.Open(m.Key))
	defer e.Close()
	testkit.Succeed(t, os.Truncate(d.entry(m.Key), 8192))
	testkit.Is(t, testkit.Err(e.Copy(t.Context())), ErrDamaged, "copied")
	testkit.Is(t, testkit.Err(e.Pattern(t.Context())), ErrDamaged, "the pattern")
}

// Features are kept: one that changes its meaning and not its name needs another
// version of the cache. The matrix has two full rows, an empty one, and one entry far
// from the diagonal.
func TestVersion(t *testing.T) {
	testkit.Equal(t, version, "3", "write down here the features of this version")
	a := &sparse.CSR[float64]{Rows: 4, Cols: 5,
		RowPtr: []int32{0, 3, 3, 4, 7}, ColIdx: []int32{0, 1, 4, 2, 0, 2, 3}, Val: make([]float64, 7)}
	text := testkit.Must(json.Marshal(sparse.Analyze(a)))

	var got map[string]float64
	testkit.Succeed(t, json.Unmarshal(text, &got))
	for name, want := range map[string]float64{
		"rows": 4, "cols": 5, "nonzeros": 7, "row_mean": 1.75, "row_std": 1.299038105676658,
		"row_min": 0, "row_p25": 0, "row_median": 1, "row_p75": 3, "row_p90": 3, "row_p99": 3, "row_max": 3,
		"empty_rows": 1, "cols_used": 5, "bandwidth": 4, "bandwidth_mean": 9.0 / 7,
		"row_skewness": -0.21383343303319471, "row_gini": 11.0 / 28, "row_max_over_mean": 12.0 / 7,
		"share_above_32": 0, "share_above_256": 0, "share_above_1024": 0,
		"row_span_mean": 7.0 / 4, "profile": 3, "col_gap_mean": 7.0 / 4, "neighbour_rate": 4.0 / 7,
		"row_similarity": 0.4444444444185744, "diagonals": 5, "pattern_symmetry": 0,
	} {
		value, there := got[name]
		testkit.Check(t, !there || value == want, "%s is %v, not %v: change version", name, value, want)
	}
}
