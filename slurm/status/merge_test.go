// SPDX-License-Identifier: Apache-2.0

package status

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

func mergeRun(tb testing.TB, run *slurm.Run) slurm.Merge {
	tb.Helper()
	return testkit.Must(mergeOnly(tb.Context(), run))
}

func mergeOnly(ctx context.Context, run *slurm.Run) (slurm.Merge, error) {
	return Merge(ctx, run, 0, func(*slurm.Merge) error { return nil })
}

// count is the number of trials in the run's database, each of which must be
// there with its samples.
func count(tb testing.TB, run *slurm.Run) int64 {
	tb.Helper()
	db := testkit.Must(store.OpenReadOnly(run.Path(slurm.DatabaseFile)))
	defer db.Close()
	table, err := db.Query(tb.Context(),
		"SELECT count(*), count(s.trial) FROM trial t LEFT JOIN sample s ON s.trial = t.id")
	testkit.Succeed(tb, err)
	testkit.Equal(tb, table.Rows[0][0], table.Rows[0][1], "%v trials have samples of", table.Rows[0][1])
	return table.Rows[0][0].(int64)
}

func TestMerge(t *testing.T) {
	run := slurmtest.NewRun(t, 4)
	// Chunk 1: killed in the middle of a line, then finished by a second attempt
	// that measured one trial again.
	first := slurmtest.Write(t, run, 0, "1_0", 0, 5)
	info := testkit.Must(os.Stat(first.Path()))
	testkit.Succeed(t, os.Truncate(first.Path(), info.Size()-3))
	second := slurmtest.Write(t, run, 0, "1_0b", 3, 10)
	slurmtest.End(t, second, "m1", trial.Part{Of: 1}, "")
	// Chunk 2: a line was altered since.
	altered := slurmtest.Write(t, run, 1, "1_1", 0, 3)
	data := slurmlab.Read(t, altered.Path())
	testkit.Succeed(t, os.WriteFile(altered.Path(),
		[]byte(strings.Replace(data, slurmtest.TestTrial("m2", 1).ID, "0", 1)), 0o666))
	slurmtest.End(t, altered, "m2", trial.Part{Of: 1}, "out of time")
	// Chunk 3 was killed, chunk 4 has not begun.
	slurmtest.Write(t, run, 2, "1_2", 0, 1)

	m := mergeRun(t, run)
	testkit.Check(t, m.New == 10+2+1 && m.Known == 1 && m.Journals == 4 && m.Complete == 1, "%+v", m)
	wantMissing := []slurm.Missing{{Chunk: "0002", Attempts: 1, Job: "1_1", Journal: "0002.1_1.0.jsonl", Reason: "out of time"},
		{Chunk: "0003", Attempts: 1, Job: "1_2", Journal: "0003.1_2.0.jsonl"}, {Chunk: "0004"}}
	for i := range m.Missing {
		m.Missing[i].At = time.Time{}
	}
	testkit.EqualLists(t, m.Missing, wantMissing, "missing")
	var faults []string
	for _, f := range m.Faulty {
		faults = append(faults, fmt.Sprintf("%s lost %d: %s", f.File, f.Lost, f.First[:6]))
	}
	testkit.Equal(t, strings.Join(faults, "\n"), "0002.1_1.0.jsonl lost 1: line 4", "faults are")
	testkit.Equal(t, count(t, run), 13, "the database has")
	again := mergeRun(t, run)
	testkit.Check(t, again.New == 0 && again.Known == 14, "merged again: %+v", again)
	testkit.Equal(t, count(t, run), 13, "after a second merge the database has")
}

// Merges in parallel with each other and with tasks that write lose nothing and
// disturb nobody.
func TestMergeWhileTasksWrite(t *testing.T) {
	const tasks, trials = 3, 40
	run := slurmtest.NewRun(t, tasks)
	var writers, mergers sync.WaitGroup
	for i := range tasks {
		writers.Go(func() {
			w, err := journal.Create(t.Context(), run.Path(slurm.JournalsDir), slurmtest.ChunkID(i), "1_1", 0, nil)
			if err == nil {
				defer w.Close()
				err = errors.Join(w.Matrix(t.Context(), slurmtest.TestMatrix(slurmtest.MatrixName(i))),
					w.Begin(t.Context(), slurmtest.TestRun()))
			}
			for n := 0; err == nil && n < trials; n++ {
				err = w.Record(t.Context(), slurmtest.TestTrial(slurmtest.MatrixName(i), n))
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
				m, err := mergeOnly(t.Context(), run)
				if err != nil {
					t.Error(err)
					return
				}
				for _, f := range m.Faulty {
					testkit.Check(t, f.Lost == 0, "%+v", f)
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
	run := slurmtest.NewRun(t, 1)
	w := slurmtest.Write(t, run, 0, "1_0", 0, 2)
	began, goOn, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		_, err := Merge(t.Context(), run, 0, func(*slurm.Merge) error { close(began); <-goOn; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	slurmtest.End(t, w, "m1", trial.Part{Of: 1}, "")
	both.Go(func() {
		defer close(second)
		if _, err := Merge(t.Context(), run, 1, func(*slurm.Merge) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-second:
	case <-time.After(300 * time.Millisecond):
	}
	close(goOn)
	both.Wait()
	l := testkit.Must(run.Ledger())
	testkit.Check(t, l.Merge.Complete == 1 && l.Merge.Round == 1, "the last merge is %+v", l.Merge)
}

func TestMergeStops(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	slurmtest.Write(t, run, 0, "1_1", 0, 2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.Is(t, testkit.Err(mergeOnly(ended, run)), context.Canceled, "the merge")
	f := testkit.Must(os.Create(run.Path(".merge.lock"))) // as another merge has it
	defer f.Close()
	testkit.Succeed(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	testkit.Is(t, testkit.Err(mergeOnly(soon, run)), context.DeadlineExceeded, "the merge")
	testkit.Succeed(t, f.Close())
	testkit.Equal(t, mergeRun(t, run).New, 2, "new trials")
}

// Of a damaged database nothing is needed: a merge says that it may go, and makes it again.
func TestMergeIntoDamagedDatabase(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"cut":             func(data []byte) []byte { return data[:len(data)/2] },
		"without a start": func(data []byte) []byte { return append(bytes.Repeat([]byte("x"), 600), data[600:]...) },
		"another schema":  func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("identity"), []byte("idextity")) },
		"noise": func(data []byte) []byte {
			return append(data[:4096:4096], bytes.Repeat([]byte{0xa5}, len(data)-4096)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := slurmtest.NewRun(t, 1)
			slurmtest.EndAll(t, slurmtest.Write(t, run, 0, "1_0", 0, 50), "m1", 50)
			mergeRun(t, run)
			data := slurmlab.Read(t, run.Path(slurm.DatabaseFile))
			testkit.Succeed(t, os.WriteFile(run.Path(slurm.DatabaseFile), damage([]byte(data)), 0o666))
			if m, err := mergeOnly(t.Context(), run); err == nil || !strings.Contains(err.Error(), "delete it and merge again") {
				t.Fatalf("merged %+v, %v", m, err)
			}
			testkit.Succeed(t, os.Remove(run.Path(slurm.DatabaseFile)))
			m := mergeRun(t, run)
			testkit.Check(t, m.New == 50 && count(t, run) == 50, "merged again: %+v", m)
		})
	}
}

// Without locks, a merge by hand may end after that of a round which saw more.
func TestMergeThatEndsLate(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	slurmtest.Send(t, run, 1, 1, "12")
	slurmtest.Database(t, run.Dir)
	began := time.Now().UTC()
	testkit.Succeed(t, run.NoteMerge(&slurm.Merge{At: began.Add(time.Second), Round: 1, Complete: 1}))
	testkit.Succeed(t, run.NoteMerge(&slurm.Merge{At: began, Missing: []slurm.Missing{{Chunk: "0001"}}}))
	last := run.LastMerge()
	testkit.Check(t, last != nil && last.Round == 1 && len(last.Missing) == 0, "the last merge is %+v", last)
	testkit.Succeed(t, run.NoteMerge(&slurm.Merge{At: began.Add(time.Minute), Known: 3, Complete: 1}))
	last = run.LastMerge()
	testkit.Check(t, last.Round == 1 && last.Known == 3, "after another merge by hand, the last one is %+v", last)
}
