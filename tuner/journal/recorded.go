package journal

import (
	"context"
	"path/filepath"

	"spmvtune/tuner/trial"
)

// recordedIn returns what the other journals of the family of one say of trials. A
// journal that can't be read is left out, and so is a line that can't.
func recordedIn(ctx context.Context, dir string, own Name) (map[string]trial.Record, error) {
	names, err := List(dir)
	if err != nil {
		return nil, err
	}

	recorded := map[string]trial.Record{}
	for _, name := range names {
		if name.Family() != own.Family() || name == own {
			continue
		}
		for rec, err := range Read(ctx, filepath.Join(dir, name.String())) {
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				break // the file was removed, or is out of reach
			}
			if rec.Trial != nil {
				note(recorded, rec.Trial.Result)
			}
		}
	}

	return recorded, nil
}

// note adds a result, without what only the journal needs. A repeat measurement is kept
// beside the result of its trial.
func note(recorded map[string]trial.Record, r trial.Result) {
	r.Properties, r.Warnings, r.Telemetry = nil, nil, nil
	old, is := recorded[r.ID]
	switch {
	case r.Again() && old.Status == trial.OK:
		r.Samples = nil
		old.Repeats = append(old.Repeats, r)
		recorded[r.ID] = old
	case !r.Again() && (!is || r.Precedence().Replaces(old.Precedence())):
		recorded[r.ID] = trial.Record{Result: r, Repeats: old.Repeats}
	}
}
