//go:build cuda

package cuda

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// The test binary is its own worker, with a backend some of whose kernels are
// broken on purpose.
func TestMain(m *testing.M) {
	if os.Getenv("SPMVTUNE_GPU_WORKER") == "" {
		os.Exit(m.Run())
	}
	open := func(d configs.Device) (kernels.Backend, error) {
		b, err := Open(d.Index)
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

// A faulty kernel costs its own trial and its worker, and nothing else.
func TestGPUFaults(t *testing.T) {
	if *gpuQuick {
		t.Skip("quick")
	}
	path := filepath.Join(t.TempDir(), "faults.toml")
	err := os.WriteFile(path, []byte(`
name = "faults"
[protocol]
cache = "both"
samples = [3, 5]
trial_budget = "100ms"
timeout = "10s"
[[matrix]]
generate = "grid_5pt"
nx = 64
ny = 64
[[kernel]]
name = ["csr_scalar"]
precision = ["float32"]
block = [32, 64, 96, 128, 160, 192, 224]
grid = [7]
[device]
backend = "cuda"
`), 0o644)
	if err != nil {
		t.Fatal(err)
	}

	rec := runSweep(t, path)

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

	if len(rec.results) != 2*len(want) {
		t.Errorf("%d results, want %d: one for each block, cold and warm", len(rec.results), 2*len(want))
	}
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
	if !res.NoiseRerun { // a repetition
		r.results = append(r.results, res)
	}
	return nil
}

// runSweep runs a sweep, with this program as its worker.
func runSweep(t *testing.T, path string) *gpuRecorder {
	t.Helper()
	sweep, err := configs.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	rec := &gpuRecorder{}
	_, err = tuner.Run(context.Background(), sweep, rec, tuner.Options{Launch: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SPMVTUNE_GPU_WORKER=1")
		return cmd
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
