package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// fakeGPUs makes this program one that is built with CUDA, on a machine with as many
// GPUs as it says. With "2 broken" the second fails once the first has begun.
const fakeGPUs = "SPMVTUNE_TEST_GPUS"

// fakeCUDA is what such a program does.
func fakeCUDA(gpus string, args []string) int {
	count, broken, _ := strings.Cut(gpus, " ")
	n, _ := strconv.Atoi(count)
	open := func(d configs.Device) (kernels.Backend, error) {
		if d.Index >= n {
			return nil, fmt.Errorf("there is no GPU %d", d.Index)
		}
		return &fakeGPU{index: d.Index, breaks: broken != ""}, nil
	}
	var err error
	if args[0] == "worker" {
		requests, replies := worker.Pipes()
		err = worker.Serve(requests, replies, open)
	} else { // device --index N
		index, _ := strconv.Atoi(args[2])
		var b kernels.Backend
		if b, err = open(configs.Device{Index: index}); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(b.Device())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

// A fakeGPU computes on the processor.
type fakeGPU struct {
	index  int
	breaks bool // GPU 1 fails, after a trial of GPU 0 and long before its last
	p      *kernels.Problem
	y      []float64
}

func (g *fakeGPU) Device() kernels.Device {
	return kernels.Device{Backend: "cuda", Name: "NVIDIA H100 of tests", Driver: "1", Units: 4, MaxBlock: 1024,
		Properties: map[string]string{"uuid": fmt.Sprintf("GPU-%d", g.index)}}
}

// Energy is not counted.
func (g *fakeGPU) Energy() float64 { return 0 }

func (g *fakeGPU) Sense() (kernels.Reading, error) {
	return kernels.Reading{SMClock: 1980 - g.index, HasReasons: true}, nil
}
func (g *fakeGPU) Source(kernel string) string   { return kernel }
func (g *fakeGPU) Load(p *kernels.Problem) error { g.p = p; return nil }
func (g *fakeGPU) Info() kernels.ProductInfo {
	return kernels.ProductInfo{BytesFormat: 100, BytesKernel: 200}
}
func (g *fakeGPU) Close() error                                                     { return nil }
func (g *fakeGPU) Prepare(kernels.Config, kernels.Options) (kernels.Product, error) { return g, nil }
func (g *fakeGPU) Roof() (kernels.Roof, error) {
	if g.breaks && g.index == 1 {
		for _, err := os.Stat(g.lock() + ".begun"); err != nil; _, err = os.Stat(g.lock() + ".begun") {
			time.Sleep(time.Millisecond)
		}
		return kernels.Roof{}, errors.New("the GPU has fallen off the bus")
	}
	return kernels.Roof{Read: 10, Copy: 10, Triad: 10}, nil
}

// lock is how the names of files begin that say what the devices do.
func (g *fakeGPU) lock() string { return os.Getenv(fakeGPUs + "_LOCK") }

// Multiply fails where another trial is on the device.
func (g *fakeGPU) Multiply(x []float64) error {
	if x == nil {
		x = g.p.X
	}
	g.y = make([]float64, g.p.A.Rows)
	y := g.y
	if g.breaks {
		if err := os.WriteFile(g.lock()+".begun", nil, 0o666); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
	lock := fmt.Sprintf("%s.%d", g.lock(), g.index)
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	defer f.Close()
	time.Sleep(5 * time.Millisecond)
	for i := range y {
		y[i] = 0
		cols, vals := g.p.A.Row(i)
		for k, c := range cols {
			y[i] += vals[k] * x[c]
		}
	}
	return nil
}

func (g *fakeGPU) Poison() error { return nil }

func (g *fakeGPU) Result(y []float64) error {
	copy(y, g.y)
	return nil
}

func (g *fakeGPU) Sample(dst []float64, _ int, _ bool) error {
	for i := range dst {
		dst[i] = 1e-3 + float64(i)*1e-6
	}
	return nil
}

// mixedSweep has kernels of the processor, too, which only one worker measures.
const mixedSweep = `name = "mixed"
[protocol]
sentinel = 0
finals = 0
cache = "warm"
trial_budget = "2ms"
[[matrix]]
name = "a"
generate = "grid_5pt"
nx = 30
ny = 30
[[kernel]]
name = "cpu_csr"
grid = [1]
[[kernel]]
name = "csr_scalar"
block = { from = 32, to = 1024, step = 32 }
grid = "auto"
[slurm]
gres = "gpu:h100:2"
gpus_per_task = 2
`

// gpuTask runs a task on a machine with some GPUs, and returns its exit code, what it
// said and the journals' trials and ends by worker.
func gpuTask(t *testing.T, text, gpus string) (code int, said string, trials map[int][]*journal.Trial, ends map[int]journal.End) {
	t.Helper()
	sweep, err := configs.Parse(filepath.Join(t.TempDir(), "mixed.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program := filepath.Join(bin, "spmvtune")
	self, err := os.Executable()
	if err == nil {
		err = exec.Command("cp", self, program).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	// The one beside it is copied into the run with it.
	script := fmt.Sprintf("#!/bin/bash\n%s='%s' %s_LOCK='%s' exec -a spmvtune \"${0%%/*}/spmvtune\" \"$@\"\n",
		fakeGPUs, gpus, fakeGPUs, filepath.Join(t.TempDir(), "lock"))
	if err := os.WriteFile(filepath.Join(bin, "spmvtune-cuda"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	run, err := slurm.Create(t.TempDir(), sweep, slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001",
		Pieces: []slurm.Piece{{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}}}}}, program, "test")
	if err != nil {
		t.Fatal(err)
	}
	out, err := startTask(t, run).CombinedOutput()
	code, said = ended(t, err), string(out)
	trials, ends = map[int][]*journal.Trial{}, map[int]journal.End{}
	names, err := journal.List(run.Path("journals"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for rec, err := range journal.Read(t.Context(), run.Path("journals", name.String())) {
			switch {
			case err != nil:
				t.Fatal(err)
			case rec.Trial != nil && !rec.Trial.Spread: // no repetition
				trials[name.Worker] = append(trials[name.Worker], rec.Trial)
			case rec.End != nil:
				ends[name.Worker] = *rec.End
			}
		}
	}
	return code, said, trials, ends
}

// With gpus_per_task each GPU has a worker with a share of every piece, and each
// trial is alone on its device.
func TestTaskOnGPUs(t *testing.T) {
	code, said, trials, ends := gpuTask(t, mixedSweep, "2")
	if code != command.ExitOK || len(ends) != 3 {
		t.Fatalf("exit code %d, ends %+v:\n%s", code, ends, said)
	}
	seen := map[string]bool{}
	for worker, list := range trials {
		for _, r := range list {
			want := map[string]string{"cpu_csr": "", "csr_scalar": fmt.Sprintf("GPU-%d", worker-1)}[r.Kernel]
			if r.Status != trial.OK || r.Run.Origin.UUID != want || seen[r.ID] {
				t.Errorf("worker %d has %s: %s %s on %s, before: %v", worker, r.Config, r.Status, r.Message, r.Run.Origin.UUID, seen[r.ID])
			}
			if tel := r.Telemetry; worker > 0 && (tel == nil || tel.SMClock != 1981-worker) || worker == 0 && tel != nil {
				t.Errorf("worker %d has the telemetry %+v", worker, tel)
			}
			seen[r.ID] = true
		}
	}
	if a, b := len(trials[1]), len(trials[2]); len(trials[0]) != 1 || a+b == 0 || a != b {
		t.Errorf("the workers have %d, %d and %d trials:\n%s", len(trials[0]), a, b, said)
	}
	for worker, want := range map[int]trial.Part{0: {Index: 1, Of: 2}, 1: {Index: 2, Of: 4}, 2: {Index: 3, Of: 4}} {
		if p := ends[worker].Pieces; len(p) != 1 || p[0].IDs == "" ||
			p[0] != (trial.Piece{Matrix: "a", Part: want, Complete: true, IDs: p[0].IDs}) {
			t.Errorf("worker %d ends with %+v", worker, p)
		}
	}
}

// When a worker can't go on, the others end after their running trial.
func TestTaskOnBrokenGPU(t *testing.T) {
	code, said, trials, ends := gpuTask(t, mixedSweep, "2 broken")
	if code != command.ExitFailed || !strings.Contains(said, "fallen off the bus") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	if len(trials[1]) == 0 || len(trials[2]) > 0 {
		t.Errorf("%d and %d trials", len(trials[1]), len(trials[2]))
	}
	for worker, end := range ends {
		if !strings.Contains(end.Reason, "fallen off the bus") || end.Pieces[0].Complete {
			t.Errorf("worker %d ends with %+v", worker, end)
		}
	}
	for _, r := range trials[1] {
		if r.Status != trial.OK {
			t.Errorf("a trial is broken off: %s %s", r.Status, r.Message)
		}
	}
}

// What is asked for and not there is said before anything is measured.
func TestTaskWithoutItsGPUs(t *testing.T) {
	for name, c := range map[string]struct{ from, to, gpus, want string }{
		"too few":    {gpus: "1", want: "gpus_per_task is 2 and only 1 answer"},
		"none":       {gpus: "0", want: "this sweep needs a GPU (csr_scalar) and none answers"},
		"other type": {from: "h100", to: "a30", gpus: "2", want: "n1 has NVIDIA H100 of tests, but [slurm] asks for a GPU of type a30"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said, trials, ends := gpuTask(t, strings.Replace(mixedSweep, c.from, c.to, 1), c.gpus)
			if code != command.ExitFailed || !strings.Contains(said, c.want) || len(trials) > 0 || ends[0].Pieces[0].Complete {
				t.Errorf("exit code %d, %d trials, ends %+v:\n%s", code, len(trials), ends, said)
			}
		})
	}
	// Where nobody asked for one, the rest is measured, as run does.
	text, _, _ := strings.Cut(mixedSweep, "[slurm]")
	if code, said, trials, ends := gpuTask(t, text, "0"); code != command.ExitOK || len(trials[0]) != 1 || !ends[0].Pieces[0].Complete {
		t.Errorf("exit code %d, %d trials, ends %+v:\n%s", code, len(trials[0]), ends, said)
	}
}
