package store

import (
	"context"
	"database/sql"
	"math"

	"spmvtune/tuner/trial"
)

// putOrigin records where a run is; 0 where nothing is known of it.
func putOrigin(ctx context.Context, tx *sql.Tx, o trial.Origin) (id int64, err error) {
	if o == (trial.Origin{}) {
		return 0, nil
	}
	// Setting what is there already gives the id of a row that is not new, too.
	err = tx.QueryRowContext(ctx, `
		INSERT INTO origin (node, uuid, job) VALUES (?, ?, ?)
		ON CONFLICT (node, uuid, job) DO UPDATE SET node = excluded.node
		RETURNING id`, o.Node, o.UUID, o.Job).Scan(&id)
	return id, err
}

// readingValues are the columns of the table reading.
func readingValues(trial int64, t trial.Telemetry) []any {
	var energy, reasons any
	if t.Energy > 0 {
		energy = t.Energy
	}
	if t.HasReasons {
		reasons = int64(t.Reasons)
	}
	return []any{trial, count(int64(t.SMClock)), count(int64(t.MemoryClock)), count(int64(t.Temperature)),
		count(int64(math.Round(1e3 * t.Power))), energy, reasons, t.Repeated, t.Throttled}
}
