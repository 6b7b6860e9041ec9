package store

import (
	"context"
	"database/sql"
	"strings"

	"spmvtune/tuner/trial"
)

// uniteRows copies what the attached database "other" has: devices and matrices by the
// rules of a run, the rest by what identifies it.
func uniteRows(ctx context.Context, tx *sql.Tx, devices []Device, matrices []Matrix) error {
	for _, d := range devices {
		if _, err := putDevice(ctx, tx, d.Device, d.Roof); err != nil {
			return err
		}
	}
	for _, m := range matrices {
		if _, err := putMatrix(ctx, tx, trial.Matrix{Name: m.Name, Hash: m.Hash, Class: m.Class, Source: m.Source,
			Field: m.Field, Symmetry: m.Symmetry, Features: m.Features}); err != nil {
			return err
		}
	}
	for _, statement := range uniting {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// trialsOfOther maps the keys of a trial t of "other" to those here.
const trialsOfOther = `
	FROM other.trial t
		JOIN other.sweep os ON os.id = t.sweep JOIN main.sweep s ON s.name = os.name AND s.hash = os.hash
		JOIN other.device od ON od.id = t.device JOIN main.device d ON d.backend = od.backend AND d.model = od.model AND d.driver = od.driver
		JOIN other.matrix om ON om.id = t.matrix JOIN main.matrix m ON m.hash = om.hash
		JOIN other.kernel ok ON ok.id = t.kernel JOIN main.kernel k ON k.name = ok.name AND k.digest = ok.digest
		LEFT JOIN other.origin oo ON oo.id = t.origin
		LEFT JOIN main.origin o ON o.node = oo.node AND o.uuid = oo.uuid AND o.job = oo.job`

// uniting adds the rows of "other", in an order in which what they refer to is there.
var uniting = []string{
	`INSERT INTO main.sweep (name, title, text, hash, protocol, version, started)
		SELECT name, title, text, hash, protocol, version, started FROM other.sweep WHERE true ORDER BY id
		ON CONFLICT (name, hash) DO UPDATE SET started = min(started, excluded.started)`,
	`INSERT OR IGNORE INTO main.kernel (name, paper, format, digest)
		SELECT name, paper, format, digest FROM other.kernel ORDER BY id`,
	`INSERT OR IGNORE INTO main.origin (node, uuid, job) SELECT node, uuid, job FROM other.origin ORDER BY id`,
	`UPDATE main.matrix SET features_seconds = coalesce((SELECT o.features_seconds FROM other.matrix o WHERE o.hash = matrix.hash), features_seconds)`,
	`INSERT OR IGNORE INTO main.pattern (matrix, data)
		SELECT m.id, p.data FROM other.pattern p JOIN other.matrix om ON om.id = p.matrix JOIN main.matrix m ON m.hash = om.hash`,
	// Of a trial that failed here, and did not there, the latter is taken.
	`CREATE TEMP TABLE replaced AS SELECT t.id FROM main.trial t JOIN other.trial n ON n.identity = t.identity
		WHERE t.status <> 'ok' AND (n.status = 'ok' OR n.measured_at > t.measured_at)`,
	`DELETE FROM main.reading WHERE trial IN (SELECT id FROM replaced)`,
	`DELETE FROM main.counted WHERE trial IN (SELECT id FROM replaced)`,
	`DELETE FROM main.trial WHERE id IN (SELECT id FROM replaced)`,
	`DROP TABLE replaced`,
	`CREATE TEMP TABLE added AS SELECT id, identity FROM other.trial WHERE identity NOT IN (SELECT identity FROM main.trial)`,
	`INSERT INTO main.trial (` + strings.Join(trialColumns, ", ") + `)
		SELECT ` + strings.Join(mapped(trialColumns), ", ") + trialsOfOther + `
		WHERE t.id IN (SELECT id FROM added) ORDER BY t.id`,
	`INSERT INTO main.sample (trial, data)
		SELECT t.id, x.data FROM added a JOIN other.sample x ON x.trial = a.id JOIN main.trial t ON t.identity = a.identity`,
	`INSERT INTO main.reading
		SELECT t.id, ` + readingColumns + ` FROM added a JOIN other.reading x ON x.trial = a.id JOIN main.trial t ON t.identity = a.identity`,
	`DROP TABLE added`,
	`INSERT OR IGNORE INTO main.counted (trial, occupancy, warp_efficiency, load_efficiency)
		SELECT t.id, x.occupancy, x.warp_efficiency, x.load_efficiency
		FROM other.counted x JOIN other.trial o ON o.id = x.trial JOIN main.trial t ON t.identity = o.identity`,
	`INSERT OR IGNORE INTO main.sentinel (identity, at, origin, median, low, high, throttled, data)
		SELECT x.identity, x.at, o.id, x.median, x.low, x.high, x.throttled, x.data
		FROM other.sentinel x LEFT JOIN other.origin oo ON oo.id = x.origin
			LEFT JOIN main.origin o ON o.node = oo.node AND o.uuid = oo.uuid AND o.job = oo.job`,
	inForce,
}

// readingColumns are those of the table reading beside the trial, in their order.
const readingColumns = `sm_clock, memory_clock, temperature, power, energy, clock_reasons, repeated, throttled`

// inForce leaves in force, of the trials of each configuration, the one that was
// measured last, as supersede does for one.
const inForce = `
	WITH ranked AS (
		SELECT t.id, t.superseded, row_number() OVER (
			PARTITION BY t.matrix, t.device, t.precision, t.cache, k.name, t.params, t.grid, t.block
			ORDER BY t.measured_at DESC, t.id DESC) > 1 AS old
		FROM main.trial t JOIN main.kernel k ON k.id = t.kernel)
	UPDATE main.trial SET superseded = 1 - superseded WHERE id IN (SELECT id FROM ranked WHERE old <> superseded)`

// mapped gives what to select for each column of a trial: the keys of here.
func mapped(columns []string) []string {
	keys := map[string]string{"sweep": "s.id", "device": "d.id", "matrix": "m.id", "kernel": "k.id", "origin": "o.id"}
	list := make([]string, len(columns))
	for i, c := range columns {
		if list[i] = keys[c]; list[i] == "" {
			list[i] = "t." + c
		}
	}
	return list
}
