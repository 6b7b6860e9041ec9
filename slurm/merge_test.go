package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spmvtune/store"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// write starts a journal of a chunk with trials from, …, to-1 on its matrix.
func write(tb testing.TB, run *Run, chunk int, job string, from, to int) *journal.Writer {
	tb.Helper()
	w := writer(tb, run, chunkID(chunk), job)
	must(tb, w.Matrix(tb.Context(), testMatrix(matrixName(chunk))))
	must(tb, w.Begin(tb.Context(), testRun()))
	for n := from; n < to; n++ {
		must(tb, w.Record(tb.Context(), testTrial(matrixName(chunk), n)))
	}
	return w
}

// end says that the chunk's only piece is complete, or why not.
func end(tb testing.TB, w *journal.Writer, matrix string, part trial.Part, reason string) {
	tb.Helper()
	must(tb, w.End(journal.End{Reason: reason, At: time.Now(), Pieces: []journal.Piece{{Matrix: matrix, Part: part, Complete: reason == ""}}}))
}

func merge(tb testing.TB, run *Run) Merged {
	tb.Helper()
	m, err := Merge(tb.Context(), run)
	must(tb, err)
	return m
}

// count is the number of trials in the run's database, each of which must be
// there with its samples.
func count(tb testing.TB, run *Run) int64 {
	tb.Helper()
	db, err := store.OpenReadOnly(run.Path(databaseFile))
	must(tb, err)
	defer db.Close()
	table, err := db.Query(tb.Context(), "SELECT count(*), count(s.trial) FROM trial t LEFT JOIN sample s ON s.trial = t.id")
	must(tb, err)
	if table.Rows[0][0] != table.Rows[0][1] {
		tb.Errorf("%v trials have samples of %v", table.Rows[0][1], table.Rows[0][0])
	}
	return table.Rows[0][0].(int64)
}

func TestMerge(t *testing.T) {
	run := newRun(t, 4)
	// Chunk 1: killed in the middle of a line, then finished by a second attempt
	// that measured one trial again.
	first := write(t, run, 0, "1_0", 0, 5)
	info, err := os.Stat(first.Path())
	must(t, err)
	must(t, os.Truncate(first.Path(), info.Size()-3))
	second := write(t, run, 0, "1_0b", 3, 10)
	end(t, second, "m1", trial.Whole, "")
	// Chunk 2: a line was altered since.
	altered := write(t, run, 1, "1_1", 0, 3)
	data, err := os.ReadFile(altered.Path())
	must(t, err)
	must(t, os.WriteFile(altered.Path(), []byte(strings.Replace(string(data), testTrial("m2", 1).ID, "0", 1)), 0o666))
	end(t, altered, "m2", trial.Whole, "out of time")
	// Chunk 3 was killed, chunk 4 has not begun.
	write(t, run, 2, "1_2", 0, 1)

	m := merge(t, run)
	if m.New != 10+2+1 || m.Known != 1 || m.Journals != 4 || m.Complete != 1 {
		t.Errorf("%+v", m)
	}
	wantMissing := []Missing{{Chunk: "0002", Attempts: 1, Job: "1_1", Reason: "out of time"}, {Chunk: "0003", Attempts: 1, Job: "1_2"}, {Chunk: "0004"}}
	for i := range m.Missing {
		m.Missing[i].At = time.Time{}
	}
	if !slices.Equal(m.Missing, wantMissing) {
		t.Errorf("missing are %+v, want %+v", m.Missing, wantMissing)
	}
	var faults []string
	for _, f := range m.Faulty {
		faults = append(faults, fmt.Sprintf("%s torn %t damaged %d: %s", f.File, f.Torn, f.Damaged, f.First[:6]))
	}
	if want := "0001.1_0.0.jsonl torn true damaged 0: line 7\n0002.1_1.0.jsonl torn false damaged 1: line 4"; strings.Join(faults, "\n") != want {
		t.Errorf("faults are\n%s\nwant\n%s", strings.Join(faults, "\n"), want)
	}
	if n := count(t, run); n != 13 {
		t.Errorf("the database has %d trials", n)
	}
	if again := merge(t, run); again.New != 0 || again.Known != 14 {
		t.Errorf("merged again: %+v", again)
	}
	if n := count(t, run); n != 13 {
		t.Errorf("after a second merge the database has %d trials", n)
	}
}

// Merges in parallel with each other and with tasks that write lose nothing and
// disturb nobody.
func TestMergeWhileTasksWrite(t *testing.T) {
	const tasks, trials = 3, 40
	run := newRun(t, tasks)
	var writers, mergers sync.WaitGroup
	for i := range tasks {
		writers.Go(func() {
			w, err := journal.Create(t.Context(), run.Path(journalsDir), chunkID(i), "1_1", 0, journal.Options{})
			if err == nil {
				defer w.Close()
				err = errors.Join(w.Matrix(t.Context(), testMatrix(matrixName(i))), w.Begin(t.Context(), testRun()))
			}
			for n := 0; err == nil && n < trials; n++ {
				err = w.Record(t.Context(), testTrial(matrixName(i), n))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	var mu sync.Mutex
	total := 0
	for range 2 {
		mergers.Go(func() {
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				m, err := Merge(t.Context(), run)
				if err != nil {
					t.Error(err)
					return
				}
				for _, f := range m.Faulty {
					if f.Damaged+f.Orphans+f.Unknown > 0 {
						t.Errorf("%+v", f)
					}
				}
				mu.Lock()
				total += m.New
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	close(done)
	mergers.Wait()
	if n := count(t, run); total != tasks*trials || n != int64(total) {
		t.Errorf("%d trials were new, %d are there, want %d", total, n, tasks*trials)
	}
}

// A merge that began later and saw more has the last word, however long the report of
// an earlier one takes.
func TestMergesInOrder(t *testing.T) {
	run := newRun(t, 1)
	w := write(t, run, 0, "1_0", 0, 2)
	began, goOn, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		_, err := MergeAndReport(t.Context(), run, 0, func(*LastMerge) error { close(began); <-goOn; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	end(t, w, "m1", trial.Whole, "")
	both.Go(func() {
		defer close(second)
		if _, err := MergeAndReport(t.Context(), run, 1, func(*LastMerge) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-second:
	case <-time.After(300 * time.Millisecond):
	}
	close(goOn)
	both.Wait()
	if m, err := run.LastMerge(); err != nil || m.Complete != 1 || m.Round != 1 {
		t.Errorf("the last merge is %+v, %v", m, err)
	}
}

// More journals than are read ahead, more trials than are committed at once.
func TestMergeMany(t *testing.T) {
	run := newRun(t, 41)
	for i := range 41 {
		generate(t, run, i)
	}
	if m := merge(t, run); m.New != 41*perJournal || m.Faulty != nil {
		t.Errorf("%d new, %v", m.New, m.Faulty)
	}
	if n := count(t, run); n != 41*perJournal {
		t.Errorf("%d trials", n)
	}
}

func TestMergeStops(t *testing.T) {
	run := newRun(t, 1)
	write(t, run, 0, "1_1", 0, 2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := Merge(ended, run); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", m, err)
	}
	f, err := os.Create(run.Path(mergeLock)) // as another merge has it
	must(t, err)
	defer f.Close()
	must(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if m, err := Merge(soon, run); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", m, err)
	}
	must(t, f.Close())
	if m := merge(t, run); m.New != 2 {
		t.Errorf("%+v", m)
	}
}

// A journal that can't be read is said, and the others are merged.
func TestMergeUnreadable(t *testing.T) {
	run := newRun(t, 2)
	must(t, os.Mkdir(run.Path(journalsDir, "0001.1_1.0.jsonl"), 0o777))
	must(t, unix.Mkfifo(run.Path(journalsDir, "0001.1_1.1.jsonl"), 0o666))
	write(t, run, 1, "1_2", 0, 2)
	m := merge(t, run)
	if m.New != 2 || len(m.Faulty) != 2 || !m.Faulty[0].Unread || !m.Faulty[1].Unread || !strings.Contains(m.Faulty[1].First, "not a file") {
		t.Errorf("%+v", m)
	}
	must(t, os.WriteFile(run.Path(jobsFile), nil, 0o666))
	tracker := NewTracker(run)
	must(t, tracker.read(t.Context()))
	if n := tracker.Status(View{}).Trials.Done; n != 2 {
		t.Errorf("%d trials are done", n)
	}
}
