package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
	"spmvtune/slurm/submit"
	"spmvtune/store"
	"spmvtune/tuner/hardware"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
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

// steps are the faults, and what users do in between.
var steps = []struct {
	name string
	take func(f *faulty) string
}{
	{"task", (*faulty).task}, {"task", (*faulty).task}, {"task", (*faulty).task}, {"task", (*faulty).task},
	{"retry", (*faulty).retryNow}, {"retry", (*faulty).retryNow},
	{"forgotten retry", (*faulty).forgottenRetry},
	{"interrupted retry", (*faulty).interruptedRetry},
	{"merge", (*faulty).mergeAgain},
	{"end of a round", (*faulty).endRound}, {"end of a round", (*faulty).endRound},
	{"journal", (*faulty).damageJournal}, {"journal", (*faulty).damageJournal}, {"journal", (*faulty).damageJournal},
	{"ledger.jsonl", (*faulty).damageJobs}, {"ledger.jsonl", (*faulty).damageJobs},
	{"controller", (*faulty).controller},
	{"forgotten jobs", func(f *faulty) string { f.slurm.forget(); return "" }},
	{"zombies", func(f *faulty) string { f.slurm.wake(); return "" }},
	{"edited sweep", (*faulty).edit},
	{"moved folder", (*faulty).move},
	{"adopted", (*faulty).adopt},
}

func (f *faulty) task() string { return f.slurm.mishap(f.rng) }

func (f *faulty) damageJobs() string { return damage(f.t, f.rng, f.run.Path(slurm.LedgerFile)) }

func (f *faulty) retryNow() string { return fmt.Sprint(f.retry()) }

// forgottenRetry retries, and once more after ledger.jsonl was damaged.
func (f *faulty) forgottenRetry() string {
	first, how := f.retry(), f.damageJobs()
	return fmt.Sprintf("%v, %s, %v", first, how, f.retry())
}

// retry sends what is missing.
func (f *faulty) retry() error {
	f.t.Helper()
	sweep, err := f.run.TaskSweep()
	if err == nil {
		_, err = submit.Retry(f.t.Context(), hasty, f.run, sweep.Slurm, submit.RetryOptions{})
	}
	f.slurm.checkQueue()
	return err
}

// faultRetry is the variable that has this binary retry a run.
const faultRetry = "SPMVTUNE_TEST_RETRY"

// interruptedRetry is a retry that is killed before or after a job is taken in, or that is not told of it.
func (f *faulty) interruptedRetry() string {
	f.t.Helper()
	fate := []string{"before", "after", "lie"}[f.rng.IntN(3)]
	f.slurm.write("fate", fate)
	program := testkit.Must(os.Executable())
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), faultRetry+"="+f.run.Dir)
	out, err := cmd.CombinedOutput()
	f.slurm.remove("fate")
	return fmt.Sprintf("%s: %v %s", fate, err, bytes.TrimSpace(out))
}

// retryAlone is what the process of an interrupted retry does.
func retryAlone(dir string) error {
	run, err := slurm.Open(dir)
	if err != nil {
		return err
	}
	sweep, err := run.TaskSweep()
	if err == nil {
		_, err = submit.Retry(context.Background(), hasty, run, sweep.Slurm, submit.RetryOptions{})
	}
	return err
}

// mergeAgain merges, perhaps into a new database.
func (f *faulty) mergeAgain() string {
	f.t.Helper()
	path, how := f.run.Path("results.db"), "the same database"
	switch f.rng.IntN(4) {
	case 0:
		os.Remove(path)
		how = "a new database"
	case 1:
		how = damage(f.t, f.rng, path)
		_, err := status.Merge(f.t.Context(), f.run, 0, func(*slurm.Merge) error { return nil })
		if err == nil {
			break // it was emptied, or what is noise there does not matter
		}
		if !strings.Contains(err.Error(), "delete it and merge again") {
			f.t.Fatalf("merging into a database with %s: %v", how, err)
		}
		testkit.Succeed(f.t, os.Remove(path))
	}
	m := f.merge()
	return fmt.Sprintf("%s, %d new, %d chunks missing", how, m.New, len(m.Missing))
}

// endRound lets all tasks end, and then the jobs that merge.
func (f *faulty) endRound() string {
	f.t.Helper()
	f.slurm.settle()
	list := f.slurm.queue()
	said := "no job merges"
	for i, q := range list {
		if q.task == "N/A" && q.state == "PENDING" {
			name := strings.Split(q.name, ".")
			round := testkit.Must(strconv.Atoi(name[len(name)-2]))
			m := f.mergeRound(round)
			list[i].state = "COMPLETED"
			said = fmt.Sprintf("round %d: %d new, %d chunks missing", round, m.New, len(m.Missing))
		}
	}
	f.slurm.setQueue(list)
	// As the job that merges does, send what a limit left over.
	if sweep, err := f.run.TaskSweep(); err == nil {
		rest, err := submit.Rest(f.t.Context(), hasty, f.run, sweep.Slurm)
		if rest.Round != nil || err != nil {
			said += fmt.Sprintf("; the rest is sent, %v", err)
		}
	}
	return said
}

func (f *faulty) damageJournal() string {
	f.t.Helper()
	names := testkit.Must(journal.List(f.run.Path(slurm.JournalsDir)))
	if len(names) == 0 {
		return "there is none"
	}
	name := names[f.rng.IntN(len(names))].String()
	return name + ": " + damage(f.t, f.rng, f.run.Path(slurm.JournalsDir, name))
}

// controller is one that does not answer: nothing may be sent.
func (f *faulty) controller() string {
	f.t.Helper()
	f.slurm.write("down", "")
	defer f.slurm.remove("down")
	before := len(f.slurm.queue())
	err := f.retry()
	if after := len(f.slurm.queue()); after != before {
		f.t.Fatalf("sent without an answer: %d jobs, then %d", before, after)
	}
	return fmt.Sprint(err)
}

// edit changes the sweep: [slurm] is free, and with anything else nothing goes on.
func (f *faulty) edit() string {
	f.t.Helper()
	path := f.run.Path("sweep.toml")
	text := slurmlab.Read(f.t, path)
	edited, free := strings.Replace(text, "warmup = 0", "warmup = 1", 1), f.rng.IntN(3) == 0
	if free {
		edited = text + fmt.Sprintf("# %d\n", f.rng.Int())
	}
	testkit.Succeed(f.t, os.WriteFile(path, []byte(edited), 0o666))
	if free {
		return "a comment"
	}
	what := f.task()
	if err := f.retry(); err == nil || !strings.Contains(err.Error(), "was edited") {
		f.t.Fatalf("a retry of an edited sweep: %v", err)
	}
	if err := f.run.CheckSweep(); err == nil {
		f.t.Fatal("an edited sweep is merged")
	}
	testkit.Succeed(f.t, os.WriteFile(path, []byte(text), 0o666))
	return "a protocol; " + what
}

// move moves the folder, merges there and moves it back.
func (f *faulty) move() string {
	f.t.Helper()
	away := f.run.Dir + "-moved"
	testkit.Succeed(f.t, os.Rename(f.run.Dir, away))
	moved := *f
	run := slurmtest.Opened(f.t, away)
	moved.run = run
	moved.run.Folder = f.run.Dir
	m := moved.merge()
	sweep := testkit.Must(moved.run.TaskSweep())
	if r, err := submit.Retry(f.t.Context(), hasty, moved.run, sweep.Slurm, submit.RetryOptions{}); err == nil {
		f.t.Fatalf("a retry of a moved run: %+v", r)
	}
	testkit.Succeed(f.t, os.Rename(away, f.run.Dir))
	return fmt.Sprintf("%d new, %d chunks missing", m.New, len(m.Missing))
}

// adopt gives the run up, moves it away and submits the sweep anew, with what can be read of it.
func (f *faulty) adopt() string {
	f.t.Helper()
	sweep := testkit.Must(f.run.TaskSweep())
	f.slurm.wake()
	f.slurm.setQueue(nil)
	away := f.run.Dir + "-given-up"
	testkit.Succeed(f.t, os.Rename(f.run.Dir, away))
	old := slurmtest.Opened(f.t, away)
	source := testkit.Must(submit.ReadRun(f.t.Context(), old))
	m := testkit.Must(submit.NewMatch(f.t.Context(), source, sweep, submit.MatchOptions{Sources: hardware.Sources()}))
	sent := f.submit(sweep, m)
	return fmt.Sprintf("%d of %d trials, %v sent", m.Adopted, m.Planned, sent)
}
