// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// faultsEnv asks for a number of sequences of faults: SPMVTUNE_FAULTS=200. With a second number,
// SPMVTUNE_FAULTS=1,17, the first seed is not 1.
const faultsEnv = "SPMVTUNE_FAULTS"

// faultPlan has the trials of fewTrials in three chunks.
var faultPlan = slurm.Plan{Chunks: []slurm.Chunk{
	{ID: "0001", Trials: 5, Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: 0, Of: 2}}}},
	{ID: "0002", Trials: 10, Pieces: []trial.Piece{
		{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}, {Matrix: "b", Part: trial.Part{Index: 0, Of: 2}}}},
	{ID: "0003", Trials: 5, Pieces: []trial.Piece{{Matrix: "b", Part: trial.Part{Index: 1, Of: 2}}}},
}}

// Whatever happens to a run, in whatever order: retry and merge complete it, with every planned trial once,
// and never call it complete before.
func TestFaults(t *testing.T) {
	few := 2
	if testkit.LongAsked() {
		few = 10
	}
	n, first := askedFaults(t, faultsEnv, few)
	planned := plannedTrials(t)
	drawn := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { faultSequence(t, uint64(seed), planned, drawn) })
	}
	t.Logf("%d sequences from seed %d: %v", n, first, drawn)
}

// askedFaults returns the number of sequences and the first seed that a variable asks for.
func askedFaults(t *testing.T, env string, few int) (n, first int) {
	t.Helper()
	n, first = few, 1
	if asked := os.Getenv(env); asked != "" {
		count, seed, given := strings.Cut(asked, ",")
		n = testkit.Must(strconv.Atoi(count))
		if given {
			first = testkit.Must(strconv.Atoi(seed))
		}
	}
	return n, first
}

// A faulty run is one that a sequence of faults befalls.
type faulty struct {
	t       *testing.T
	rng     *rand.Rand
	slurm   *simulation
	run     *slurm.Run
	planned []string
}

// hasty does not wait for long for what an interrupted sbatch may still send.
var hasty = &sbatch.Client{Timeout: 2 * time.Second, Pause: 10 * time.Millisecond, Patience: time.Second}

func newFaulty(t *testing.T, seed uint64) *faulty {
	t.Helper()
	f := &faulty{t: t, rng: rand.New(rand.NewPCG(seed, 0)), slurm: simulate(t)}
	sweep := slurmtest.Parsed(t, t.TempDir(), fewTrials+"[slurm]\nmix_devices = true\n"+[]string{"", "", "max_submit = 3\n"}[f.rng.IntN(3)])
	f.submit(sweep, nil)
	return f
}

// submit begins a run of a sweep, with what an earlier one has measured, if any is given. It returns the
// chunks that it sends.
func (f *faulty) submit(sweep *configs.Sweep, adopted *submit.Match) (sent []string) {
	f.t.Helper()
	program := testkit.Must(os.Executable())
	f.run = testkit.Must(slurm.Create(f.t.TempDir(), sweep, faultPlan, program, "test"))
	f.slurm.run = f.run
	if adopted != nil {
		testkit.Succeed(f.t, adopted.Give(f.run, faultPlan))
	}
	var left []slurm.Chunk
	for _, c := range faultPlan.Chunks {
		if adopted == nil || !adopted.Complete(c) {
			left, sent = append(left, c), append(sent, c.ID)
		}
	}
	if len(sent) > 0 {
		testkit.Must(submit.Next(f.t.Context(), hasty, f.run, sweep.Slurm, left))
	}
	return sent
}

// plannedTrials are the identities of all trials, found by a run without faults.
func plannedTrials(t *testing.T) []string {
	t.Helper()
	f := newFaulty(t, 0)
	f.slurm.settle()
	if m := f.merge(); len(m.Missing) > 0 || m.New != 20 {
		t.Fatalf("without faults: %+v", m)
	}
	return f.recorded()
}

func faultSequence(t *testing.T, seed uint64, planned []string, drawn map[string]int) {
	f := newFaulty(t, seed)
	f.planned = planned
	if f.rng.IntN(3) == 0 {
		t.Logf("begins complete: %s", f.endRound())
	}
	for i := range 6 + f.rng.IntN(20) {
		step := steps[f.rng.IntN(len(steps))]
		if i < 2 {
			step = steps[0] // so that there is something to lose, unless there is already
		}
		t.Logf("%s: %s", step.name, step.take(f))
		drawn[step.name]++
		f.slurm.checkQueue()
	}
	f.complete()
}

// merge brings the journals into the database. It fails the test if the run is called complete before
// every planned trial is in a journal.
func (f *faulty) merge() slurm.Merge { return f.mergeRound(0) }

func (f *faulty) mergeRound(round int) slurm.Merge {
	f.t.Helper()
	m := testkit.Must(status.Merge(f.t.Context(), f.run, round, func(*slurm.Merge) error { return nil }))
	for _, missing := range m.Missing {
		if missing.Reason == "complete" {
			f.t.Fatalf("a chunk is not complete, because it is: %+v", missing)
		}
	}
	if len(m.Missing) > 0 {
		return m
	}
	there := f.recorded()
	for _, id := range f.planned {
		if !slices.Contains(there, id) {
			f.t.Fatalf("called complete, and trial %s is in no journal: %+v", id, m)
		}
	}
	return m
}

// recorded are the identities of the trials that can be read.
func (f *faulty) recorded() (ids []string) {
	f.t.Helper()
	for _, line := range slurmtest.Lines(f.t, f.run) {
		if line.Trial != nil && !slices.Contains(ids, line.Trial.ID) {
			ids = append(ids, line.Trial.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// complete retries and merges until the run is complete, and checks that it is.
func (f *faulty) complete() {
	f.t.Helper()
	const most = 10 // times; two are enough for whatever was drawn so far
	for tries := 0; ; tries++ {
		f.endRound()
		m := f.merge()
		if len(m.Missing) == 0 {
			break
		}
		if err := f.retry(); err != nil || tries == most {
			f.t.Fatalf("not complete after %d retries, %v: %+v", tries, err, m.Missing)
		}
	}
	testkit.Succeed(f.t, f.retry())
	if list := f.slurm.queue(); slices.ContainsFunc(list, queued.waits) {
		f.t.Errorf("more was sent for a complete run: %+v", list)
	}

	testkit.Succeed(f.t, os.Remove(f.run.Path("results.db")))
	if m := f.merge(); len(m.Missing) > 0 || m.New != len(f.planned) {
		f.t.Errorf("a new database gets %d trials of %d: %+v", m.New, len(f.planned), m)
	}
	if ids := f.merged(); !slices.Equal(ids, f.planned) {
		f.t.Errorf("the database has\n%v, and planned are\n%v", ids, f.planned)
	}
}

// merged are the identities of the trials in the database, each as often as it is there.
func (f *faulty) merged() (ids []string) {
	f.t.Helper()
	db := testkit.Must(store.OpenReadOnly(f.run.Path("results.db")))
	defer db.Close()
	table := testkit.Must(db.Query(f.t.Context(), "SELECT identity FROM trial ORDER BY identity"))
	for _, row := range table.Rows {
		ids = append(ids, fmt.Sprint(row[0]))
	}
	return ids
}

// damage damages a file, and says how.
func damage(t *testing.T, rng *rand.Rand, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return "nothing to damage"
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	at, line := rng.IntN(len(data)), rng.IntN(len(lines))
	to := at + rng.IntN(len(data)-at) + 1
	what := []string{"deleted", "emptied", "cut", "cut after a line", "noise", "noise everywhere", "a bit",
		"a line taken out", "a line twice", "more noise at the end"}[rng.IntN(10)]
	switch what {
	case "deleted":
		testkit.Succeed(t, os.Remove(path))
		return what
	case "emptied":
		data = nil
	case "cut":
		data = data[:at]
	case "cut after a line":
		data = bytes.Join(lines[:line], nil)
	case "noise everywhere":
		at, to = 0, len(data)
		fallthrough
	case "noise":
		for i := at; i < to; i++ {
			data[i] = byte(rng.Uint32())
		}
	case "a bit":
		data[at] ^= 1 << rng.IntN(8)
	case "a line taken out":
		data = bytes.Join(slices.Delete(lines, line, line+1), nil)
	case "a line twice":
		data = bytes.Join(slices.Insert(lines, line, lines[line]), nil)
	case "more noise at the end":
		for range 1 + rng.IntN(300) {
			data = append(data, byte(rng.Uint32()))
		}
	}
	// In place, so that whoever writes the file goes on with what is left.
	testkit.Succeed(t, os.WriteFile(path, data, 0o666))
	return what
}
