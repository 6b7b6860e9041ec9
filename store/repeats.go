package store

import (
	"context"
	"encoding/json"
	"slices"

	"spmvtune/tuner/trial"
)

// A repeat is a trial that was measured again, and where that happened.
type repeat struct {
	trial.Result
	origin int64 // 0 if it is not known
}

// throttled reports whether the device throttled in samples that were kept.
func (r *repeat) throttled() bool { return r.Telemetry != nil && r.Telemetry.Throttled > 0 }

// repeats returns the repeats that a condition chooses, by identity of the trial and in the
// order of time. They know only the identity of their trials.
func (from source) repeats(ctx context.Context, condition string, args ...any) (map[string][]repeat, error) {
	list := map[string][]repeat{}
	if from.schema < schemaSentinel {
		return list, nil
	}
	var r repeat
	var throttled int
	final, spread := "0", "0" // before there were such repeats, all were sentinels
	if from.schema >= schemaFinal {
		final = "a.final"
	}
	if from.schema >= schemaSpread {
		spread = "a.spread"
	}
	fields := []field{
		{"a.identity", &r.ID}, {"a.at", moment{&r.At}}, {"a.origin", orZero(&r.origin)},
		{"a.median", &r.Median}, {"a.low", &r.Low}, {"a.high", &r.High}, {"a.data", packed{&r.Samples}},
		{"a.throttled", &throttled}, {final, &r.Final}, {spread, &r.Spread},
	}

	rows, err := from.QueryContext(ctx, "SELECT "+expressions(fields)+" FROM sentinel a WHERE "+condition+
		" ORDER BY a.identity, a.at", args...)
	err = readRows(rows, err, targets(fields), func() {
		r.Status, r.Sentinel, r.Telemetry = trial.OK, !r.Final && !r.Spread, nil
		if throttled > 0 {
			r.Telemetry = &trial.Telemetry{Throttled: throttled}
		}
		list[r.ID] = append(list[r.ID], r)
	})
	return list, err
}

// A repeatedTrial is a trial with its repeats.
type repeatedTrial struct {
	stored
	repeats []repeat
}

// again returns the repeats that the device did not throttle.
func (r *repeatedTrial) again() []repeat {
	var list []repeat
	for _, again := range r.repeats {
		if !again.throttled() {
			list = append(list, again)
		}
	}
	return list
}

// repeated returns the good trials that were measured again, with samples, ordered by
// matrix, device, cache state and identity.
func (from source) repeated(ctx context.Context) ([]repeatedTrial, error) {
	repeats, err := from.repeats(ctx, "true")
	if err != nil || len(repeats) == 0 {
		return nil, err
	}
	trials, err := from.list(ctx, trialQuery{
		want:  wantSamples,
		where: []string{"t.identity IN (SELECT identity FROM sentinel)", "t.status = 'ok'"},
		order: "t.matrix, t.device, t.cache, t.identity",
	})

	list := make([]repeatedTrial, len(trials))
	for i := range trials {
		list[i] = repeatedTrial{trials[i], repeats[trials[i].ID]}
	}
	return list, err
}

// withIdentities is a condition on the column identity of a table, whose value
// identities gives.
func withIdentities(table string) string {
	return table + ".identity IN (SELECT value FROM json_each(?))"
}

// identities are the value for withIdentities.
func identities(ids []string) string {
	data, _ := json.Marshal(ids) // strings can't fail
	return string(data)
}

// Recorded returns what is recorded of the trials with these identities.
func (db *DB) Recorded(ctx context.Context, ids []string, detail trial.Detail) (map[string]trial.Record, error) {
	const chunk = 10_000 // keeps the list that is handed to SQLite below a megabyte
	recorded := make(map[string]trial.Record)
	for part := range slices.Chunk(ids, chunk) {
		if err := db.recorded(ctx, part, detail, recorded); err != nil {
			return nil, db.wrap("looking up recorded trials", err)
		}
	}
	return recorded, nil
}

func (db *DB) recorded(ctx context.Context, ids []string, detail trial.Detail, recorded map[string]trial.Record) error {
	q := trialQuery{where: []string{withIdentities("t")}, args: []any{identities(ids)}}
	repeats := map[string][]repeat{}
	if detail == trial.Full {
		q.want = wantSamples
		var err error
		if repeats, err = db.from().repeats(ctx, withIdentities("a"), identities(ids)); err != nil {
			return err
		}
	}

	return db.from().each(ctx, q, func(s *stored) error {
		r := trial.Record{Result: s.Result}
		for _, again := range repeats[s.ID] {
			again.Trial = s.Trial
			r.Repeats = append(r.Repeats, again.Result)
		}
		recorded[s.ID] = r
		return nil
	})
}
