package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

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
	columns := append([]string{"hash", "name", "class", "source", "field", "symmetry",
		"features_seconds", "twin_of", "twin_scale"}, featureNames()...)
	values := append([]any{m.Hash, m.Name, m.Class, m.Source, m.Field, m.Symmetry,
		positive(m.FeaturesSeconds), nonzero(m.TwinOf), nonzero(m.TwinScale)}, featureValues(m.Features)...)
	set := make([]string, len(columns))
	for i, c := range columns {
		// What an older program did not know of a matrix takes nothing away.
		set[i] = c + " = coalesce(excluded." + c + ", " + c + ")"
		if c == "features_seconds" { // It differs each time, and the rule and claims rest on it: the first stays.
			set[i] = c + " = coalesce(" + c + ", excluded." + c + ")"
		}
	}
	query := fmt.Sprintf("INSERT INTO matrix (%s) VALUES (?%s) ON CONFLICT (hash) DO UPDATE SET %s RETURNING id",
		strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)-1), strings.Join(set, ", "))
	if err := tx.QueryRowContext(ctx, query, values...).Scan(&id); err != nil {
		return 0, err
	}
	return id, putPattern(ctx, tx, id, m.Pattern)
}

// putRun records the sweep, the device and the origin of a run, but not its kernels.
func putRun(ctx context.Context, tx *sql.Tx, run tuner.RunInfo, started time.Time) (k runKeys, err error) {
	if err := trial.CheckNames(run.Sweep.Name, run.Device.Name, run.Device.Backend, run.Device.Driver); err != nil {
		return k, err
	}
	k.version = run.Version
	if k.sweep, err = putSweep(ctx, tx, run, started); err != nil {
		return k, fmt.Errorf("sweep %s: %w", run.Sweep.Name, err)
	}
	if k.device, err = putDevice(ctx, tx, run.Device, run.Roof); err != nil {
		return k, fmt.Errorf("device %s: %w", run.Device.Name, err)
	}
	if k.origin, err = putOrigin(ctx, tx, run.Origin); err != nil {
		return k, fmt.Errorf("origin %s: %w", run.Origin.Node, err)
	}
	return k, nil
}

// putSweep records a sweep. Of several starts the first is kept, and the last is its last use.
func putSweep(ctx context.Context, tx *sql.Tx, run tuner.RunInfo, started time.Time) (id int64, err error) {
	sum := sha256.Sum256(run.Sweep.Text)
	protocol, search := run.Sweep.Protocol, run.Sweep.Search
	if search.Strategy == "" { // a journal has the texts only
		protocol, search = legacySweep(run.Protocol, string(run.Sweep.Text))
	}
	columns := append([]string{"name", "title", "text", "hash", "protocol", "version", "started", "used"}, sweepColumns...)
	values := append([]any{run.Sweep.Name, run.Sweep.Title, string(run.Sweep.Text), hex.EncodeToString(sum[:]),
		run.Protocol, run.Version, started.UnixMilli(), started.UnixMilli()}, sweepValues(protocol, search)...)

	query := fmt.Sprintf(`INSERT INTO sweep (%s) VALUES (?%s)
		ON CONFLICT (name, hash) DO UPDATE SET version = excluded.version, started = min(started, excluded.started),
			used = max(ifnull(used, 0), excluded.used)
		RETURNING id`, strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)-1))
	err = tx.QueryRowContext(ctx, query, values...).Scan(&id)
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
			roof_read, roof_copy, roof_triad, roof_gather) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))
		ON CONFLICT (backend, model, driver) DO UPDATE SET
			name = excluded.name, units = excluded.units, max_block = excluded.max_block,
			memory = excluded.memory, cache = excluded.cache, properties = excluded.properties,
			roof_read = max(roof_read, excluded.roof_read),
			roof_copy = max(roof_copy, excluded.roof_copy),
			roof_triad = max(roof_triad, excluded.roof_triad),
			roof_gather = nullif(max(ifnull(roof_gather, 0), ifnull(excluded.roof_gather, 0)), 0)
		RETURNING id`,
		d.Name, d.Backend, d.Name, d.Driver, d.Units, d.MaxBlock, d.Memory, d.Cache, string(properties),
		roof.Read, roof.Copy, roof.Triad, roof.Gather).Scan(&id)
	return id, err
}

// putKernel records a kernel. One that is neither own nor in the catalogue has no paper and no
// format.
func putKernel(ctx context.Context, tx *sql.Tx, source kernelSource, own []kernels.Own) (id int64, err error) {
	k, _ := kernels.Find(own, source.name)
	var definition []byte
	if i := slices.IndexFunc(own, func(o kernels.Own) bool { return o.Name == source.name }); i >= 0 {
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
