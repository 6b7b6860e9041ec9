package store

import (
	"cmp"
	"context"
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A competitor is a trial in a place. Its times are as if the device had not drifted.
type competitor struct {
	stored
	finals []float64 // medians, in seconds
}

func (c competitor) wasFinalist() bool { return len(c.finals) > 0 }

// medians are those to judge it by. Sentinels and spreads have no say: they are repeats of few
// trials, and those of others are as lucky as before.
func (c competitor) medians() []float64 { return stat.Fair(c.Median, c.finals) }

// competitors reads the trials that count in a place and whose intervals begin by reach or
// whose medians are at most limit, with finals, fastest first.
func (from source) competitors(ctx context.Context, p trial.Case, d *drift, reach,
	limit float64) ([]competitor, error) {
	trials, err := from.list(ctx, trialQuery{
		where: append(slices.Clone(counting), inPlace, "(t.low <= ? OR t.median <= ?)"),
		args:  placeArgs(p, reach, limit),
		order: "t.median, t.low, t.high, t.id",
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(trials))
	for i := range trials {
		ids[i] = trials[i].ID
	}
	repeats, err := from.repeats(ctx, withIdentities("a"), identities(ids))
	if err != nil {
		return nil, err
	}

	near := make([]competitor, len(trials))
	for i := range trials {
		c := competitor{stored: trials[i]}
		d.takeOut(&c.Row, c.origin)
		for _, r := range repeats[c.ID] {
			if r.Final && !r.throttled() {
				c.finals = append(c.finals, r.Median/d.factor(r.origin, r.At))
			}
		}
		near[i] = c
	}
	slices.SortStableFunc(near, func(a, b competitor) int { return cmp.Compare(a.Median, b.Median) })
	return near, nil
}
