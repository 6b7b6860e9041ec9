package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// fakeQueue gives as squeue's answer the file queue, with QUEUE before it as the
// run's job name, and as sacct's the file accounts. Without a file they fail.
var fakeQueue = map[string]string{
	"squeue":   `[ -e "$FAKE/queue" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }; cat "$FAKE/queue"`,
	"sacct":    `[ -e "$FAKE/accounts" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }; cat "$FAKE/accounts"`,
	"scontrol": fakeConfig,
	"sbatch":   `echo "sbatch $*" >> "$FAKE/sent"; echo $((200 + $(wc -l < "$FAKE/sent")))`,
}

// statusRun is a run of nine chunks, all but the last two submitted as array 12,
// which was followed by job 13. The eighth was refused, and what became of the
// ninth is not known. Chunk 1 is complete, 2 and 4 have journals.
func statusRun(t *testing.T) *Run {
	t.Helper()
	run := created(t, t.TempDir(), configs.Slurm{}, 9, "exit 0")
	var ids []string
	for i := range 9 {
		ids = append(ids, chunkID(i))
	}
	for _, b := range []struct {
		Batch
		outcome Outcome
		id      string
	}{
		{Batch{run.JobName() + ".1.0", 1, 0, 7}, Submitted, "12"},
		{Batch{run.JobName() + ".1.1", 1, 7, 1}, Refused, ""},
		{Batch{run.JobName() + ".1.2", 1, 8, 1}, Intended, ""},
		{Batch{Name: run.JobName() + ".1.finish", Round: 1}, Submitted, "13"},
	} {
		must(t, run.note(jobLine{Batch: b.Batch, Outcome: b.outcome, ID: b.id}))
	}
	must(t, run.writeRound(1, ids))
	done := write(t, run, 0, "12_0", 0, 5)
	end(t, done, "m1", trial.Whole, "")
	write(t, run, 1, "12_1", 0, 3)
	late := write(t, run, 3, "12_3", 0, 2)
	end(t, late, "m4", trial.Whole, "ended by SIGTERM")
	must(t, os.WriteFile(run.Path(logsDir, "12_3.log"), []byte("one\n\ntwo\nthree\n"), 0o666))
	return run
}

// says writes the answer of a fake command; NAME is the run's job name.
func says(t *testing.T, dir, file string, run *Run, lines ...string) {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "NAME", run.JobName())
	must(t, os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o666))
}

// states are the states of the chunks, in order, with a word of why.
func states(s Status) string {
	var list []string
	for _, c := range s.Chunks {
		list = append(list, string(c.State))
	}
	return strings.Join(list, " ")
}

func look(t *testing.T, run *Run) Status {
	t.Helper()
	tracker := NewTracker(run)
	o := Observer{Client: hasty}
	view := o.Observe(t.Context(), tracker)
	must(t, tracker.Err())
	return tracker.Status(view)
}

func TestStatus(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := statusRun(t)
	says(t, dir, "queue", run,
		"12|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|1|RUNNING|1:00|5:00|2026-01-02T03:04:05|n2|NAME.1.0|None",
		"12|2|PENDING|0:00|20:00|N/A||NAME.1.0|PartitionTimeLimit",
		"12|3|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit",
		"12|4|CANCELLED|0:00|5:00|N/A||NAME.1.0|None",
		"12|6|HIBERNATING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"13|N/A|PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
	says(t, dir, "accounts", run, "12_5|OUT_OF_MEMORY|0:125|60|5|2026-01-02T03:04:05|n3|NAME.1.0")
	s := look(t, run)
	if got, want := states(s), "done running waiting ended never ended unclear never unclear"; got != want {
		t.Errorf("chunks are %s, want %s", got, want)
	}
	if want := (Counts{Done: 1, Running: 1, Waiting: 1, Ended: 2, Never: 2, Unclear: 2, All: 9}); s.Counts != want {
		t.Errorf("counts are %+v", s.Counts)
	}
	for i, want := range map[int]string{
		2: "more time than the partition allows, so it will never start", 3: "reached its time limit: ended by SIGTERM",
		4: "cancelled before it started", 5: "used more memory than it may", 7: "never submitted", 8: "retry finds out",
	} {
		if !strings.Contains(s.Chunks[i].Why, want) {
			t.Errorf("chunk %d %q, want %q", i+1, s.Chunks[i].Why, want)
		}
	}
	// Of chunk 1 the journal knows the total, of the others the plan guesses 1.
	if want := (Trials{Done: 10, Of: 5 + 3 + 1 + 2 + 5, OK: 10}); s.Trials != want {
		t.Errorf("trials are %+v, want %+v", s.Trials, want)
	}
	if len(s.Best) != 3 || s.Best[0].Matrix != "m1" || s.Best[0].Precision != kernels.Float32 || s.Best[0].Cache != trial.Cold || s.Best[0].Seconds <= 0 || s.Best[0].GFLOPS <= 0 {
		t.Errorf("best are %+v", s.Best)
	}
	if s.Finish != ChunkWaiting || !s.Active() || s.Silent != "" {
		t.Errorf("finish %q, silent %q", s.Finish, s.Silent)
	}
	if c := s.Chunks[3]; c.Job != "12_3" || c.Node != "n1" || !c.OutOfTime {
		t.Errorf("chunk 4 is %+v", c)
	}
	if lines, err := LastLines(s.Chunks[3].Log, 2); err != nil || !slices.Equal(lines, []string{"two", "three"}) {
		t.Errorf("its log ends with %q, %v", lines, err)
	}
}

// Journals alone say what is done; without Slurm nothing else is claimed.
func TestStatusWithoutSlurm(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := statusRun(t)
	s := look(t, run)
	if got, want := states(s), "done unclear unclear unclear unclear unclear unclear never unclear"; got != want {
		t.Errorf("chunks are %s, want %s", got, want)
	}
	if s.Trials.Done != 10 || s.Counts.Done != 1 || !strings.Contains(s.Silent, "no answer") || !s.Active() {
		t.Errorf("status %+v", s)
	}
	// A controller that has forgotten all, and no accounting.
	says(t, dir, "queue", run)
	s = look(t, run)
	if got, want := states(s), "done ended ended ended ended ended ended never unclear"; got != want {
		t.Errorf("chunks are %s, want %s", got, want)
	}
	if s.Silent != "" || s.Chunks[3].Why != "ended, and Slurm no longer knows how: ended by SIGTERM" {
		t.Errorf("silent %q, chunk 4 %q", s.Silent, s.Chunks[3].Why)
	}
}

// Why a task ended is said in Slurm's words, where these are all that is known, and
// one that never ran did not end.
func TestStatusSaysWhyTasksFailed(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := statusRun(t)
	says(t, dir, "queue", run,
		"12|1|FAILED|0:07|5:00|2026-01-02T03:04:05|n2|NAME.1.0|JobLaunchFailure", // it has a journal
		"12|2|FAILED|0:00|20:00|N/A||NAME.1.0|BadConstraints",
		"12|3|FAILED|0:07|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NonZeroExitCode",
		"12|4|FAILED|0:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|JobLaunchFailure",
		"12|5|CANCELLED|0:00|5:00|2026-01-02T03:04:05||NAME.1.0|PartitionTimeLimit",
		"12|6|DEADLINE|0:00|5:00|N/A||NAME.1.0|DeadLine")
	s := look(t, run)
	if got, want := states(s), "done ended never ended ended never never never unclear"; got != want {
		t.Errorf("chunks are %s, want %s", got, want)
	}
	for i, want := range map[int]string{
		1: "was killed by a signal, as kill -9 sends it (JobLaunchFailure)",
		2: "asked for what no node has (BadConstraints), and never started",
		3: "failed: ended by SIGTERM",
		4: "was killed by a signal, or could not be started on its node (JobLaunchFailure)",
		5: "was cancelled before it started: it asks for more time than the partition allows (PartitionTimeLimit)",
		6: "could not end before its deadline (DeadLine), and never started",
	} {
		if s.Chunks[i].Why != want {
			t.Errorf("chunk %d %q, want %q", i+1, s.Chunks[i].Why, want)
		}
	}
	if s.Chunks[2].Reason != "BadConstraints" {
		t.Errorf("chunk 3 is %+v", s.Chunks[2])
	}
}

// The number of an old job was given to another one.
func TestStatusOfReusedNumber(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := statusRun(t)
	says(t, dir, "queue", run, "12|1|RUNNING|1:00|5:00|2026-01-02T03:04:05|n2|somebody-else.1.0|None")
	if s := look(t, run); s.Chunks[1].State != ChunkEnded {
		t.Errorf("chunk 2 is %+v", s.Chunks[1])
	}
	if jobs, err := run.active(t.Context(), hasty); err != nil || len(jobs) > 0 {
		t.Errorf("active are %+v, %v", jobs, err)
	}
}

// A tracker reads on where it stopped, and a line only once it is whole.
func TestTrackerReadsOn(t *testing.T) {
	run := newRun(t, 2)
	must(t, os.WriteFile(run.Path(jobsFile), nil, 0o666))
	w := write(t, run, 0, "1_0", 0, 3)
	tracker := NewTracker(run)
	done := func() Trials {
		t.Helper()
		must(t, tracker.read(t.Context()))
		return tracker.Status(View{}).Trials
	}
	if n := done(); n.Done != 3 {
		t.Fatalf("%+v", n)
	}
	must(t, w.Record(t.Context(), testTrial("m1", 3)))
	path := w.Path()
	data, err := os.ReadFile(path)
	must(t, err)
	cut := len(data) - 20
	must(t, os.WriteFile(path, data[:cut], 0o666))
	if n := done(); n.Done != 3 {
		t.Errorf("half a line counts: %+v", n)
	}
	appendTo(t, path, string(data[cut:]))
	failed := testTrial("m1", 4)
	failed.Status = trial.Fault
	must(t, w.Record(t.Context(), failed))
	if n := done(); n != (Trials{Done: 5, Of: 2 * perJournal, OK: 4, Failed: 1}) {
		t.Errorf("%+v", n)
	}
	// Another attempt at the same trials: one is new, one ends better than before.
	again := write(t, run, 0, "1_0", 3, 6)
	if n := done(); n != (Trials{Done: 6, Of: 2 * perJournal, OK: 6}) {
		t.Errorf("%+v", n)
	}
	end(t, again, "m1", trial.Whole, "")
	if n := done(); n != (Trials{Done: 6, Of: 6 + perJournal, OK: 6}) {
		t.Errorf("%+v", n)
	}
}

func TestPace(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	type trials struct {
		n          int
		began, ago time.Duration
	}
	for _, c := range []struct {
		name   string
		trials []trials
		want   float64 // per second
	}{
		{"nothing", nil, 0},
		{"long ago", []trials{{1, time.Hour, time.Hour}}, 0},
		{"began a minute ago", []trials{{120, time.Minute, 30 * time.Second}}, 2},
		{"goes on", []trials{{1, time.Hour, time.Hour}, {300, time.Hour, time.Minute}}, 0.5},
		{"several at once", []trials{{300, time.Hour, time.Minute}, {300, 2 * time.Minute, time.Second}}, 1},
		{"after a long pause", []trials{{5000, time.Hour, 50 * time.Minute}, {120, time.Minute, time.Second}}, 2},
		{"after a short pause", []trials{{60, time.Hour, 9 * time.Minute}, {120, 2 * time.Minute, time.Second}}, 1},
		{"a clock is ahead", []trials{{1, -time.Minute, -time.Minute}}, 1},
	} {
		p := newPace()
		for _, trials := range c.trials {
			for range trials.n {
				p.add(now.Add(-trials.began), now.Add(-trials.ago))
			}
		}
		if got := p.rate(now); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", c.want) {
			t.Errorf("%s: %g a second, want %g", c.name, got, c.want)
		}
	}
}
