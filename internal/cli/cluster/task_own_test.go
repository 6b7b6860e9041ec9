package cluster_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
)

// A prepared is a run that was made without Slurm.
type prepared struct {
	terminal
	run *slurm.Run
	all int // all is the number of its trials.
}

func prepare(t *testing.T, text string) prepared {
	t.Helper()
	return prepareFor(t, text, "1s")
}

// prepareFor is prepare with tasks of another length.
func prepareFor(t *testing.T, text, chunk string) prepared {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("SLURM_JOB_ID", "")
	slurmlab.Must(t, os.WriteFile("small.toml", []byte(text), 0o666))
	program, err := exec.LookPath("spmvtune")
	slurmlab.Must(t, err)
	t.Setenv("PATH", "/nowhere:"+filepath.Dir(program))
	var s struct {
		Dir  string
		Jobs []any
		Plan struct{ Chunks, Trials int }
	}
	p := prepared{terminal: here(t)}
	slurmlab.Must(t, json.Unmarshal([]byte(p.do(0, "submit", "small.toml", "--prepare-only", "--chunk", chunk, "--json")), &s))
	if len(s.Jobs) > 0 || s.Plan.Chunks < 4 {
		t.Fatalf("prepared %+v", s)
	}
	p.all = s.Plan.Trials
	p.run = slurmtest.Opened(t, s.Dir)
	return p
}

// next starts a process that takes chunks.
func (p prepared) next(out *strings.Builder) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command("spmvtune", "task", p.run.Dir, "--next")
	cmd.Stdout, cmd.Stderr = out, out
	slurmlab.Must(p.t, cmd.Start())
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
	p := prepare(t, taskSweep)
	if s := p.status(p.run.Dir); s.Counts.Never != s.Counts.All {
		t.Errorf("the status of a prepared run is %+v", s)
	}
	if out := p.do(0, "status", p.run.Dir); !strings.Contains(out, "--next") || strings.Contains(out, "retry") {
		t.Errorf("its status does not say how to measure:\n%s", out)
	}

	var outs [3]strings.Builder
	var workers []*exec.Cmd
	for i := range outs {
		workers = append(workers, p.next(&outs[i]))
	}
	for len(p.times()) < 10 {
		time.Sleep(20 * time.Millisecond)
	}
	if s := p.status(p.run.Dir); s.Counts.Running == 0 {
		t.Errorf("the status of a run that is measured is %+v", s)
	}
	killed := workers[0]
	killed.Process.Kill()
	for i, w := range workers {
		if code := ended(t, w.Wait()); w != killed && code != 0 {
			t.Errorf("process %d ends with %d:\n%s", i, code, outs[i].String())
		}
	}

	moved := filepath.Join(t.TempDir(), "moved")
	slurmlab.Must(t, os.Rename(p.run.Dir, moved))
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
	claim, err := run.Take("0001")
	slurmlab.Must(t, err)
	out, err := startTask(t, run).CombinedOutput()
	if code := ended(t, err); code != 1 || !strings.Contains(string(out), "another process measures this chunk") {
		t.Errorf("a task whose chunk is claimed ends with %d:\n%s", code, out)
	}
	p.do(75, "task", run.Dir, "--chunk", "1")
	release := func(empty int) {
		t.Helper()
		claim.EmptyAttempts = empty
		slurmlab.Must(t, run.Release(claim, false))
	}
	takes := func(n int) {
		t.Helper()
		p.says(0, "task "+run.Dir+" --next", "took "+term.Count(n, "chunk", "chunks"))
	}

	release(0)
	takes(0) // sent
	slurmlab.Must(t, os.Remove(run.Path("rounds", "001.json")))
	release(3)
	takes(0)
	release(2)
	takes(1)
	if s := p.status(p.run.Dir); s.Counts.Done != 1 {
		t.Errorf("the status is %+v", s)
	}
}

// A run whose constraints leave nothing to measure says so, as one on this machine does.
func TestNothingLeftToMeasure(t *testing.T) {
	text := strings.Replace(fewTrials, "grid = [1, 2]", "grid = [1, 2]\nwhere = \"block > 5000\"", 1)
	run, _ := createTaskOf(t, t.TempDir(), text)
	p := prepared{terminal: here(t), run: run}
	p.do(0, "task", run.Dir, "--next")
	p.says(3, "merge "+run.Dir, "no configuration is left to measure (skipped: where = block > 5000)")
}
