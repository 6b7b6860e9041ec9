// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/clitest"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// A prepared is a run that was made without Slurm.
type prepared struct {
	terminal
	run *slurm.Run
	all int // all is the number of its trials.
}

func prepare(t *testing.T, text, chunk string) prepared {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("SLURM_JOB_ID", "")
	testkit.Succeed(t, os.WriteFile("small.toml", []byte(text), 0o666))
	program := testkit.Must(exec.LookPath("spmvtune"))
	t.Setenv("PATH", "/nowhere:"+filepath.Dir(program))
	var s struct {
		Dir  string
		Jobs []any
		Plan struct{ Chunks, Trials int }
	}
	p := prepared{terminal: here(t)}
	testkit.Succeed(t, json.Unmarshal([]byte(p.do(0, "submit", "small.toml", "--prepare-only", "--chunk", chunk, "--json")), &s))
	testkit.Require(t, len(s.Jobs) == 0 && s.Plan.Chunks >= 4, "prepared %+v", s)
	p.all = s.Plan.Trials
	p.run = slurmtest.Opened(t, s.Dir)
	return p
}

// next starts a process that takes chunks.
func (p prepared) next(out *strings.Builder) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command("spmvtune", "task", p.run.Dir, "--next")
	cmd.Stdout, cmd.Stderr = out, out
	testkit.Succeed(p.t, cmd.Start())
	return cmd
}

// times counts how often each trial is in a journal.
func (p prepared) times() map[string]int {
	p.t.Helper()
	times := map[string]int{}
	for _, line := range slurmtest.Lines(p.t, p.run) {
		if line.Trial != nil {
			times[line.Trial.ID]++
		}
	}
	return times
}

// once checks that every trial was measured once.
func (p prepared) once() {
	p.t.Helper()
	times := p.times()
	if len(times) != p.all {
		p.t.Errorf("%d of %d trials were measured", len(times), p.all)
	}
	for id, n := range times {
		if n != 1 {
			p.t.Errorf("trial %s was measured %d times", id, n)
		}
	}
}

// complete checks that every trial was measured once, and that merge has them all.
func (p prepared) complete() {
	p.t.Helper()
	p.once()
	if s := p.status(p.run.Dir); s.Counts.Done != s.Counts.All {
		p.t.Errorf("the status is %+v", s)
	}
	p.do(0, "merge", p.run.Dir)
}

// Processes side by side measure each trial once, and go on where one was killed, without Slurm, and
// after the folder was moved.
func TestOwnLauncher(t *testing.T) {
	p := prepare(t, taskSweep, "1s")
	s := p.status(p.run.Dir)
	testkit.Check(t, s.Counts.Never == s.Counts.All, "the status of a prepared run is %+v", s)
	out := p.do(0, "status", p.run.Dir)
	testkit.Check(t, strings.Contains(out, "--next") && !strings.Contains(out, "retry"),
		"its status does not say how to measure:\n%s", out)

	var outs [3]strings.Builder
	var workers []*exec.Cmd
	for i := range outs {
		workers = append(workers, p.next(&outs[i]))
	}
	for len(p.times()) < 10 {
		time.Sleep(20 * time.Millisecond)
	}
	s = p.status(p.run.Dir)
	testkit.Check(t, s.Counts.Running != 0, "the status of a run that is measured is %+v", s)
	killed := workers[0]
	killed.Process.Kill()
	for i, w := range workers {
		if code := ended(t, w.Wait()); w != killed && code != 0 {
			t.Errorf("process %d ends with %d:\n%s", i, code, outs[i].String())
		}
	}

	moved := filepath.Join(t.TempDir(), "moved")
	testkit.Succeed(t, os.Rename(p.run.Dir, moved))
	p.run.Dir = moved
	for _, array := range []string{"-1", "2"} {
		p.says(2, "task "+moved+" --next --array "+array, "1 to 1")
	}
	p.do(0, "task", moved, "--next")
	p.complete()
	p.says(0, "task "+p.run.Dir+" --next", "this process took 0 chunks")
}

// Tasks of Slurm and other processes leave each other's chunks alone, and --next leaves one at which
// attempts fail.
func TestOwnLauncherBesideSlurm(t *testing.T) {
	run, _ := createTaskOf(t, t.TempDir(), fewTrials)
	p := prepared{terminal: here(t), run: run}
	claim := testkit.Must(run.Take("0001"))
	out, err := startTask(t, run).CombinedOutput()
	code := ended(t, err)
	testkit.Check(t, code == 1 && strings.Contains(string(out), "another process measures this chunk"),
		"a task whose chunk is claimed ends with %d:\n%s", code, out)
	p.do(75, "task", run.Dir, "--chunk", "1")
	release := func(empty int) {
		t.Helper()
		claim.EmptyAttempts = empty
		testkit.Succeed(t, run.Release(claim, false))
	}
	takes := func(n int) {
		t.Helper()
		p.says(0, "task "+run.Dir+" --next", "took "+term.Count(n, "chunk", "chunks"))
	}

	release(0)
	takes(0) // sent
	testkit.Succeed(t, os.Remove(run.Path("rounds", "001.json")))
	release(3)
	takes(0)
	release(2)
	takes(1)
	testkit.Equal(t, p.status(p.run.Dir).Counts.Done, 1, "the status is")
}

// A run whose constraints leave nothing to measure says so, as one on this machine does.
func TestNothingLeftToMeasure(t *testing.T) {
	text := strings.Replace(fewTrials, "grid = [1, 2]", "grid = [1, 2]\nwhere = \"block > 5000\"", 1)
	run, _ := createTaskOf(t, t.TempDir(), text)
	p := prepared{terminal: here(t), run: run}
	p.do(0, "task", run.Dir, "--next")
	p.says(3, "merge "+run.Dir, "no configuration is left to measure (skipped: where = block > 5000)")
}

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
	testkit.Succeed(t, err)
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
	testkit.Require(t, code == command.ExitOK && strings.Contains(said, "device: 2 × NVIDIA H100 of tests"),
		"exit code %d, end %+v:\n%s", code, end, said)
	seen, on := map[string]bool{}, map[string]int{}
	for _, r := range trials {
		uuid := r.Run.Origin.UUID
		testkit.Check(t, r.Status == trial.OK && !seen[r.ID],
			"%s on %s is %s: %s, before: %v", r.Config, uuid, r.Status, r.Message, seen[r.ID])
		clocks := map[string]int{"GPU-0": 1980, "GPU-1": 1979}
		if tel := r.Telemetry; uuid != "" && (tel == nil || tel.SMClock != clocks[uuid]) || uuid == "" && tel != nil {
			t.Errorf("a trial on %q has the telemetry %+v", uuid, tel)
		}
		seen[r.ID] = true
		on[uuid]++
	}
	testkit.Check(t, on[""] == 1 && on["GPU-0"] != 0 && on["GPU-0"] == on["GPU-1"] && len(on) == 3,
		"trials of each device: %v\n%s", on, said)
	p := end.Pieces
	testkit.Check(t, len(p) == 1 && p[0].Part == (trial.Part{Index: 1, Of: 2}) && p[0].Complete && p[0].IDs != "",
		"the task ends with %+v", p)
}

// When a GPU can't go on, the other one measures its share, too.
func TestTaskOnBrokenGPU(t *testing.T) {
	code, said, trials, end := gpuTask(t, mixedSweep, "2 broken")
	testkit.Check(t, code == command.ExitOK && end.Pieces[0].Complete &&
		strings.Contains(said, "GPU 1 does not answer any more") && strings.Contains(said, "fallen off the bus"),
		"exit code %d, end %+v:\n%s", code, end, said)
	_, _, all, _ := gpuTask(t, mixedSweep, "2")
	testkit.Equal(t, len(trials), len(all), "trials")
	for _, r := range trials {
		testkit.Check(t, r.Status == trial.OK && r.Run.Origin.UUID != "GPU-1",
			"a trial on %s is %s: %s", r.Run.Origin.UUID, r.Status, r.Message)
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
			testkit.Check(t, code == command.ExitFailed && strings.Contains(said, c.want) && !onGPU && !end.Pieces[0].Complete,
				"exit code %d, %d trials, end %+v:\n%s", code, len(trials), end, said)
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
	plan := testkit.Must(slurm.Cut(sweep, slurm.CutOptions{Target: time.Hour, Devices: map[string]kernels.Device{}}))
	testkit.Require(t, len(plan.Chunks) == 2, "%+v", plan)
	run := testkit.Must(slurm.Create(t.TempDir(), sweep, plan, clitest.WithGPUs(t, "1 by task"), "test"))
	for _, task := range []string{"0", "1", "1"} { // the last one finds everything measured
		cmd := startTask(t, run)
		testkit.Succeed(t, os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001", "0002"]`), 0o666))
		cmd.Env = append(cmd.Env, "SLURM_ARRAY_TASK_ID="+task)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("task %s: %v\n%s", task, err, out)
		}
	}
	testkit.Must(status.Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil }))
	db := testkit.Must(store.OpenReadOnly(run.Path("results.db")))
	defer db.Close()
	table := testkit.Must(db.Query(t.Context(), `SELECT device, count(*) FROM results WHERE kernel = 'csr_scalar' GROUP BY 1 ORDER BY 1`))
	testkit.Check(t, len(table.Rows) == 2 && table.Rows[0][0] == "NVIDIA A30 of tests" &&
		table.Rows[0][1] == table.Rows[1][1], "%v", table)
}
