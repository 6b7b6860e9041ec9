package store

import (
	"context"
	"slices"

	"spmvtune/tuner/trial"
)

// A Good is a trial that counts, with what a comparison with another database needs. It has no
// samples.
type Good struct {
	Row
	Backend, Model string // backend and model of the device

	// Drift is what Undrift divided the times by. It is 1 if no drift was significant.
	Drift float64
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

// Undrift takes out the drift of the device where sentinels show one, and reads the telemetry, of
// trials that Good returned.
func (db *DB) Undrift(ctx context.Context, trials []*Good) error {
	const chunk = 10_000 // keeps the list that is handed to SQLite below a megabyte
	drifted, err := db.from().watch(ctx)
	for part := range slices.Chunk(trials, chunk) {
		if err == nil {
			err = db.undrift(ctx, part, drifted)
		}
	}
	return db.wrap("reading telemetry", err)
}

func (db *DB) undrift(ctx context.Context, trials []*Good, drifted map[trial.Case]*drift) error {
	wanted := map[string][]*Good{}
	var ids []string
	for _, g := range trials {
		wanted[g.ID] = append(wanted[g.ID], g)
		ids = append(ids, g.ID)
	}

	return db.from().each(ctx, trialQuery{
		want: wantTelemetry, where: []string{withIdentities("t")}, args: []any{identities(ids)},
	}, func(s *stored) error {
		for _, g := range wanted[s.ID] {
			g.Row = s.Row
			g.Drift = drifted[watched(g.Place())].takeOut(&g.Row, s.origin)
		}
		return nil
	})
}
