package store

import (
	"context"
	"database/sql"
	"math"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// putOrigin records where a run is. It returns 0 if nothing is known of it.
func putOrigin(ctx context.Context, tx *sql.Tx, o trial.Origin) (id int64, err error) {
	if o == (trial.Origin{}) {
		return 0, nil
	}
	// The update changes nothing, but makes RETURNING give the id of a row that exists.
	err = tx.QueryRowContext(ctx, `
		INSERT INTO origin (node, uuid, job) VALUES (?, ?, ?)
		ON CONFLICT (node, uuid, job) DO UPDATE SET node = excluded.node
		RETURNING id`, o.Node, o.UUID, o.Job).Scan(&id)
	return id, err
}

// readingValues are the columns of the table reading besides the trial.
func readingValues(t trial.Telemetry) []any {
	var reasons any
	if t.HasReasons {
		reasons = int64(t.Reasons)
	}
	return []any{nonzero(t.SMClock), nonzero(t.MemoryClock), nonzero(t.Temperature),
		nonzero(int64(math.Round(1e3 * t.Power))), positive(t.Energy), reasons, t.Repeated, t.Throttled}
}

// A reading is a row of the table of that name, which most trials do not have.
type reading struct {
	trial.Telemetry
	trial, milliwatts int64
	reasons           sql.Null[int64]
}

// fields returns what the columns are read into.
func (r *reading) fields() []field {
	return []field{
		{"r.trial", orZero(&r.trial)}, {"r.sm_clock", orZero(&r.SMClock)}, {"r.memory_clock", orZero(&r.MemoryClock)},
		{"r.temperature", orZero(&r.Temperature)}, {"r.power", orZero(&r.milliwatts)}, {"r.energy", orZero(&r.Energy)},
		{"r.clock_reasons", &r.reasons}, {"r.repeated", orZero(&r.Repeated)}, {"r.throttled", orZero(&r.Throttled)},
	}
}

// telemetry is what was read, nil if the trial has none.
func (r *reading) telemetry() *trial.Telemetry {
	if r.trial == 0 {
		return nil
	}
	t := r.Telemetry
	t.Power = float64(r.milliwatts) / 1e3
	t.Reasons, t.HasReasons = kernels.ClockReasons(r.reasons.V), r.reasons.Valid
	return &t
}
