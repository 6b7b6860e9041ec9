package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		if err := writeOnce(path, mine); err != nil && !errors.Is(err, fs.ErrExist) {
			return first, err
		}
	}
}

// writeOnce writes v to a file that is not there yet.
func writeOnce(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".fix-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
