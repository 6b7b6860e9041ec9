package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
	"spmvtune/store"
	"spmvtune/tuner/journal"
)

// merge brings the journals into the database. It fails the test if the run is called complete before
// every planned trial is in a journal.
func (f *faulty) merge() slurm.Merge { return f.mergeRound(0) }

func (f *faulty) mergeRound(round int) slurm.Merge {
	f.t.Helper()
	m, err := status.Merge(f.t.Context(), f.run, round, func(*slurm.Merge) error { return nil })
	slurmlab.Must(f.t, err)
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
	names, err := journal.List(f.run.Path(slurm.JournalsDir))
	slurmlab.Must(f.t, err)
	for _, name := range names {
		for line, err := range journal.Read(f.t.Context(), f.run.Path(slurm.JournalsDir, name.String())) {
			if err == nil && line.Trial != nil && !slices.Contains(ids, line.Trial.ID) {
				ids = append(ids, line.Trial.ID)
			}
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
	slurmlab.Must(f.t, f.retry())
	if list := f.slurm.queue(); slices.ContainsFunc(list, queued.waits) {
		f.t.Errorf("more was sent for a complete run: %+v", list)
	}

	slurmlab.Must(f.t, os.Remove(f.run.Path("results.db")))
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
	db, err := store.OpenReadOnly(f.run.Path("results.db"))
	slurmlab.Must(f.t, err)
	defer db.Close()
	table, err := db.Query(f.t.Context(), "SELECT identity FROM trial ORDER BY identity")
	slurmlab.Must(f.t, err)
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
		slurmlab.Must(t, os.Remove(path))
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
	slurmlab.Must(t, os.WriteFile(path, data, 0o666))
	return what
}
