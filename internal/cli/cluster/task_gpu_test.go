package cluster_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/clitest"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
	"spmvtune/store"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// mixedSweep has kernels of the processor, too.
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

// gpuTask runs a task on a machine with some GPUs, and returns its exit code, what it said, and the trials and
// the end of its journal.
func gpuTask(t *testing.T, text, gpus string) (code int, said string, trials []*journal.Trial, end journal.End) {
	t.Helper()
	sweep := slurmtest.Parsed(t, t.TempDir(), text)
	run, err := slurm.Create(t.TempDir(), sweep, slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001",
		Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}}}}}, clitest.WithGPUs(t, gpus), "test")
	slurmlab.Must(t, err)
	out, err := startTask(t, run).CombinedOutput()
	code, said = ended(t, err), string(out)
	for _, rec := range slurmtest.Lines(t, run) {
		switch {
		case rec.Trial != nil && !rec.Trial.NoiseRerun: // no repetition
			trials = append(trials, rec.Trial)
		case rec.End != nil:
			end = *rec.End
		}
	}
	return code, said, trials, end
}

// With gpus_per_task, or where all GPUs are asked for, each GPU has a share of the only matrix. Each trial is
// alone on its device, and is recorded with it.
func TestTaskOnGPUs(t *testing.T) {
	all := strings.Replace(mixedSweep, "gpus_per_task = 2", "[device]\nindex = \"all\"", 1)
	for name, text := range map[string]string{"gpus_per_task": mixedSweep, "all": all} {
		t.Run(name, func(t *testing.T) { testTaskOnGPUs(t, text) })
	}
}

func testTaskOnGPUs(t *testing.T, text string) {
	code, said, trials, end := gpuTask(t, text, "2")
	if code != command.ExitOK || !strings.Contains(said, "device: 2 × NVIDIA H100 of tests") {
		t.Fatalf("exit code %d, end %+v:\n%s", code, end, said)
	}
	seen, on := map[string]bool{}, map[string]int{}
	for _, r := range trials {
		uuid := r.Run.Origin.UUID
		if r.Status != trial.OK || seen[r.ID] {
			t.Errorf("%s on %s is %s: %s, before: %v", r.Config, uuid, r.Status, r.Message, seen[r.ID])
		}
		clocks := map[string]int{"GPU-0": 1980, "GPU-1": 1979}
		if tel := r.Telemetry; uuid != "" && (tel == nil || tel.SMClock != clocks[uuid]) || uuid == "" && tel != nil {
			t.Errorf("a trial on %q has the telemetry %+v", uuid, tel)
		}
		seen[r.ID] = true
		on[uuid]++
	}
	if on[""] != 1 || on["GPU-0"] == 0 || on["GPU-0"] != on["GPU-1"] || len(on) != 3 {
		t.Errorf("trials of each device: %v\n%s", on, said)
	}
	if p := end.Pieces; len(p) != 1 || p[0].Part != (trial.Part{Index: 1, Of: 2}) || !p[0].Complete || p[0].IDs == "" {
		t.Errorf("the task ends with %+v", p)
	}
}

// When a GPU can't go on, the other one measures its share, too.
func TestTaskOnBrokenGPU(t *testing.T) {
	code, said, trials, end := gpuTask(t, mixedSweep, "2 broken")
	if code != command.ExitOK || !end.Pieces[0].Complete || !strings.Contains(said, "GPU 1 does not answer any more") ||
		!strings.Contains(said, "fallen off the bus") {
		t.Errorf("exit code %d, end %+v:\n%s", code, end, said)
	}
	_, _, all, _ := gpuTask(t, mixedSweep, "2")
	testkit.Equal(t, len(trials), len(all), "trials")
	for _, r := range trials {
		if r.Status != trial.OK || r.Run.Origin.UUID == "GPU-1" {
			t.Errorf("a trial on %s is %s: %s", r.Run.Origin.UUID, r.Status, r.Message)
		}
	}
}

// What is asked for and not there is said before anything is measured on a GPU.
func TestTaskWithoutItsGPUs(t *testing.T) {
	for name, c := range map[string]struct{ from, to, gpus, want string }{
		"too few":    {gpus: "1", want: "gpus_per_task is 2, and there is no GPU 1: CUDA sees 1"},
		"none":       {gpus: "0", want: "this sweep needs a GPU (csr_scalar) and none answers"},
		"other type": {from: "h100", to: "a30", gpus: "2", want: "n1 has NVIDIA H100 of tests, but [slurm] asks for a GPU of type a30"},
		"two types":  {gpus: "2 mixed", want: "GPU 0 is NVIDIA H100 of tests and GPU 1 is NVIDIA A30 of tests"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said, trials, end := gpuTask(t, strings.Replace(mixedSweep, c.from, c.to, 1), c.gpus)
			onGPU := slices.ContainsFunc(trials, func(r *journal.Trial) bool { return r.Run.Device.Backend == "cuda" })
			if code != command.ExitFailed || !strings.Contains(said, c.want) || onGPU || end.Pieces[0].Complete {
				t.Errorf("exit code %d, %d trials, end %+v:\n%s", code, len(trials), end, said)
			}
		})
	}
	// Where nobody asked for one, the rest is measured, as run does.
	text, _, _ := strings.Cut(mixedSweep, "[slurm]")
	if code, said, trials, end := gpuTask(t, text, "0"); code != command.ExitOK || len(trials) != 1 || !end.Pieces[0].Complete {
		t.Errorf("exit code %d, %d trials, end %+v:\n%s", code, len(trials), end, said)
	}
}

// Tasks of each kind measure the whole sweep on devices of their own type, into one database.
func TestTasksOfTwoKinds(t *testing.T) {
	text := strings.Replace(mixedSweep, "gres = \"gpu:h100:2\"\ngpus_per_task = 2\n",
		"[[slurm.array]]\ngres = \"gpu:h100:1\"\n[[slurm.array]]\ngres = \"gpu:a30:1\"\n", 1)
	sweep := slurmtest.Parsed(t, t.TempDir(), text)
	plan, err := slurm.Cut(sweep, slurm.CutOptions{Target: time.Hour, Devices: map[string]kernels.Device{}})
	if err != nil || len(plan.Chunks) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	run, err := slurm.Create(t.TempDir(), sweep, plan, clitest.WithGPUs(t, "1 by task"), "test")
	slurmlab.Must(t, err)
	for _, task := range []string{"0", "1", "1"} { // the last one finds everything measured
		cmd := startTask(t, run)
		slurmlab.Must(t, os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001", "0002"]`), 0o666))
		cmd.Env = append(cmd.Env, "SLURM_ARRAY_TASK_ID="+task)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("task %s: %v\n%s", task, err, out)
		}
	}
	testkit.Must(status.Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil }))
	db, err := store.OpenReadOnly(run.Path("results.db"))
	slurmlab.Must(t, err)
	defer db.Close()
	table, err := db.Query(t.Context(), `SELECT device, count(*) FROM results WHERE kernel = 'csr_scalar' GROUP BY 1 ORDER BY 1`)
	if err != nil || len(table.Rows) != 2 || table.Rows[0][0] != "NVIDIA A30 of tests" || table.Rows[0][1] != table.Rows[1][1] {
		t.Errorf("%v, %v", table, err)
	}
}
