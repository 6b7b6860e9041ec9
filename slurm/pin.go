package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"spmvtune/internal/base/files"
)

// pin returns what the file at path says. The first task that needs the file writes it, with
// mine. If several tasks try at once, one succeeds, on any file system that nodes share.
func pin[T any](path string, mine T) (first T, err error) {
	for {
		data, err := read(path)
		if err == nil {
			if err := json.Unmarshal(data, &first); err != nil {
				return first, fmt.Errorf("reading %s: %w: it was damaged; delete it, and the next task writes it",
					path, err)
			}
			return first, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return first, err
		}

		if data, err = json.MarshalIndent(mine, "", "\t"); err != nil {
			return first, err
		}
		if err := files.Create(path, append(data, '\n')); err != nil && !errors.Is(err, fs.ErrExist) {
			return first, err
		}
	}
}
