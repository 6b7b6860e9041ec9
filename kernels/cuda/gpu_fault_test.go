// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// The test binary is its own worker, with a backend some of whose kernels are
// broken on purpose.
func TestMain(m *testing.M) {
	if os.Getenv("SPMVTUNE_GPU_WORKER") == "" {
		os.Exit(m.Run())
	}
	open := func(d configs.Device) (kernels.Backend, error) {
		b, err := Open(d.Index, false)
		if err != nil {
			return nil, err
		}
		return brokenGPU{b.(*Backend)}, nil
	}

	requests, replies := worker.Pipes()
	if err := worker.Serve(requests, replies, open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// brokenPTX writes to an address that is nobody's, never ends, does nothing, and writes
// to the address that it is given.
const brokenPTX = `
.version 6.0
.target sm_60
.address_size 64
.visible .entry illegal() {
	.reg .b64 %p;
	mov.u64 %p, 64;
	st.global.u32 [%p], 1;
	ret;
}
.visible .entry endless() {
again:
	bra again;
}
.visible .entry lazy() {
	ret;
}
.visible .entry beside(.param .u64 end) {
	.reg .b64 %p;
	ld.param.u64 %p, [end];
	st.global.u32 [%p], 1;
	ret;
}
`

// brokenEntries are what runs instead of csr_scalar, by block.
var brokenEntries = map[int]string{64: "illegal", 96: "endless", 160: "lazy", 224: "beside"}

const exhausting = 128 // the block with which memory runs out

type brokenGPU struct{ *Backend }

func (b brokenGPU) Prepare(c kernels.Config, o kernels.Options) (kernels.Product, error) {
	if c.Block == exhausting {
		for {
			if _, err := b.arrays.alloc(8 << 30); err != nil {
				return nil, err
			}
		}
	}
	p, err := b.Backend.Prepare(c, o)
	name := brokenEntries[c.Block]
	if err != nil || name == "" {
		return p, err
	}

	mod, err := cu.LoadData(brokenPTX)
	if err != nil {
		return nil, failed(err, "loading the broken kernels")
	}
	f, err := mod.Function(name)
	if err != nil {
		return nil, failed(err, "finding %s", name)
	}
	if name == "beside" {
		end := uint64(b.current.y) + uint64(b.current.rows*b.current.v)
		return p, newProgram([]op{{function: f, grid: 1, block: 1, args: []uint64{end}}}, o.Launch).enqueue(b.stream)
	}
	b.current.program.release()
	b.current.program = newProgram([]op{{function: f, grid: 1, block: 32}}, o.Launch)
	return p, nil
}

// smallSweep begins a sweep of a small grid on a GPU; the limit of a trial is missing.
const smallSweep = `
name = "faults"
[[matrix]]
generate = "grid_5pt"
nx = 64
ny = 64
[device]
backend = "cuda"
[protocol]
samples = [3, 5]
trial_budget = "100ms"
`

// A faulty kernel costs its own trial and its worker, and nothing else.
func TestGPUFaults(t *testing.T) {
	rec := runSweep(t, map[string]string{"faults.toml": smallSweep + `
cache = "both"
timeout = "10s"
[[kernel]]
name = ["csr_scalar"]
precision = ["float32"]
block = [32, 64, 96, 128, 160, 192, 224]
grid = [7]
`})

	want := map[int]struct {
		status  trial.Status
		message string
	}{
		32: {trial.OK, ""}, 192: {trial.OK, ""},
		64:         {trial.Fault, "ILLEGAL_ADDRESS"},
		96:         {trial.Timeout, "10s"},
		exhausting: {trial.OOM, "out of memory"},
		160:        {trial.Wrong, "NaN"}, // y is poisoned, so what was never written is seen
		224:        {trial.Wrong, "outside its array y"},
	}

	testkit.Equal(t, len(rec.results), 2*len(want), "results, one for each block, cold and warm")
	for _, r := range rec.results {
		w := want[r.Block]
		if r.Status != w.status || !strings.Contains(r.Message, w.message) {
			t.Errorf("block %d, %s: %s (%q), want %s (%q)", r.Block, r.Cache, r.Status, r.Message, w.status, w.message)
		}
	}
}

// gpuRecorder keeps the results of trials in memory.
type gpuRecorder struct{ results []trial.Result }

func (*gpuRecorder) Begin(context.Context, tuner.RunInfo) error { return nil }
func (*gpuRecorder) Matrix(context.Context, trial.Matrix) error { return nil }
func (*gpuRecorder) Ask(context.Context, []string) error        { return nil }
func (*gpuRecorder) Recorded(context.Context, []string, trial.Detail) (map[string]trial.Record, error) {
	return nil, nil
}
func (r *gpuRecorder) Record(_ context.Context, res trial.Result) error {
	if !res.IsRerun() {
		r.results = append(r.results, res)
	}
	return nil
}

// runSweep runs the sweep among some files, with this program as its worker.
func runSweep(t *testing.T, texts map[string]string) *gpuRecorder {
	t.Helper()
	if *gpuQuick {
		t.Skip("quick")
	}
	dir := t.TempDir()
	for name, text := range texts {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	sweep := testkit.Must(configs.Load(filepath.Join(dir, "faults.toml")))
	rec := &gpuRecorder{}
	testkit.Must(tuner.Run(context.Background(), sweep, rec, tuner.Options{Launch: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SPMVTUNE_GPU_WORKER=1")
		return cmd
	}}))
	return rec
}

// bitsRuns is how often TestGPUDeterministic runs a configuration.
const bitsRuns = 4

// A kernel that the catalogue calls deterministic gives the same bits in every run: elsewhere in
// memory, after warm and cold products, and while another stream takes bandwidth and
// multiprocessors. Those that add by atomics are run as well: coo_atomic must be found out.
func TestGPUDeterministic(t *testing.T) {
	b := openGPU(t)
	other := otherWork(t)
	varied := map[string]int{}
	for _, spec := range []gpuMatrix{
		{"rmat", func(t *testing.T) *structure { return generated(t, "rmat", map[string]any{"scale": 15}) }},
		{"giant_row", func(t *testing.T) *structure {
			return generated(t, "giant_row", map[string]any{"rows": 60000, "giant": 50001})
		}},
		{"fem_blocks", func(t *testing.T) *structure {
			return generated(t, "fem_blocks", map[string]any{"nodes": 3000})
		}},
		{"grid_5pt", func(t *testing.T) *structure {
			return generated(t, "grid_5pt", map[string]any{"nx": 200, "ny": 200})
		}},
		{"wide", func(*testing.T) *structure { return randomRows(90, 60000, 9000, 3) }},
	} {
		m, x := withData(spec.build(t), false)
		testkit.Succeed(t, b.Load(&kernels.Problem{A: m, X: x}))
		for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
			t.Logf("%s, %s", spec.name, p)
			for _, k := range gpuSelected(t) {
				varied[k.Name] += 0
				for _, c := range gpuConfigs(k, p, m.NNZ(), []int{256, 512}, []int{264}, false) {
					same, err := sameBits(b, c, m.Rows, other)
					if err != nil {
						t.Fatalf("%s: %s: %v", spec.name, c, err)
					}
					if !same {
						varied[k.Name]++
					}
					if !same && k.Deterministic {
						t.Errorf("%s: %s gives other bits in another run", spec.name, c)
					}
				}
			}
		}
	}
	t.Logf("configurations whose bits varied, by kernel: %v", varied)
	if n, run := varied["coo_atomic"]; run && n == 0 {
		t.Error("coo_atomic gave the same bits in all runs: the test would find nothing")
	}
}

// sameBits runs a configuration several times and compares y. One that the device or the matrix
// refuses has nothing to compare.
func sameBits(b *Backend, c kernels.Config, rows int, other func(turn int) error) (bool, error) {
	first, y := make([]float64, rows), make([]float64, rows)
	for turn := range bitsRuns {
		p, err := b.Prepare(c, kernels.Options{Fresh: turn%2 == 1, Launch: kernels.Graph})
		var invalid *kernels.InvalidError
		if errors.As(err, &invalid) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if err := p.Sample(make([]float64, turn%3), 1, turn%2 == 0); err != nil {
			return false, err
		}
		if err := other(turn); err != nil {
			return false, err
		}
		if err := kernels.Compute(p, nil, y); err != nil {
			return false, err
		}

		if turn == 0 {
			copy(first, y)
		}
		for i := range y {
			if math.Float64bits(y[i]) != math.Float64bits(first[i]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// otherWork returns what keeps the device busy on a stream of its own, other each turn.
func otherWork(t *testing.T) func(turn int) error {
	t.Helper()
	const size = 64 << 20
	stream := testkit.Must(cu.MakeStream(cu.NonBlocking))
	buffer := testkit.Must(cu.MemAlloc(size))
	t.Cleanup(func() {
		testkit.Succeed(t, errors.Join(stream.Synchronize(), cu.MemFree(buffer), stream.Destroy()))
	})

	return func(turn int) error {
		for range turn {
			if err := cu.MemsetD8Async(buffer, byte(turn), size, stream); err != nil {
				return err
			}
		}
		return nil
	}
}

// ownBodies are kernels of a user's own, by name, with how their trials end. Each gets a row r and
// its sum.
var ownBodies = map[string]struct {
	body, blocks string
	status       trial.Status
	message      string
}{
	"right":      {"if (r < rows) y[r] = sum;", "", trial.OK, ""},
	"few":        {"for (; r < rows; r += 7 * BLOCK) y[r] = sum_of(r, row_ptr, col_idx, val, x);", "7", trial.OK, ""},
	"uncompiled": {"y[r] = undeclared;", "", trial.Invalid, "uncompiled.cu(14): error"},
	"crowd":      {"__shared__ SPMV_REAL s[1 << 22]; s[r] = sum; y[r] = s[r + 1];", "", trial.Invalid, "uncompiled|shared|compile"},
	"many":       {"if (r < rows) y[r] = sum;", "rows * 1000000", trial.Invalid, "blocks"},
	"beside":     {"if (r < rows) y[r] = sum; if (!r) y[rows] = 0;", "", trial.Wrong, "outside its array y"},
	"input":      {"if (r < rows) y[r] = sum; if (!r) ((SPMV_REAL *)val)[0] = 7;", "", trial.Wrong, "has changed"},
	"unequal":    {"if (r < rows) y[r] = sum + !r;", "", trial.Wrong, ""},
	"lazy":       {"if (r + 1 < rows) y[r] = sum;", "", trial.Wrong, "NaN"},
	"illegal":    {"*(int *)64 = r;", "", trial.Fault, "ILLEGAL_ADDRESS"},
	"endless":    {"while (*(volatile SPMV_REAL *)y != 12345) if (r < rows) y[r] = sum;", "", trial.Timeout, "5s"},
}

// ownHeader and ownSource are the files of a kernel of ownBodies.
const (
	ownHeader = `static __device__ SPMV_REAL sum_of(int r, const int *row_ptr, const int *col_idx, const SPMV_REAL *val,
	const SPMV_REAL *x)
{
	SPMV_REAL sum = 0;
	for (int k = row_ptr[r]; k < row_ptr[r + 1]; k++) sum += val[k] * x[col_idx[k]];
	return sum;
}
`
	ownSource = `#include "sum.h"
extern "C" __global__ void NAME(int rows, int cols, int nonzeros,
	const int *row_ptr,
	const int *col_idx,
	const SPMV_REAL *val,
	const SPMV_REAL *x,
	SPMV_REAL *y)
{
	int r = blockIdx.x * BLOCK + threadIdx.x;
	SPMV_REAL sum = 0;

	if (r < rows)
		sum = sum_of(r, row_ptr, col_idx, val, x);
	BODY
}
`
)

// Kernels of a user's own are compiled on the machine and measured; broken ones cost their own trials
// and nothing else.
func TestGPUFaultsOwn(t *testing.T) {
	t.Setenv("SPMVTUNE_CACHE", t.TempDir())
	sweep := smallSweep + "cache = \"warm\"\ntimeout = \"5s\"\n[[kernel]]\nname = [\"csr_scalar\"]\nblock = [32]\ngrid = [7]\n"
	texts := map[string]string{"sum.h": ownHeader}
	for name, k := range ownBodies {
		texts[name+".cu"] = strings.NewReplacer("NAME", name, "BODY", k.body).Replace(ownSource)
		sweep += fmt.Sprintf("[[kernel]]\nname = %q\nsource = \"%s.cu\"\nblock = [32]\n", name, name)
		if k.blocks != "" {
			sweep += fmt.Sprintf("blocks = %q\n", k.blocks)
		}
	}
	texts["faults.toml"] = sweep
	rec := runSweep(t, texts)

	seen := map[string]int{}
	for _, r := range rec.results {
		if r.IsRerun() {
			continue
		}
		seen[r.Kernel]++
		want := ownBodies[r.Kernel]
		if r.Kernel == "csr_scalar" {
			want.status = trial.OK
		}
		said := slices.ContainsFunc(strings.Split(want.message, "|"),
			func(part string) bool { return strings.Contains(r.Message, part) })
		if r.Status != want.status || !said {
			t.Errorf("%s: %s (%q), want %s (%q)", r.Config, r.Status, r.Message, want.status, want.message)
		} else {
			t.Logf("%s: %s %s", r.Config, r.Status, r.Message)
		}
	}
	for name := range ownBodies {
		testkit.Equal(t, seen[name], 2, "%s: trials, one for each precision", name)
	}
}
