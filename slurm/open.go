package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"spmvtune/internal/atomicfile"
	"spmvtune/internal/term"
)

// IsRun reports whether a folder is that of a run, be it a damaged one.
func IsRun(dir string) bool { return isFile(filepath.Join(dir, infoFile)) }

// runFormat is the form of a run folder. A folder without a number has the first.
const runFormat = 1

// Open opens the folder of a run that was submitted.
func Open(dir string) (*Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening run: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, infoFile))
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
		return nil, fmt.Errorf("reading %s: %w: it was damaged; submit the sweep again", filepath.Join(dir, infoFile), err)
	}
	switch {
	case info.Format > runFormat:
		return nil, fmt.Errorf("run %s was submitted by a newer version of this program (%s): update the program", dir, info.Version)
	case info.Sweep == "" || info.ID == "":
		return nil, fmt.Errorf("%s is not of a run: it names neither a sweep nor a run", filepath.Join(dir, infoFile))
	}
	return &Run{Dir: dir, Info: info.Info}, nil
}

// isFile reports whether path is there and not a folder.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// notRun says what dir is instead of the folder of a run.
func notRun(dir string) error {
	switch _, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no run %s: give the folder that submit printed", dir)
	case isFile(dir):
		return fmt.Errorf("%s is a file, not the folder of a run: give the folder that submit printed", dir)
	}
	return fmt.Errorf("%s is not the folder of a run, since it has no %s: give the folder that submit printed", dir, infoFile)
}

// plan reads the plan as it is now: retry adds to it.
func (r *Run) Plan() (Plan, error) {
	var p Plan
	data, err := os.ReadFile(r.Path(planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("run %s has lost its %s, without which nothing can be made of it: copy it back, or submit the sweep again", r.Dir, planFile)
	}
	if err != nil {
		return p, fmt.Errorf("reading the plan: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("reading %s: %w: it was damaged; copy it back, or submit the sweep again", r.Path(planFile), err)
	}
	return p, nil
}

// ReplacePlan makes plan that of the run. Tasks that read it meanwhile see the one
// or the other, and find their chunk in both.
func (r *Run) ReplacePlan(plan Plan) error {
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(r.Path(planFile), data); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}

// lost says that a file of what was submitted is gone, without which it is not known
// which tasks there are.
func (r *Run) lost(file string) error {
	return fmt.Errorf("run %s has lost its %s, which says what was submitted: spmvtune merge %s brings what is measured into the database; for the rest copy the file back, or submit the sweep again",
		r.Dir, file, term.Shell(r.Dir))
}
