// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/submit"
	"example.org/spmvtune/tuner/journal"
)

// adoptSweep is taskSweep with shorter trials.
var adoptSweep = strings.Replace(taskSweep, `trial_budget = "20ms"`, `trial_budget = "5ms"`, 1)

const adoptChunk = "250ms"

// adopting submits the sweep with what an earlier run or a database has measured, and sends nothing.
func (p prepared) adopting(from, sweep string) (prepared, submit.Match, int) {
	p.t.Helper()
	testkit.Succeed(p.t, os.WriteFile("small.toml", []byte(sweep), 0o666))
	var s struct {
		Dir     string
		Plan    struct{ Chunks int }
		Adopted submit.Match
	}
	out := p.do(0, "submit", "small.toml", "--prepare-only", "--chunk", adoptChunk, "--json", "--adopt", from)
	testkit.Succeed(p.t, json.Unmarshal([]byte(out), &s))
	run := slurmtest.Opened(p.t, s.Dir)
	return prepared{p.terminal, run, s.Adopted.Planned}, s.Adopted, s.Plan.Chunks
}

// What a run measured before it was moved is not measured again, and nothing of another device counts.
func TestAdoptMoved(t *testing.T) {
	p := prepare(t, fewTrials, "20ms")
	p.do(0, "task", p.run.Dir, "--chunk", "1")
	before := p.times()
	names := testkit.Must(journal.List(p.run.Path(slurm.JournalsDir)))
	testkit.Require(t, len(names) == 1 && len(before) != 0, "journals are %v", names)
	addOtherDevice(t, p.run, names[0])
	moved := filepath.Join(t.TempDir(), "moved")
	testkit.Succeed(t, os.Rename(p.run.Dir, moved))

	n, m, left := p.adopting(moved, fewTrials)
	testkit.Check(t, m.Adopted == len(before) && m.Planned == p.all && left != 0,
		"of %d trials measured, and %d planned, there are %+v; %d chunks are left", len(before), p.all, m, left)
	testkit.Check(t, len(m.Others) == 1 && m.Others[0].Trials == len(before) &&
		m.Others[0].Why == "on another device: another", "not counted are %+v", m.Others)
	s := n.status(n.run.Dir)
	testkit.Check(t, s.Counts.Never == left && s.Trials.Done == len(before),
		"the status of a run that has adopted is %+v", s)
	n.do(0, "task", n.run.Dir, "--next")
	n.complete()
}

// addOtherDevice gives a run the trials of a journal once more, as another device measures them.
func addOtherDevice(t *testing.T, run *slurm.Run, name journal.Name) {
	t.Helper()
	var other *journal.Run
	var trials []journal.Trial
	for line, err := range journal.Read(t.Context(), run.Path(slurm.JournalsDir, name.String())) {
		testkit.Succeed(t, err)
		if line.Trial == nil {
			continue
		}
		if other == nil {
			changed := *line.Trial.Run
			other = &changed
			other.Device.Name, other.At = "another", time.Now().Add(time.Hour)
		}
		line.Trial.Run, line.Trial.ID = other, "g"+line.Trial.ID[1:]
		trials = append(trials, *line.Trial)
	}
	name.Again = 1
	testkit.Succeed(t, journal.Write(run.Path(slurm.JournalsDir), name, trials, journal.End{}))
}

// Of a finished run only what is new in the sweep is measured, from its journals or its database, and nothing
// if nothing is new. Under another protocol all is measured anew.
func TestAdoptFinished(t *testing.T) {
	testkit.Long(t, "it measures five runs")
	p := prepare(t, adoptSweep, adoptChunk)
	p.do(0, "task", p.run.Dir, "--next")
	p.do(0, "merge", p.run.Dir)
	database := p.run.Path("results.db")

	for _, from := range []string{p.run.Dir, database} {
		n, m, left := p.adopting(from, adoptSweep)
		testkit.Check(t, m.Adopted == p.all && m.Planned == p.all && left == 0 && len(m.Others) == 0,
			"from %s: %+v; %d chunks are left", from, m, left)
		n.says(0, "task "+n.run.Dir+" --next", "took 0 chunks")
		n.complete()
	}

	more := strings.Replace(adoptSweep, "grid = [1, 2]", "grid = [1, 2, 3]", 1)
	n, m, left := p.adopting(p.run.Dir, more)
	testkit.Check(t, m.Adopted == p.all && m.Planned == p.all*3/2 && left != 0,
		"with more configurations: %+v; %d chunks are left", m, left)
	n.do(0, "task", n.run.Dir, "--next")
	n.complete()

	// Of chunks, too, only the new ones: those of another matrix.
	const third = "[[matrix]]\nname = \"c\"\ngenerate = \"grid_5pt\"\nnx = 20\nny = 20\n"
	more = strings.Replace(adoptSweep, "[[kernel]]", third+"[[kernel]]", 1)
	n, m, left = p.adopting(database, more)
	plan := testkit.Must(n.run.Plan())
	testkit.Require(t, m.Adopted == p.all && left != 0, "with another matrix: %+v; %d chunks are left", m, left)
	for i, c := range plan.Chunks {
		for _, piece := range c.Pieces {
			testkit.Equal(t, piece.Matrix == "c", i < left, "chunk %s has matrix %s, and the first %d are sent", c.ID, piece.Matrix, left)
		}
	}

	_, m, left = p.adopting(p.run.Dir, strings.Replace(adoptSweep, "samples = [6,", "samples = [7,", 1))
	testkit.Check(t, m.Adopted == 0 && left != 0 && len(m.Others) == 1 && m.Others[0].Trials == p.all &&
		strings.Contains(m.Others[0].Why, "another protocol: samples=6..100000 there, samples=7..100000 here"),
		"under another protocol: %+v; %d chunks are left", m, left)
}

// Trials whose lines are lost, and not those of their repeats, are taken from the database, each repeat once.
func TestAdoptLostTrials(t *testing.T) {
	sweep := strings.NewReplacer("repeats = 0", "repeats = 3", "finals = 0", "finals = 2").Replace(fewTrials)
	p := prepare(t, sweep, "20ms")
	p.do(0, "task", p.run.Dir, "--next")
	p.do(0, "merge", p.run.Dir)
	before := p.times()
	repeats := 0
	for _, n := range before {
		repeats += n - 1
	}
	names := testkit.Must(journal.List(p.run.Path(slurm.JournalsDir)))
	testkit.Require(t, repeats != 0, "%d repeats", repeats)
	for _, name := range names {
		keepRepeats(t, p.run, name)
	}

	n, m, left := p.adopting(p.run.Dir, sweep)
	testkit.Check(t, m.Adopted == len(before) && m.Planned == m.Adopted,
		"of %d trials there are %+v; %d chunks are left", len(before), m, left)
	for id, times := range n.times() {
		testkit.Equal(t, times, before[id], "trial %s is in journals", id)
	}
}

// keepRepeats leaves only the repeats in a journal.
func keepRepeats(t *testing.T, run *slurm.Run, name journal.Name) {
	t.Helper()
	var end journal.End
	var repeats []journal.Trial
	for line, err := range journal.Read(t.Context(), run.Path(slurm.JournalsDir, name.String())) {
		switch {
		case err != nil:
			t.Fatal(err)
		case line.End != nil:
			end = *line.End
		case line.Trial != nil && line.Trial.IsRerun():
			repeats = append(repeats, *line.Trial)
		}
	}
	testkit.Succeed(t, os.Remove(run.Path(slurm.JournalsDir, name.String())))
	testkit.Succeed(t, journal.Write(run.Path(slurm.JournalsDir), name, repeats, end))
}

// Of a database whose trials were measured on other cores than Slurm gives a task nothing counts, and that is said
// with the key. A launcher may give a process as many.
func TestAdoptOtherCores(t *testing.T) {
	f := newFaulty(t, 1)
	p := prepared{terminal: here(t), run: f.run}
	t.Chdir(t.TempDir())
	cores := runtime.NumCPU()
	sweep := func(section string) {
		testkit.Succeed(t, os.WriteFile("small.toml", []byte(fewTrials+"[slurm]\n"+section), 0o666))
	}
	sweep("")
	p.do(0, "run", "small.toml", "--out", "local", "--quiet")
	f.slurm.setQueue(nil)
	none := "where a task has 1: cpus in [slurm] says how many, and 1 is assumed without it"
	if cores == 1 {
		none = "adopted 20 of 20 trials"
	}
	for _, c := range []struct {
		section, flag, want string
	}{
		{fmt.Sprintf("cpus = %d\n", cores+1), "--dry-run",
			fmt.Sprintf("not counted: 20 trials on %s, where a task has %d: cpus in [slurm]", term.Count(cores, "core", "cores"), cores+1)},
		{"", "--dry-run", none},
		{fmt.Sprintf("cpus = %d\n", cores), "--dry-run", "adopted 20 of 20 trials"},
		{"exclusive = true\n", "--dry-run", "tasks refuse to measure on anything else"},
		{fmt.Sprintf("cpus = %d\n", cores+1), "--prepare-only", "adopted 20 of 20 trials"},
	} {
		sweep(c.section)
		p.says(0, "submit small.toml --adopt local/results.db "+c.flag, c.want)
	}
}

// A run that is not over is not adopted, and an earlier one is named.
func TestAdoptRunning(t *testing.T) {
	f := newFaulty(t, 3)
	p := prepared{terminal: here(t), run: f.run}
	t.Chdir(t.TempDir())
	testkit.Succeed(t, os.WriteFile("small.toml", []byte(fewTrials), 0o666))
	p.says(1, "submit small.toml --adopt "+f.run.Dir, "is not over: 3 chunks run")
	f.slurm.setQueue(nil)
	f.slurm.write("down", "")
	p.says(1, "submit small.toml --prepare-only --adopt "+f.run.Dir, "whether the run is over")
	f.slurm.remove("down")
	p.do(0, "submit", "small.toml", "--adopt", f.run.Dir)

	claim := testkit.Must(f.run.Take("0001"))
	p.says(1, "submit small.toml --adopt "+f.run.Dir, "is not over: 1 chunk runs")
	testkit.Succeed(t, f.run.Release(claim, false))
}

// An earlier run of the same sweep is named.
func TestEarlierRun(t *testing.T) {
	p := prepare(t, adoptSweep, adoptChunk)
	const again = "submit small.toml --prepare-only"
	if out := p.do(0, strings.Fields(again)...); strings.Contains(out, "--adopt") {
		t.Errorf("a run that has measured nothing is named:\n%s", out)
	}
	p.do(0, "task", p.run.Dir, "--chunk", "1")
	p.says(0, again, "has measured this sweep", "--adopt")
	less := strings.Replace(adoptSweep, "grid = [1, 2]", "grid = [1]", 1)
	testkit.Succeed(t, os.WriteFile("small.toml", []byte(less), 0o666))
	p.says(0, again, "an earlier version of this")
}
