package journal

import (
	"context"
	"path/filepath"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// finishedIn returns what the other journals of the family of one say of trials. A
// journal that can't be read is left out, or what can't.
func finishedIn(ctx context.Context, dir string, own Name) (map[string]tuner.Known, error) {
	names, err := List(dir)
	if err != nil {
		return nil, err
	}
	finished := map[string]tuner.Known{}
	for _, name := range names {
		if name.Family() != own.Family() || name == own {
			continue
		}
		for rec, err := range Read(ctx, filepath.Join(dir, name.String())) {
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				break // taken away since, or out of reach
			}
			if rec.Trial != nil {
				note(finished, rec.Trial.Result)
			}
		}
	}
	return finished, nil
}

// note adds a result. Once a trial has ended well, that stays. What is measured again is
// no result of its trial.
func note(finished map[string]tuner.Known, r trial.Result) {
	switch known := finished[r.ID]; {
	case r.Final && known.Status == trial.OK:
		known.Finals = append(known.Finals, r.Median)
		finished[r.ID] = known
	case !r.Again() && known.Status != trial.OK:
		finished[r.ID] = tuner.Known{Status: r.Status, Median: r.Median, Low: r.Low, High: r.High, Samples: r.Samples}
	}
}
