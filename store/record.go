package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

var (
	_ tuner.Recorder  = (*DB)(nil)
	_ tuner.Librarian = (*DB)(nil)
)

// errReadOnly is what recording gives on a database opened with OpenReadOnly.
var errReadOnly = errors.New("the database is open for reading only")

// A recorder is what Record needs beyond the result: the current run, and the keys of what
// its results refer to.
type recorder struct {
	stmts statements

	mu   sync.Mutex
	run  *tuner.RunInfo            // the last one
	runs map[string]*tuner.RunInfo // the last one on each device, by its UUID
	keys keys
}

// known returns the run that results of a device belong to, and the keys that are known.
func (r *recorder) known(uuid string) (*tuner.RunInfo, keys) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.runs[uuid]; run != nil {
		return run, r.keys
	}
	return r.run, r.keys
}

// learn adds keys to those that are known, which others may be reading, and sets the run
// unless it is nil.
func (r *recorder) learn(k keys, run *tuner.RunInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := newKeys()
	all.add(r.keys)
	all.add(k)
	r.keys = all
	if run != nil {
		r.run = run
	}
	if run != nil && run.Origin.UUID != "" {
		r.runs[run.Origin.UUID] = run
	}
}

// Use records that a run uses a sweep, whether it will measure anything or not: the title and the [report] section
// of the sweep that was used last hold. Of run it reads the sweep, its protocol and the version.
func (db *DB) Use(ctx context.Context, run tuner.RunInfo) error {
	if err := trial.CheckNames(run.Sweep.Name); err != nil {
		return err
	}
	return db.transact(ctx, "recording the sweep", func(tx *sql.Tx) error {
		_, err := putSweep(ctx, tx, run, time.Now())
		return err
	})
}

// Begin names the run that the following results of its device belong to. A sweep whose file
// has the same text as an earlier one of its name continues that one.
func (db *DB) Begin(ctx context.Context, run tuner.RunInfo) error {
	k := newKeys()
	err := db.record(ctx, "recording the start of a run", k, func(w *writer) error {
		return w.begin(ctx, &run, time.Now())
	})
	if err == nil {
		db.rec.learn(k, &run)
	}
	return err
}

// Matrix records m, or brings up to date what is known of a matrix with its
// content. Another matrix of the same name, from an earlier content of a file,
// gets the end of its hash into its name.
func (db *DB) Matrix(ctx context.Context, m trial.Matrix) error {
	k := newKeys()
	err := db.record(ctx, "recording a matrix", k, func(w *writer) error { return w.matrix(ctx, m) })
	if err == nil {
		db.rec.learn(k, nil)
	}
	return err
}

// Ask says that a run wants the trials with these identities as far as they are known: of several
// trials of a configuration, the last that was measured or wanted counts.
func (db *DB) Ask(ctx context.Context, ids []string) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "deciding which trials count", func(tx *sql.Tx) error { return ask(ctx, tx, ids, time.Now()) })
}

// Record keeps r, with its samples, in one commit. When it returns nil, r survives the death of
// the process. Recording an identity again replaces a result that did not end well, and leaves
// one that did, unless that was measured later. trial.Standing says which of several trials of a
// configuration, and of a place, count. Repeats are kept beside the result of their trial.
func (db *DB) Record(ctx context.Context, r trial.Result) error {
	run, k := db.rec.known(r.UUID)
	return db.record(ctx, "recording "+r.Config.String(), k, func(w *writer) error {
		if err := w.look(ctx, []string{r.ID}); err != nil {
			return err
		}
		if err := w.put(ctx, run, &r); err != nil {
			return err
		}
		return w.flush(ctx)
	})
}

// record gives f a writer with these keys in a transaction; what says what for.
func (db *DB) record(ctx context.Context, what string, k keys, f func(*writer) error) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, what, func(tx *sql.Tx) error { return f(newWriter(ctx, tx, db.rec.stmts, k)) })
}

// transact runs f in a transaction; what says what for.
func (db *DB) transact(ctx context.Context, what string, f func(*sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err == nil {
		defer tx.Rollback()
		err = f(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err == nil {
		err = db.there()
	}
	return db.wrap(what, err)
}

// there returns an error if the file was removed or replaced: what is written then goes nowhere.
func (db *DB) there() error {
	info, err := os.Stat(db.path)
	if err == nil && os.SameFile(info, db.file) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.New("the file was removed or replaced while it was written: what was recorded is lost")
}
