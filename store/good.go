package store

import (
	"context"
	"slices"

	"spmvtune/tuner/trial"
)

// A Good is a trial that counts, with what a comparison with another database needs.
type Good struct {
	Row
	Backend, Model string // backend and model of the device

	// Sampled divides the times by the drift of the device, and sets Samples, Telemetry and
	// the fields below.

	// Drift is what the times were divided by. It is 1 if no drift was significant.
	Drift float64
	// Repeat is how well trials repeat there, as a fraction, see stat.Repeatability. It is 0
	// if it is not known.
	Repeat float64
}

// Throttled is the number of samples that were kept though the device throttled.
func (g *Good) Throttled() int {
	if g.Telemetry == nil {
		return 0
	}
	return g.Telemetry.Throttled
}

// Good returns the trials that count, without samples, ordered by device, matrix,
// precision, cache state, kernel and time.
func (db *DB) Good(ctx context.Context) ([]Good, error) {
	g := Good{Drift: 1}
	var list []Good
	names := interner{}
	err := db.from().each(ctx, trialQuery{
		where: counting,
		order: "d.name, m.name, t.precision, t.cache, k.name, t.median, t.id",
	}, func(s *stored) error {
		g.Row = s.Row
		names.row(&g.Row)
		intern(names, &g.Backend)
		intern(names, &g.Model)
		list = append(list, g)
		return nil
	}, field{"d.backend", &g.Backend}, field{"d.model", &g.Model})
	return list, db.wrap("reading trials", err)
}

// Sampled reads the samples of trials that Good returned, and takes out the drift of the
// device where sentinels show one.
func (db *DB) Sampled(ctx context.Context, trials []*Good) error {
	const chunk = 10_000 // keeps the list that is handed to SQLite below a megabyte
	drifted, err := db.from().watch(ctx)
	for part := range slices.Chunk(trials, chunk) {
		if err == nil {
			err = db.sampled(ctx, part, drifted)
		}
	}
	return db.wrap("reading samples", err)
}

func (db *DB) sampled(ctx context.Context, trials []*Good, drifted map[trial.Place]*drift) error {
	wanted := map[string][]*Good{}
	var ids []string
	for _, g := range trials {
		wanted[g.ID] = append(wanted[g.ID], g)
		ids = append(ids, g.ID)
	}

	return db.from().each(ctx, trialQuery{
		want: wantSamples | wantTelemetry, where: []string{withIdentities("t")}, args: []any{identities(ids)},
	}, func(s *stored) error {
		for _, g := range wanted[s.ID] {
			d := drifted[watched(g.Place())]
			g.Result = s.Result
			g.Samples = slices.Clone(s.Samples)
			g.Drift = d.takeOut(&g.Result, s.origin)
			if d != nil {
				g.Repeat = d.repeat
			}
		}
		return nil
	})
}
