// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
)

var regen = flag.Bool("regen", false, "note the digests of the sources of a measurement")

// measurement lists the sources that decide what a sample is, and when a trial is good.
var measurement = []string{
	"judge.go", "measure.go", "meter.go", "reference.go",
	"../../kernels/cpu/product.go", "../../kernels/cpu/sample.go",
	"../../kernels/cuda/judge.cu", "../../kernels/cuda/judge.go", "../../kernels/cuda/judge_cuda.go",
	"../../kernels/cuda/gate.cu", "../../kernels/cuda/launch_cuda.c", "../../kernels/cuda/launch_cuda.go",
	"../../kernels/cuda/launch_cuda.h", "../../kernels/cuda/product_cuda.go", "../../kernels/cuda/cuda.go",
}

// The code that decides what a sample is does not change without somebody asking whether
// the version of the measurement must change, too.
func TestVersion(t *testing.T) {
	const noted = "testdata/measurement"
	lines := []string{fmt.Sprintf("version %d", Version)}
	for _, path := range measurement {
		lines = append(lines, digest(t, path)+" "+path)
	}
	text := strings.Join(lines, "\n") + "\n"
	if *regen {
		testkit.Succeed(t, os.WriteFile(noted, []byte(text), 0o666))
	}

	want := testkit.Must(os.ReadFile(noted))
	old := strings.Split(string(want), "\n")
	changed := slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(old, line) })
	if string(want) != text {
		t.Errorf(`The code that decides what a sample is has changed:
    %s
If samples mean something else now, so that old and new times can't be compared:
raise Version in tuner/worker/wire.go and describe it there. Otherwise leave it.
In both cases, then note the new digests:
    go test ./tuner/worker -run TestVersion -regen`, strings.Join(changed, "\n    "))
	}
}

// Comments and layout are not code.
var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	blanks  = regexp.MustCompile(`\s+`)
)

// digest returns the digest of a source's code, without comments, layout and, in Go, the
// package and its imports.
func digest(t *testing.T, path string) string {
	t.Helper()
	source := testkit.Must(os.ReadFile(path))

	code := blanks.ReplaceAllString(comment.ReplaceAllString(string(source), ""), " ")
	if filepath.Ext(path) == ".go" {
		files := token.NewFileSet()
		file := testkit.Must(parser.ParseFile(files, path, source, parser.ImportsOnly))
		end := file.Name.End()
		if n := len(file.Decls); n > 0 {
			end = file.Decls[n-1].End()
		}
		code = cpu.Tokens(source[files.Position(end).Offset:])
	}
	return fmt.Sprintf("%.12x", sha256.Sum256([]byte(code)))
}

// A loading is a backend that takes any matrix.
type loading struct{ onlyDevice }

func (loading) Load(*kernels.Problem) error { return nil }

// What was read for a matrix before the device is opened is what a load of it takes, and of no other. What was to come
// before it is let go.
func TestReady(t *testing.T) {
	t.Setenv(cache.Env, "off")
	of := func(nx int64) *LoadRequest {
		return &LoadRequest{Matrix: configs.Matrix{Name: "grid", Generate: "grid_5pt",
			Args: map[string]any{"nx": nx, "ny": int64(4)}}, Seed: 1}
	}
	for nx, want := range map[int64]bool{5: true, 6: false} {
		skipped := testkit.Must(os.Open(os.DevNull))
		w := &server{coming: []ready{{held: skipped}}}
		if rep := w.answer(Request{Ready: of(5)}); rep.Err != "" {
			t.Fatal(rep.Err)
		}
		w.backend = loading{}
		read := w.coming[1].problem
		rep := w.answer(Request{Load: of(nx)})
		testkit.Check(t, rep.Err == "" && w.problem.A.Rows == int(4*nx) && (len(w.coming) == 0) == want,
			"%d: %s, %d rows, %d to come", nx, rep.Err, w.problem.A.Rows, len(w.coming))
		testkit.Equal(t, w.problem == read, want, "%d: taken", nx)
		testkit.Equal(t, skipped.Close() != nil, want, "%d: what came before is closed", nx)
	}
}

// A countedBackend computes products and notes how many lie between the profiler's marks.
type countedBackend struct {
	kernels.Backend
	kernels.Product
	p            *kernels.Problem
	y            []float64
	on           bool
	counted, all int
	wrongWhenOn  bool
	marks        []bool // cold, each time that counting begins
	name         string
}

func (b *countedBackend) Device() kernels.Device {
	return kernels.Device{Backend: "cuda", Name: b.name}
}
func (b *countedBackend) Load(p *kernels.Problem) error {
	b.p = p
	b.y = make([]float64, p.A.Rows)
	return nil
}
func (b *countedBackend) Source(string) string      { return "" }
func (b *countedBackend) Close() error              { return nil }
func (b *countedBackend) Info() kernels.ProductInfo { return kernels.ProductInfo{} }
func (b *countedBackend) Result(y []float64) error  { copy(y, b.y); return nil }
func (b *countedBackend) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = b.y[i]
	}
	return nil
}
func (b *countedBackend) Prepare(kernels.Config, kernels.Options) (kernels.Product, error) {
	return b, nil
}

func (b *countedBackend) Poison() error {
	for i := range b.y {
		b.y[i] = 1e30
	}
	return nil
}

func (b *countedBackend) Multiply([]float64) error {
	if b.all++; b.on {
		b.counted++
	}
	for i := range b.y {
		b.y[i] = 0
		cols, vals := b.p.A.Row(i)
		for k, c := range cols {
			b.y[i] += vals[k] * b.p.X[c]
		}
	}
	if b.on && b.wrongWhenOn {
		b.y[3] *= 1.5
	}
	return nil
}

func (b *countedBackend) Profile(on, cold bool) error {
	if b.on = on; on {
		b.marks = append(b.marks, cold)
	}
	return nil
}

// A profiler counts as many products of each trial as it is to, and no other; what they compute is
// verified. Nothing is counted on another device or of another matrix.
func TestCount(t *testing.T) {
	spec := configs.Matrix{Name: "grid", Generate: "grid_5pt", Args: map[string]any{"nx": int64(20), "ny": int64(30)}}
	_, m, err := matrix.Load(t.Context(), spec)
	testkit.Succeed(t, err)
	of := func(hash string) []trial.Trial {
		c := kernels.Config{Kernel: "coo_atomic", Precision: kernels.Float32, Block: 64}
		return []trial.Trial{{Matrix: hash, Config: c, Cache: trial.Warm}, {Matrix: hash, Config: c, Cache: trial.Cold}}
	}
	for _, tt := range []struct {
		device, hash string
		wrong        bool
		err          string
	}{
		{"card", m.Hash, false, ""},
		{"card", m.Hash, true, "the product is wrong: after the samples: row 3"},
		{"card", "another", false, "grid is not the matrix that was measured"},
		{"other card", m.Hash, false, "the trial was measured on other card, and this is card"},
	} {
		b := &countedBackend{name: "card", wrongWhenOn: tt.wrong}
		open := func(configs.Device) (kernels.Backend, error) { return b, nil }
		err := Count(open, kernels.Device{Backend: "cuda", Name: tt.device}, spec, of(tt.hash), 3, nil, "")
		switch {
		case tt.err == "" && (err != nil || b.counted != 6 || b.all <= b.counted || len(b.marks) != 2 || b.marks[0] || !b.marks[1]):
			t.Errorf("%d of %d products counted, caches cold: %v; %v", b.counted, b.all, b.marks, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
