package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// IsRun reports whether a folder is the folder of a run, perhaps a damaged one.
func IsRun(dir string) bool { return isFile(filepath.Join(dir, infoFile)) }

// runFormat is the format of a run folder. A folder without a number has the first format.
const runFormat = 1

// Open opens the folder of a run that was submitted.
func Open(dir string) (*Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening run: %w", err)
	}
	file := filepath.Join(dir, infoFile)
	data, err := read(file)
	if errors.Is(err, fs.ErrNotExist) || isFile(dir) {
		return nil, notRun(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening run: %w", err)
	}

	var info struct {
		Format int `json:"format"`
		Info
	}
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("reading %s: %w: it was damaged; submit the sweep again", file, err)
	}
	switch {
	case info.Format > runFormat:
		return nil, fmt.Errorf("run %s was submitted by a newer version of this program (%s): update the program",
			dir, info.Version)
	case info.Sweep == "" || info.ID == "":
		return nil, fmt.Errorf("%s does not belong to a run: it names neither a sweep nor a run", file)
	}
	return &Run{Dir: dir, Info: info.Info}, nil
}

// isFile reports whether path exists and is not a folder.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// notRun says what dir is instead of the folder of a run.
func notRun(dir string) error {
	const remedy = "give the folder that submit printed"
	switch _, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no run %s: %s", dir, remedy)
	case isFile(dir):
		return fmt.Errorf("%s is a file, not the folder of a run: %s", dir, remedy)
	}
	return fmt.Errorf("%s is not the folder of a run, because it has no %s: %s", dir, infoFile, remedy)
}
