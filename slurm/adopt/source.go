package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// A Source is what an earlier run has measured. It is held in memory, with all samples.
type Source struct {
	Path string // Path is the folder of a run, or a database.
	// Run is nil for a database.
	Run *slurm.Run

	records map[string]*record // by identity
	// open are the matrices of chunks that the run has not completed: repeats may be missing.
	open map[string]bool
}

// A record is a trial with its repeats, and where it was measured.
type record struct {
	run *journal.Run
	trial.Record
}

// known reports whether the trial of a record is there, and not only its repeats.
func (r *record) known() bool { return r != nil && r.ID != "" && r.run != nil }

// ReadRun reads the journals of a run and, if it was merged, what its database has beyond them: journals
// may have been removed since.
func ReadRun(ctx context.Context, run *slurm.Run) (*Source, error) {
	s := &Source{Path: run.Dir, Run: run, records: map[string]*record{}, open: map[string]bool{}}
	names, err := journal.List(run.Path(slurm.JournalsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		for line, err := range journal.Read(ctx, run.Path(slurm.JournalsDir, name.String())) {
			if err != nil {
				return nil, err
			}
			if line.Trial != nil {
				s.take(line.Trial.Run, line.Trial.Result)
			}
		}
	}

	if err := s.findOpen(ctx); err != nil {
		return nil, err
	}

	database := run.Path(merge.DatabaseFile)
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err := s.readDatabase(ctx, database); err != nil && (len(s.records) == 0 || !store.Damaged(err)) {
		return nil, err
	}
	return s, nil
}

// findOpen finds the matrices that the run has not completed.
func (s *Source) findOpen(ctx context.Context) error {
	plan, err := s.Run.Plan()
	if err != nil {
		return err
	}
	missing, err := merge.Find(ctx, s.Run)
	if err != nil {
		return err
	}
	for _, c := range plan.Chunks {
		if slices.ContainsFunc(missing, func(m merge.Missing) bool { return m.Chunk == c.ID }) {
			for _, p := range c.Pieces {
				s.open[p.Matrix] = true
			}
		}
	}
	return nil
}

// ReadDatabase reads a database.
func ReadDatabase(ctx context.Context, path string) (*Source, error) {
	s := &Source{Path: path, records: map[string]*record{}}
	return s, s.readDatabase(ctx, path)
}

// take notes a result, as an import into a database does: of an identity the one in force stays.
func (s *Source) take(run *journal.Run, r trial.Result) {
	old := s.records[r.ID]
	switch {
	case old == nil:
		old = &record{run: run}
		if s.records[r.ID] = old; r.Again() {
			old.Repeats = []trial.Result{r} // of a trial that is still to come
			return
		}
		old.Result = r
	case r.Again():
		known := func(o trial.Result) bool { return o.At.UnixMilli() == r.At.UnixMilli() } // as exact as a database
		if !slices.ContainsFunc(old.Repeats, known) {
			old.Repeats = append(old.Repeats, r)
		}
	case old.ID == "" || r.Precedence().Replaces(old.Precedence()):
		old.run, old.Result = run, r
	}
}

// readDatabase adds the trials and repeats of a database that are not there yet.
func (s *Source) readDatabase(ctx context.Context, path string) (err error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	var ids []string
	runs := map[*tuner.RunInfo]*journal.Run{}
	for b, err := range db.Batches(ctx) {
		if err != nil {
			return err
		}
		if b.Run != nil && runs[b.Run] == nil {
			runs[b.Run] = &journal.Run{RunInfo: *b.Run, At: b.Started}
		}
		for _, r := range b.Results {
			if ids = append(ids, r.ID); !s.has(r.ID) {
				s.take(runs[b.Run], r)
			}
		}
	}

	repeated, err := db.Recorded(ctx, ids, trial.Full)
	if err != nil {
		return fmt.Errorf("reading repeats: %w", err)
	}
	for id, r := range repeated {
		for _, again := range r.Repeats {
			s.take(s.records[id].run, again)
		}
	}
	return nil
}
