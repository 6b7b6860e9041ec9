package store

import (
	"context"
	"database/sql"
)

// Counts are what a profiler counted in the products of a trial, by name; what was not counted is
// missing. Shares are fractions, the others are of one product.
//
// Of a GPU: occupancy (resident warps per the most that a multiprocessor holds), warp_efficiency
// (the share of a warp's threads that took part in an instruction) and load_efficiency (the share
// of the bytes moved by global loads that were asked for). Of a processor: instructions,
// data_refs, d1_misses and ll_misses.
type Counts map[string]float64

// addTo adds what was counted to the facts of a trial, which may be nil. The backend's own
// occupancy is the theoretical one.
func (c Counts) addTo(facts *map[string]float64) {
	for name, v := range c {
		if name == "occupancy" {
			name = "achieved_occupancy"
		}
		if *facts == nil {
			*facts = map[string]float64{}
		}
		(*facts)[name] = v
	}
}

// countsOf is the expression for what was counted in a trial, a JSON object.
func (from source) countsOf() string {
	switch {
	case from.schema >= schemaCounters:
		return "(SELECT json_group_object(name, value) FROM counter WHERE trial = t.id)"
	case from.schema >= schemaProfile:
		return `(SELECT json_patch('{}', json_object('occupancy', occupancy, 'warp_efficiency', warp_efficiency,
			'load_efficiency', load_efficiency)) FROM counted WHERE trial = t.id)`
	default:
		return "NULL"
	}
}

// SaveCounts keeps what was counted in trials, by identity. A counter that a trial has already is
// replaced. Trials that are not recorded are ignored.
func (db *DB) SaveCounts(ctx context.Context, counts map[string]Counts) error {
	if db.write == nil {
		return errReadOnly
	}
	return db.transact(ctx, "recording a profile", func(tx *sql.Tx) error {
		for identity, c := range counts {
			if err := putCounts(ctx, tx, identity, c); err != nil {
				return err
			}
		}
		return nil
	})
}
