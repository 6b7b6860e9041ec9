package slurm

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/base/files"
)

// New names a run of a sweep, in a folder below root. It writes nothing.
func New(root string, sweep *configs.Sweep, version string) (*Run, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("finding the folder of runs: %w", err)
	}
	base, err := filepath.Abs(filepath.Dir(sweep.Path))
	if err != nil {
		return nil, fmt.Errorf("finding the folder of the sweep: %w", err)
	}

	now := time.Now()
	r := &Run{Info: Info{
		Sweep: sweep.Name,
		// 30 random bits give two runs of one sweep and day different names, as their jobs
		// need.
		ID:        now.Format("20060102") + "-" + strings.ToLower(rand.Text()[:6]),
		Base:      base,
		Version:   version,
		Created:   now.UTC().Truncate(time.Second),
		Downloads: downloads(sweep),

		Dependency:  sweep.Slurm.Dependency,
		Environment: sweep.Slurm.Environment,
	}}

	r.Dir = filepath.Join(root, r.JobName())
	r.Folder = r.Dir
	return r, checkDir(r.Dir)
}

// downloads returns the files of the matrices of the collection in a sweep, where it is known
// what they are here.
func downloads(sweep *configs.Sweep) map[string]string {
	var files map[string]string
	for _, m := range sweep.Matrices {
		if m.SuiteSparse != "" && m.Resolved() {
			if files == nil {
				files = map[string]string{}
			}
			files[m.SuiteSparse] = m.Path
		}
	}

	return files
}

// Create makes the folder of a run below root, with everything that must be there before the
// submission. program is the file of the program that the tasks run; the one in the same
// folder that is built with CUDA comes with it.
//
// run.json is written last: a folder without it is not a run. After an error nothing is left, and what a
// Create that was killed has left, the next one removes.
func Create(root string, sweep *configs.Sweep, plan Plan, program, version string) (*Run, error) {
	for {
		r, err := New(root, sweep, version)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(r.Dir), 0o777); err != nil {
			return nil, fmt.Errorf("making the folder of runs: %w", err)
		}

		removeLeftovers(filepath.Dir(r.Dir))
		unlock, err := makeLocked(r.Dir)
		if errors.Is(err, fs.ErrExist) {
			continue // with another name
		}
		if err == nil {
			if err = r.fill(sweep, plan, program); err != nil {
				os.RemoveAll(r.Dir)
			}
			unlock()
		}
		if err != nil {
			return nil, fmt.Errorf("making the folder of the run: %w", err)
		}
		return r, nil
	}
}

// fill writes the files of the run.
func (r *Run) fill(sweep *configs.Sweep, plan Plan, program string) error {
	for _, dir := range []string{binDir, LogsDir, JournalsDir, roundsDir} {
		if err := os.Mkdir(r.Path(dir), 0o777); err != nil {
			return err
		}
	}
	if err := r.copyPrograms(program, slices.Contains(sweep.Backends(), "cuda")); err != nil {
		return err
	}

	chunks, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	type file struct {
		name string
		data []byte
	}
	list := []file{
		{sweepFile, sweep.Text},
		{planFile, chunks},
		{TaskScript, []byte(r.TaskScriptText(sweep.Slurm))},
		{FinishScript, []byte(r.FinishScriptText(sweep.Slurm))},
		{JobsFile, nil},
	}
	own, err := ownText(sweep)
	if err != nil {
		return err
	}
	if own != nil {
		list = append(list, file{ownFile, own})
		r.OwnDigest = digest(own)
	}

	if r.Digest, err = sweepDigest(sweep.Text); err != nil {
		return err
	}
	info, err := json.MarshalIndent(struct {
		Format int `json:"format"`
		Info
	}{runFormat, r.Info}, "", "\t")
	if err != nil {
		return err
	}
	for _, f := range append(list, file{infoFile, append(info, '\n')}) {
		if err := files.Create(r.Path(f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}
