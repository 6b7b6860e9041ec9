package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"spmvtune/internal/atomicfile"
)

// fix returns what the file at path says, which the first task that needs it writes:
// mine, if none has. Of several tasks at once one does, and the file appears whole: a
// link can't replace a file, on any file system that nodes share.
func fix[T any](path string, mine T) (first T, err error) {
	for {
		data, err := os.ReadFile(path)
		if err == nil {
			if err := json.Unmarshal(data, &first); err != nil {
				return first, fmt.Errorf("reading %s: %w: it was damaged; delete it, and the next task writes it", path, err)
			}
			return first, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return first, err
		}
		if data, err = json.MarshalIndent(mine, "", "\t"); err != nil {
			return first, err
		}
		if err := atomicfile.Create(path, append(data, '\n')); err != nil && !errors.Is(err, fs.ErrExist) {
			return first, err
		}
	}
}
