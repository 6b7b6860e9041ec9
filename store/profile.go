package store

import (
	"context"
	"database/sql"
	"math"
)

// Counts are what a profiler counted in a launch, as fractions. They are NaN if they were not
// counted.
type Counts struct {
	// Occupancy is the achieved one: resident warps per the most that a multiprocessor holds.
	Occupancy float64
	// WarpEfficiency is the share of a warp's threads that took part in an instruction.
	WarpEfficiency float64
	// LoadEfficiency is the share of the bytes moved by global loads that were asked for.
	LoadEfficiency float64
}

var unknownCounts = Counts{math.NaN(), math.NaN(), math.NaN()}

// addTo adds what was counted to the facts of a trial, which may be nil.
func (c Counts) addTo(facts *map[string]float64) {
	for name, v := range map[string]float64{
		"achieved_occupancy": c.Occupancy, "warp_efficiency": c.WarpEfficiency, "load_efficiency": c.LoadEfficiency,
	} {
		if math.IsNaN(v) {
			continue
		}
		if *facts == nil {
			*facts = map[string]float64{}
		}
		(*facts)[name] = v
	}
}

// none reports whether nothing was counted.
func (c Counts) none() bool {
	return math.IsNaN(c.Occupancy) && math.IsNaN(c.WarpEfficiency) && math.IsNaN(c.LoadEfficiency)
}

// countsFields read what was counted in the launches of a trial.
func countsFields(c *Counts) []field {
	return []field{{"c.occupancy", orNaN{&c.Occupancy}}, {"c.warp_efficiency", orNaN{&c.WarpEfficiency}},
		{"c.load_efficiency", orNaN{&c.LoadEfficiency}}}
}

// SaveCounts replaces the counts of trials, by identity. It ignores trials that are not
// recorded.
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

// orNull is null for NaN.
func orNull(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}
