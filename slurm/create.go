package slurm

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/atomicfile"
)

// The programs in bin/: the second, built with CUDA, measures for the first.
const (
	programName = "spmvtune"
	cudaName    = "spmvtune-cuda"
)

// New names a run of sweep in a folder below root, and writes nothing.
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
		// 30 random bits: two runs of a name and a day have different names, as
		// their jobs must.
		ID:      now.Format("20060102") + "-" + strings.ToLower(rand.Text()[:6]),
		Base:    base,
		Version: version,

		Downloads: downloads(sweep),

		Created: now.UTC().Truncate(time.Second),
	}}
	r.Dir = filepath.Join(root, r.JobName())
	r.Folder = r.Dir
	return r, checkDir(r.Dir)
}

// downloads are the settled matrices of the collection in a sweep.
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

// Create makes the folder of a run below root, with all that must be there before
// anything is submitted. program is the file of the program that the tasks are to
// run; that of the same folder that is built with CUDA comes with it.
//
// run.json is written last: a folder without it is not a run. On an error nothing
// is left.
func Create(root string, sweep *configs.Sweep, plan Plan, program, version string) (*Run, error) {
	for {
		r, err := New(root, sweep, version)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(r.Dir), 0o777); err != nil {
			return nil, fmt.Errorf("making the folder of runs: %w", err)
		}
		err = os.Mkdir(r.Dir, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue // another name, then
		}
		if err == nil {
			if err = r.fill(sweep, plan, program); err != nil {
				os.RemoveAll(r.Dir)
			}
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
	if err := r.copyPrograms(program); err != nil {
		return err
	}
	chunks, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	info, err := json.MarshalIndent(struct {
		Format int `json:"format"`
		Info
	}{runFormat, r.Info}, "", "\t")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{sweepFile, sweep.Text},
		{planFile, chunks},
		{TaskScript, []byte(r.TaskScriptText(sweep.Slurm))},
		{FinishScript, []byte(r.FinishScriptText())},
		{JobsFile, nil},
		{infoFile, append(info, '\n')},
	} {
		if err := atomicfile.Create(r.Path(f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// copyPrograms copies the program, and the one built with CUDA beside it, to bin/:
// a program that is built anew can't change a run.
func (r *Run) copyPrograms(program string) error {
	resolved, err := filepath.EvalSymlinks(program)
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	if r.Program, err = copyFile(r.program(), resolved); err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(resolved), cudaName)
	if info, err := os.Stat(beside); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	r.CUDA, err = copyFile(r.cudaProgram(), beside)
	return err
}

// copyFile copies a program to a file that is not there yet, and returns its SHA-256.
func copyFile(to, from string) (hash string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if err != nil {
		return "", err
	}

	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, out.Sync(), out.Close())
}
