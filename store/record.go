// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
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
	return db.introduce(ctx, "recording the start of a run", &run, func(w *writer) error {
		return w.begin(ctx, &run, time.Now())
	})
}

// Matrix records m, or brings up to date what is known of a matrix with its
// content. Another matrix of the same name, from an earlier content of a file,
// gets the end of its hash into its name.
func (db *DB) Matrix(ctx context.Context, m trial.Matrix) error {
	return db.introduce(ctx, "recording a matrix", nil, func(w *writer) error { return w.matrix(ctx, m) })
}

// introduce records what the trials that come belong to; run is nil if it is not that.
func (db *DB) introduce(ctx context.Context, what string, run *tuner.RunInfo, f func(*writer) error) error {
	k := newKeys()
	err := db.record(ctx, what, k, f)
	if err == nil {
		db.rec.learn(k, run)
	}
	return err
}

// Record keeps r, with its samples, in one commit. When it returns nil, r survives the death of
// the process. Recording an identity again replaces a result that did not end well, and leaves
// one that did, unless that was measured later. trial.Precedence says which of several trials of a
// configuration, and of a case, count. Reruns are kept beside the result of their trial.
func (db *DB) Record(ctx context.Context, r trial.Result) error {
	run, k := db.rec.known(r.UUID)
	return db.record(ctx, "recording "+r.Config.String(), k, func(w *writer) error {
		if err := w.look(ctx, []string{r.ID}); err != nil {
			return err
		}
		return w.put(ctx, run, &r)
	})
}

// record gives f a writer with these keys in a transaction; what says what for.
func (db *DB) record(ctx context.Context, what string, k keys, f func(*writer) error) error {
	return db.transact(ctx, what, func(tx *sql.Tx) error {
		w := newWriter(tx, k)
		if err := f(w); err != nil {
			return err
		}
		return w.finish(ctx)
	})
}

// transact runs f in a transaction; what says what for.
func (db *DB) transact(ctx context.Context, what string, f func(*sql.Tx) error) error {
	if db.write == nil {
		return errReadOnly
	}
	err := within(ctx, db.write, f)
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

// putMatrix inserts m, or brings the matrix with its content up to date, and
// renames others of its name.
func putMatrix(ctx context.Context, tx *sql.Tx, m trial.Matrix) (id int64, err error) {
	if err := m.Check(); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx,
		`UPDATE matrix SET name = name || '~' || substr(hash, -8) WHERE name = ? AND hash <> ?`,
		m.Name, m.Hash); err != nil {
		return 0, err
	}
	values := []any{m.Hash, m.Name, m.Class, m.Source, m.Field, m.Symmetry,
		positive(m.FeaturesSeconds), nonzero(m.TwinOf), nonzero(m.TwinScale)}
	values = append(values, lists.Of(m.Features.Values(), func(x float64) any { return x })...)
	if err := tx.QueryRowContext(ctx, insertMatrix, values...).Scan(&id); err != nil {
		return 0, err
	}
	return id, putPattern(ctx, tx, id, m.Pattern)
}

// insertMatrix inserts a matrix, or brings it up to date.
var insertMatrix = func() string {
	columns := append([]string{"hash", "name", "class", "source", "field", "symmetry",
		"features_seconds", "twin_of", "twin_scale"}, sparse.FeatureNames()...)
	set := make([]string, len(columns))
	for i, c := range columns {
		// What is not told of a matrix takes nothing away.
		set[i] = c + " = coalesce(excluded." + c + ", " + c + ")"
		if c == "features_seconds" { // It differs each time, and the rule and claims rest on it: the first stays.
			set[i] = c + " = coalesce(" + c + ", excluded." + c + ")"
		}
	}
	return inserting("matrix", columns...) + " ON CONFLICT (hash) DO UPDATE SET " + strings.Join(set, ", ") + " RETURNING id"
}()

// run records the sweep, the device and the origin of a run, but not its kernels.
func (w *writer) run(ctx context.Context, run *tuner.RunInfo, started time.Time) (k runKeys, err error) {
	if err := trial.CheckNames(run.Sweep.Name, run.Device.Name, run.Device.Backend, run.Device.Driver); err != nil {
		return k, err
	}
	k.version = run.Version
	use, known := sweepUse{run.Sweep, run.Version, started.UnixMilli()}, false
	if k.sweep, known = w.sweeps[use]; !known {
		if k.sweep, err = putSweep(ctx, w.tx, *run, started); err != nil {
			return k, fmt.Errorf("sweep %s: %w", run.Sweep.Name, err)
		}
		w.sweeps[use] = k.sweep
	}
	if k.device, err = putDevice(ctx, w.tx, run.Device, run.Roof); err != nil {
		return k, fmt.Errorf("device %s: %w", run.Device.Name, err)
	}
	if k.origin, err = putOrigin(ctx, w.tx, run.Origin); err != nil {
		return k, fmt.Errorf("origin %s: %w", run.Origin.Node, err)
	}
	return k, nil
}

// putSweep records a sweep. Of several starts the first is kept, and the last is its last use.
func putSweep(ctx context.Context, tx *sql.Tx, run tuner.RunInfo, started time.Time) (id int64, err error) {
	settings, err := json.Marshal(run.Sweep.Settings())
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO sweep (name, title, text, hash, protocol, settings, version, started, used)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?8)
		ON CONFLICT (name, hash) DO UPDATE SET version = excluded.version, started = min(started, excluded.started),
			used = max(used, excluded.used)
		RETURNING id`, run.Sweep.Name, run.Sweep.Title, string(run.Sweep.Text),
		fmt.Sprintf("%x", sha256.Sum256(run.Sweep.Text)), run.Protocol, string(settings), run.Version,
		started.UnixMilli()).Scan(&id)
	return id, err
}

// putDevice records a device. The model is its name; a device of this model with
// another driver gives the name up for a longer one. Of the roofs measured in
// several runs the highest stays.
func putDevice(ctx context.Context, tx *sql.Tx, d kernels.Device, roof kernels.Roof) (id int64, err error) {
	properties, err := json.Marshal(d.Properties)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE device SET name = model || ' (' || backend || ' ' || driver || ')'
		WHERE name = ? AND (backend, driver) <> (?, ?)`, d.Name, d.Backend, d.Driver); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO device (name, backend, model, driver, units, max_block, memory, cache, properties,
			roof_read, roof_copy, roof_triad, roof_gather) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (backend, model, driver) DO UPDATE SET
			name = excluded.name, units = excluded.units, max_block = excluded.max_block,
			memory = excluded.memory, cache = excluded.cache, properties = excluded.properties,
			roof_read = max(roof_read, excluded.roof_read),
			roof_copy = max(roof_copy, excluded.roof_copy),
			roof_triad = max(roof_triad, excluded.roof_triad),
			roof_gather = max(roof_gather, excluded.roof_gather)
		RETURNING id`,
		d.Name, d.Backend, d.Name, d.Driver, d.Units, d.MaxBlock, d.Memory, d.Cache, string(properties),
		roof.Read, roof.Copy, roof.Triad, roof.Gather).Scan(&id)
	return id, err
}

// putKernel records a kernel. One that is neither own nor in the catalogue has no paper and no
// format.
func putKernel(ctx context.Context, tx *sql.Tx, source kernelSource, own []kernels.Custom) (id int64, err error) {
	k, _ := kernels.Find(own, source.name)
	var definition []byte
	if i := slices.IndexFunc(own, func(o kernels.Custom) bool { return o.Name == source.name }); i >= 0 {
		if definition, err = json.Marshal(own[i]); err != nil {
			return 0, fmt.Errorf("kernel %s: %w", source.name, err)
		}
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO kernel (name, digest, paper, format, definition) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name, digest) DO UPDATE SET
			paper = coalesce(nullif(excluded.paper, ''), paper), format = coalesce(nullif(excluded.format, ''), format),
			definition = coalesce(excluded.definition, definition)
		RETURNING id`, source.name, source.digest, k.Paper, string(k.Format), nonzero(string(definition))).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("kernel %s: %w", source.name, err)
	}
	return id, nil
}

// A SavedClaim is what a device's trials say about one of the papers' claims.
type SavedClaim struct {
	Claim   int    // its number
	Device  string // label
	Verdict string
	Figures []byte // JSON: what the verdict rests on
}

// SaveClaims keeps verdicts in place of all that were kept before.
func (db *DB) SaveClaims(ctx context.Context, claims []SavedClaim) error {
	return db.transact(ctx, "saving the claims", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM claim"); err != nil {
			return err
		}
		for _, c := range claims {
			if _, err := tx.ExecContext(ctx, `INSERT INTO claim (claim, device, verdict, figures)
				SELECT ?, id, ?, ? FROM device WHERE name = ?`, c.Claim, c.Verdict, string(c.Figures), c.Device); err != nil {
				return err
			}
		}
		return nil
	})
}
