// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// taskSweep has taskTrials trials of at least 20 ms.
const (
	taskSweep = `name = "small"
[protocol]
sentinel = 0
finals = 0
repeats = 0
cache = "warm"
warmup = 0
samples = [6, 100_000]
target = 1e-9
trial_budget = "20ms"
timeout = "60s"
[[matrix]]
name = "a"
generate = "grid_5pt"
nx = 30
ny = 30
[[matrix]]
name = "b"
generate = "uniform"
rows = 900
cols = 900
row_nnz = 5
[[kernel]]
name = "cpu_csr_rows"
block = { from = 16, to = 800, step = 16 }
grid = [1, 2]
precision = ["float64"]
`
	taskTrials = 2 * 50 * 2
)

// fewTrials is taskSweep with 20 trials, for tasks that are to end soon.
var fewTrials = strings.NewReplacer("to = 800, step = 16", "to = 800, step = 196",
	`trial_budget = "20ms"`, `trial_budget = "2ms"`).Replace(taskSweep)

// taskPlan is a chunk with all of the sweep, one matrix in two pieces.
var taskPlan = slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Trials: taskTrials, Pieces: []trial.Piece{
	{Matrix: "a", Part: trial.Part{Index: 0, Of: 2}}, {Matrix: "a", Part: trial.Part{Index: 1, Of: 2}},
	{Matrix: "b", Part: trial.Part{Of: 1}},
}}}}

// createTask makes the folder of a run of taskSweep below root, whose program is this test.
func createTask(t *testing.T, root, section string) (*slurm.Run, *configs.Sweep) {
	t.Helper()
	return createTaskOf(t, root, taskSweep+section)
}

func createTaskOf(t *testing.T, root, text string) (*slurm.Run, *configs.Sweep) {
	t.Helper()
	sweep := slurmtest.Parsed(t, t.TempDir(), text)
	run := slurmtest.Made(t, root, sweep, taskPlan)
	return run, sweep
}

// taskJournals reads what every attempt has written: "0" is the first.
func taskJournals(t *testing.T, run *slurm.Run) (trials map[int][]string, ends map[int][]journal.End) {
	t.Helper()
	trials, ends = map[int][]string{}, map[int][]journal.End{}
	names := map[int]journal.Name{}
	for name, line := range slurmtest.Lines(t, run) {
		if known, is := names[name.Attempt]; is && known != name {
			t.Errorf("attempt %d has two journals", name.Attempt)
		}
		names[name.Attempt] = name
		switch {
		case line.Trial != nil:
			trials[name.Attempt] = append(trials[name.Attempt], line.Trial.ID)
			testkit.Check(t, line.Trial.Status == trial.OK, "a trial is %s: %s", line.Trial.Status, line.Trial.Message)
			testkit.Check(t, line.Trial.Run.Origin.Node != "" && line.Trial.Run.Origin.Job == name.Job,
				"facts %v of job %s", line.Trial.Run.Facts, name.Job)
		case line.End != nil:
			ends[name.Attempt] = append(ends[name.Attempt], *line.End)
		case line.Problem != nil && line.Problem.Kind != journal.Torn:
			t.Errorf("%s: %v", name, line.Problem.Err)
		}
	}
	return trials, ends
}

// startTask runs the program as the first task of an array, outside of Slurm.
func startTask(t *testing.T, run *slurm.Run, env ...string) *exec.Cmd {
	t.Helper()
	testkit.Succeed(t, os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001"]`), 0o666))
	cmd := exec.Command(run.Path("bin", "spmvtune"), "task", run.Dir, "--round", "1", "--base", "0")
	cmd.Env = append(append(os.Environ(), "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=0", "SLURMD_NODENAME=n1"), env...)
	return cmd
}

// ended gives the exit code of a command that has ended with err.
func ended(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err == nil {
		return 0
	}
	return exit.ExitCode()
}

// What may not be measured, or can't be, is not complete: the exit code, the end of
// the journal and the message say so.
func TestTaskEnds(t *testing.T) {
	for name, c := range map[string]struct {
		section string
		change  func(t *testing.T, run *slurm.Run)
		want    []string
		ok      bool
	}{
		"complete": {ok: true, want: []string{
			"attempt 1 at chunk 0001: 3 pieces", "trials measured: 20", "end: complete; 3 of 3 pieces complete",
		}},
		"other model": {
			change: otherModel,
			want:   []string{"the run measures on Otherchip 7", "1_0, found on n9", "mix_devices = true"},
		},
		"other model, allowed": {
			section: "[slurm]\nmix_devices = true\n", ok: true, change: otherModel,
		},
		"other program": {
			change: func(t *testing.T, run *slurm.Run) {
				f, err := os.OpenFile(run.Path("bin", "spmvtune"), os.O_APPEND|os.O_WRONLY, 0)
				if err == nil {
					_, err = f.WriteString("x")
					f.Close()
				}
				testkit.Succeed(t, err)
			},
			want: []string{"the program that runs is not the one of run small-", "submit the sweep again"},
		},
		"other program for the GPU": {
			change: func(t *testing.T, run *slurm.Run) {
				testkit.Succeed(t, os.WriteFile(run.Path("bin", "spmvtune-cuda"), []byte("x"), 0o777))
			},
			want: []string{"the program built with CUDA is not the one of run small-", "2d711642b726, not none",
				"submit the sweep again"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			run, _ := createTaskOf(t, t.TempDir(), fewTrials+c.section)
			if c.change != nil {
				c.change(t, run)
			}
			out, err := startTask(t, run).CombinedOutput()
			code := ended(t, err)
			testkit.Check(t, (code == command.ExitOK) == c.ok, "exit code %d:\n%s", code, out)
			testkit.Says(t, "what it says", string(out), c.want...)
			trials, ends := taskJournals(t, run)
			if c.ok {
				listsItsTrials(t, ends[0][0].Pieces, trials[0])
			}
			if len(ends[0]) != 1 || len(ends[0][0].Pieces) != 3 ||
				slices.ContainsFunc(ends[0][0].Pieces, func(p trial.Piece) bool {
					return p.Complete != c.ok || p.Complete == (p.Reason != "")
				}) {
				t.Errorf("it ends with %+v", ends)
			}
		})
	}
}

// listsItsTrials checks that the end of an attempt lists the trials that are in its journal.
func listsItsTrials(t *testing.T, pieces []trial.Piece, ids []string) {
	t.Helper()
	var lists []trial.IDs
	for _, p := range pieces {
		lists = append(lists, p.IDs)
	}
	want := trial.ListOf(func(yield func(trial.Key) bool) {
		for _, id := range ids {
			if !yield(trial.KeyOf(id)) {
				return
			}
		}
	})
	got := trial.Unite(lists...)
	testkit.Check(t, got == want && len(ids) != 0, "the end lists %s, and the journal has %s", got, want)
}

func otherModel(t *testing.T, run *slurm.Run) {
	t.Helper()
	testkit.Succeed(t, os.WriteFile(run.Path("device.json"),
		[]byte(`{"models": {"cpu": "Otherchip 7"}, "job": "1_0", "node": "n9"}`), 0o666))
}

// The matrices whose files a node does not see are named; the others are measured.
func TestTaskWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c.mtx", "d.mtx"} {
		text := "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2\n"
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	const text = `[protocol]
sentinel = 0
finals = 0
repeats = 0
cache = "warm"
trial_budget = "2ms"
[[matrix]]
path = "c.mtx"
[[matrix]]
path = "d*.mtx"
[[kernel]]
name = "cpu_csr"
grid = [1]
precision = ["float64"]
`
	sweep := slurmtest.Parsed(t, dir, text)
	for _, gone := range []string{"c", "d"} {
		testkit.Succeed(t, os.Rename(filepath.Join(dir, gone+".mtx"), filepath.Join(dir, "hidden")))
		run := slurmtest.Made(t, t.TempDir(), sweep, slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001",
			Pieces: []trial.Piece{{Matrix: "c", Part: trial.Part{Of: 1}}, {Matrix: "d", Part: trial.Part{Of: 1}}}}}})
		out, err := startTask(t, run).CombinedOutput()
		code := ended(t, err)
		testkit.Check(t, code == command.ExitFailed, "exit code %d:\n%s", code, out)
		trials, ends := taskJournals(t, run)
		testkit.Require(t, len(trials[0]) != 0 && len(ends[0]) == 1 && strings.HasPrefix(ends[0][0].Reason, gone+": "),
			"%d trials, ends %+v:\n%s", len(trials[0]), ends, out)
		for _, p := range ends[0][0].Pieces {
			testkit.Check(t, p.Complete != (p.Matrix == gone) && p.Complete != (p.Reason != ""), "piece %+v", p)
		}
		here(t).says(0, "status "+run.Dir, "0 of 1 done") // which needs no file, nor does merge
		here(t).says(command.ExitSomeFailed, "merge "+run.Dir, "1 chunk not complete")
		testkit.Succeed(t, os.Rename(filepath.Join(dir, "hidden"), filepath.Join(dir, gone+".mtx")))
	}
}

// A signal ends a task after the running trial, however often it comes. Asked to be
// started again, Slurm, which is not there, does not answer; the rest is left.
func TestTaskSignals(t *testing.T) {
	none := t.TempDir()
	for sig, want := range map[syscall.Signal]struct {
		code int
		says string
	}{
		syscall.SIGTERM: {143, "end: ended by SIGTERM"},
		syscall.SIGINT:  {130, "end: ended by SIGINT"},
		syscall.SIGUSR1: {75, "scontrol is not found"},
	} {
		t.Run(sig.String(), func(t *testing.T) {
			if sig != syscall.SIGUSR1 {
				testkit.Long(t, "measures until the signal comes")
			}
			run, _ := createTask(t, t.TempDir(), "")
			cmd := startTask(t, run, "PATH="+none)
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			testkit.Succeed(t, cmd.Start())
			waitTrials(t, run, 0, 5)
			go func() { // until the very end
				for cmd.Process.Signal(sig) == nil {
					time.Sleep(100 * time.Microsecond)
				}
			}()
			code := ended(t, cmd.Wait())
			trials, ends := taskJournals(t, run)
			testkit.Check(t, code == want.code && strings.Contains(out.String(), want.says),
				"exit code %d:\n%s", code, out.String())
			testkit.Check(t, len(ends[0]) == 1 && !ends[0][0].Pieces[2].Complete && len(trials[0]) != taskTrials,
				"after %d trials it ends with %+v", len(trials[0]), ends)
		})
	}
}

// A task that was warned before it began measures nothing: so long a setup would leave
// it no more time at the next attempt.
func TestTaskWarnedDuringSetup(t *testing.T) {
	run, _ := createTask(t, t.TempDir(), "[slurm]\nsignal = \"USR2@60\"\n")
	cmd := startTask(t, run)
	cmd.Args = append(cmd.Args, "--warned=USR2")
	out, err := cmd.CombinedOutput()
	trials, ends := taskJournals(t, run)
	code := ended(t, err)
	testkit.Check(t, code == 75 && len(trials[0]) == 0 && strings.Contains(string(out), "not started again"),
		"exit code %d after %d trials:\n%s", code, len(trials[0]), out)
	testkit.Check(t, len(ends[0]) == 1 && ends[0][0].Reason == "warned by SIGUSR2 that its time ends" &&
		ends[0][0].OutOfTime && !ends[0][0].Pieces[0].Complete, "it ends with %+v", ends)
}

// A file that is replaced between two tasks is not measured half as the one and half as
// the other.
func TestTaskWithAChangedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.mtx")
	write := func(value string) {
		t.Helper()
		text := "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 " + value + "\n"
		testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write("2")
	text := "[protocol]\ncache = \"warm\"\ntrial_budget = \"2ms\"\n[[matrix]]\npath = \"c.mtx\"\n[[kernel]]\nname = \"cpu_csr\"\ngrid = [1, 2]\nprecision = [\"float64\"]\n"
	sweep := slurmtest.Parsed(t, dir, text)
	program := testkit.Must(os.Executable())
	half := func(i int) []trial.Piece {
		return []trial.Piece{{Matrix: "c", Part: trial.Part{Index: i, Of: 2}}}
	}
	run := testkit.Must(slurm.Create(t.TempDir(), sweep, slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: half(0)}, {ID: "0002", Pieces: half(1)}}}, program, "test"))
	// Both tasks are attempts of one array at a chunk each.
	task := func(index, attempt string) (code int, out string) {
		t.Helper()
		cmd := startTask(t, run, "SLURM_ARRAY_TASK_ID="+index, "SLURM_RESTART_COUNT="+attempt)
		testkit.Succeed(t, os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001", "0002"]`), 0o666))
		text, err := cmd.CombinedOutput()
		return ended(t, err), string(text)
	}
	if code, out := task("0", "0"); code != command.ExitOK {
		t.Fatalf("the first task: exit code %d\n%s", code, out)
	}
	write("3")
	code, out := task("1", "1")
	testkit.Check(t, code == command.ExitFailed && strings.Contains(out, "c.mtx has changed during the run"),
		"the second task: exit code %d\n%s", code, out)
	trials, ends := taskJournals(t, run)
	testkit.Check(t, len(trials[1]) == 0 && len(ends[1]) == 1 && !ends[1][0].Pieces[0].Complete &&
		strings.Contains(ends[1][0].Pieces[0].Reason, "has changed"), "%d trials, ends %+v", len(trials[1]), ends[1])
	write("2")
	if code, out := task("1", "2"); code != command.ExitOK {
		t.Errorf("the file put back: exit code %d\n%s", code, out)
	}
}
