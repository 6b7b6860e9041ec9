package journal

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"spmvtune/tuner"
)

// finishedIn returns the trials in the journals of a family, with the status
// they ended in.
func finishedIn(ctx context.Context, dir, family string) (map[string]tuner.Status, error) {
	names, err := List(dir)
	if err != nil {
		return nil, err
	}
	finished := map[string]tuner.Status{}
	for _, name := range names {
		if name.Family() != family {
			continue
		}
		for rec, err := range Read(ctx, filepath.Join(dir, name.String())) {
			if errors.Is(err, fs.ErrNotExist) {
				break // taken away since
			}
			if err != nil {
				return nil, err
			}
			if rec.Trial != nil {
				note(finished, rec.Trial.Result)
			}
		}
	}
	return finished, nil
}

// note adds a result. Once a trial has ended well, that stays.
func note(finished map[string]tuner.Status, r tuner.Result) {
	if finished[r.ID] != tuner.OK {
		finished[r.ID] = r.Status
	}
}
