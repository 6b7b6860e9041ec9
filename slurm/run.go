// SPDX-License-Identifier: Apache-2.0

// Package slurm runs a sweep on a cluster: it cuts the sweep into chunks, sends them through
// sbatch as arrays of tasks, watches them, and unites what they measured in one database.
// Slurm is the engine; nothing of it is rebuilt here.
//
// This package holds the run: a folder on the file system that all nodes share, with the
// plan, the ledger of what happened since, the scripts and the program. A task reads its chunk from
// the plan by index. It never opens the database: every attempt appends to a journal of its
// own (package tuner/journal), and what the journals hold decides what is done. What Slurm
// says about a job only explains.
//
//   - slurm/sbatch asks Slurm through its programs
//   - slurm/submit sends a run's jobs, sends again, cancels and throttles; it gives a new run what an earlier one
//     has measured
//   - slurm/status says how far a run is, and why its tasks wait or failed; it brings the journals into the database
package slurm

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
)

// A Run is a submitted sweep: a folder that all nodes see.
type Run struct {
	Dir string // Dir is the folder's absolute path.
	Info
}

// Info is what run.json says about a run. It does not change.
type Info struct {
	Sweep string `json:"sweep"` // Sweep is the sweep's name.
	// ID tells runs of a sweep apart. The folder and the jobs are named Sweep-ID.
	ID string `json:"id"`
	// Base is the absolute path of the folder that paths in the sweep are relative to.
	Base    string `json:"base"`
	Version string `json:"version"` // Version is the program's version.
	// Program is the SHA-256 of the program in bin/, which the tasks run.
	Program string `json:"program"`
	// Digest is over all values of the sweep but [slurm], and OwnDigest over its own kernels; "" if it
	// has none.
	Digest    string `json:"digest"`
	OwnDigest string `json:"own_digest,omitempty"`
	// CUDA is the SHA-256 of the program in bin/ that is built with CUDA and measures for
	// Program; "" if there is none.
	CUDA    string    `json:"cuda,omitempty"`
	Created time.Time `json:"created"` // Created is in UTC.
	// Folder is the absolute path where the run was submitted and its jobs look for it.
	Folder string `json:"folder"`
	// Downloads are the files of the sweep's matrices of the SuiteSparse collection by
	// Group/Name, as they were found at submission; "" stands for a twin. All tasks measure
	// these.
	Downloads map[string]string `json:"downloads"`
	// Dependency is what the tasks of the first submission wait for, as sbatch takes it.
	Dependency string `json:"dependency,omitempty"`
	// Environment has the variables of sbatch that counted when the run was submitted.
	Environment map[string]string `json:"environment,omitempty"`
}

// JobName is the run's unique name. The names of its jobs begin with it.
func (r *Run) JobName() string { return r.Sweep + "-" + r.ID }

// The files of a run.
const (
	JournalsDir  = "journals"
	LogsDir      = "logs"
	LedgerFile   = "ledger.jsonl" // what happened since: lines before and after every sbatch, and settings
	DatabaseFile = "results.db"   // what merges write
	TaskScript   = "task.sh"
	FinishScript = "finish.sh"

	ownFile     = "kernels.json" // the sweep's own kernels, with their sources; not there if it has none
	InfoFile    = "run.json"
	sweepFile   = "sweep.toml"
	planFile    = "plan.json"
	roundsDir   = "rounds"   // 001.json, …: the chunks of a submission, in the order of their tasks
	binDir      = "bin"      // the programs, as they were when the run was submitted
	matricesDir = "matrices" // NAME.json: the content of a matrix, pinned by the first task that loads it
)

// Path is the path of a file of the run.
func (r *Run) Path(elem ...string) string {
	return filepath.Join(append([]string{r.Dir}, elem...)...)
}

// makeFolder makes a folder of the run where it is missing. It never makes that of the run: a task goes on for a while
// in one that was moved away, and another in its place would pass for the run.
func (r *Run) makeFolder(name string) error {
	if err := os.Mkdir(r.Path(name), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making a folder of the run: %w", err)
	}
	return nil
}

// Read reads a file of the run.
func (r *Run) Read(name string) ([]byte, error) { return read(r.Path(name)) }

// read reads a file of at most a gigabyte.
func read(path string) ([]byte, error) { return files.ReadFile(path, 1e9) }

var errDamaged = errors.New("it was damaged")

// readJSON reads a file of JSON. Its error names the file, and is errDamaged if that holds none.
func readJSON[T any](path string) (v T, err error) {
	data, err := read(path)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("reading %s: %w: %w", path, err, errDamaged)
	}
	return v, nil
}

// writeJSON writes v into a new file, or over an old one, as write does.
func writeJSON(write func(path string, text []byte) error, path string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return write(path, append(text, '\n'))
}

// IsRun reports whether a folder is the folder of a run, perhaps a damaged one.
func IsRun(dir string) bool { return isFile(filepath.Join(dir, InfoFile)) }

// runFormat is the format of a run folder. A folder without a number has the first format.
const runFormat = 1

// A formatted Info is what run.json holds.
type formatted struct {
	Format int `json:"format"`
	Info
}

// Open opens the folder of a run that was submitted.
func Open(dir string) (*Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening run: %w", err)
	}
	file := filepath.Join(dir, InfoFile)
	info, err := readJSON[formatted](file)
	switch {
	case errors.Is(err, fs.ErrNotExist), isFile(dir):
		return nil, notRun(dir)
	case errors.Is(err, errDamaged):
		return nil, fmt.Errorf("%w; submit the sweep again", err)
	case err != nil:
		return nil, err
	case info.Format > runFormat:
		return nil, fmt.Errorf("run %s was submitted by a newer version of this program (%s): update the program",
			dir, info.Version)
	case info.Sweep == "" || info.ID == "":
		return nil, fmt.Errorf("%s does not belong to a run: it names neither a sweep nor a run", file)
	}
	return &Run{Dir: dir, Info: info.Info}, nil
}

// A Listed run is a folder of a run.
type Listed struct {
	*Run      // The run is nil if it can't be opened.
	Name, Dir string
	Err       error // Err says why it can't be opened.
}

// List returns the runs below root, the oldest first, and the damaged ones last. It skips other
// folders, and runs that were never submitted.
func List(root string) ([]Listed, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	var runs, damaged []Listed
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if !IsRun(dir) {
			continue
		}
		if run, err := Open(dir); err == nil {
			runs = append(runs, Listed{run, e.Name(), dir, nil})
		} else {
			damaged = append(damaged, Listed{nil, e.Name(), dir, err})
		}
	}
	slices.SortFunc(runs, func(a, b Listed) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return append(runs, damaged...), nil
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
	return fmt.Errorf("%s is not the folder of a run, because it has no %s: %s", dir, InfoFile, remedy)
}

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
	files := map[string]string{}
	for _, m := range sweep.Matrices {
		if m.SuiteSparse != "" && m.Resolved() {
			files[m.SuiteSparse] = m.Path
		}
	}
	return files
}

// Create makes the folder of a run below root, with everything that must be there before the
// submission. program is the file of the program that the tasks run; the one in the same
// folder that is built with CUDA comes with it.
//
// The folder gets its name when it is complete. After an error nothing is left, and what a Create that was killed
// has left, a later one removes.
func Create(root string, sweep *configs.Sweep, plan Plan, program, version string) (*Run, error) {
	r, err := New(root, sweep, version)
	if err != nil {
		return nil, err
	}
	root = filepath.Dir(r.Dir)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of runs: %w", err)
	}
	removeLeftovers(root)
	hidden := filepath.Join(root, "."+r.JobName()+files.Temporary)
	if err = os.Mkdir(hidden, 0o777); err == nil {
		err = r.fill(hidden, sweep, plan, program)
	}
	if err == nil {
		err = os.Rename(hidden, r.Dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the folder of the run: %w", err), os.RemoveAll(hidden))
	}
	return r, nil
}

// fill writes the files of the run into a folder.
func (r *Run) fill(dir string, sweep *configs.Sweep, plan Plan, program string) error {
	for _, name := range []string{binDir, LogsDir, JournalsDir, roundsDir} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			return err
		}
	}
	if err := r.copyPrograms(dir, program, slices.Contains(sweep.Backends(), "cuda")); err != nil {
		return err
	}

	own, err := ownText(sweep)
	if err != nil {
		return err
	}
	texts := map[string][]byte{
		sweepFile: sweep.Text, TaskScript: []byte(r.TaskScriptText(sweep.Slurm)),
		FinishScript: []byte(r.FinishScriptText(sweep.Slurm)), LedgerFile: {},
	}
	if own != nil {
		texts[ownFile], r.OwnDigest = own, digest(own)
	}
	if r.Digest, err = sweepDigest(sweep.Text); err != nil {
		return err
	}
	for name, v := range map[string]any{planFile: plan, InfoFile: formatted{runFormat, r.Info}} {
		if texts[name], err = json.MarshalIndent(v, "", "\t"); err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := files.Create(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// leftover matches the names of the folders that Create fills.
var leftover = regexp.MustCompile(`^\..*-\d{8}-[a-z2-7]{6}` + regexp.QuoteMeta(files.Temporary) + "$")

// removeLeftovers removes the folders below root whose Create was killed: nothing was added for an hour.
func removeLeftovers(root string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && leftover.MatchString(e.Name()) && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
}
