package slurm

import (
	"path/filepath"
	"time"

	"spmvtune/internal/base/files"
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
	// has none. Runs of early versions have neither.
	Digest    string `json:"digest,omitempty"`
	OwnDigest string `json:"own_digest,omitempty"`
	// CUDA is the SHA-256 of the program in bin/ that is built with CUDA and measures for
	// Program; "" if there is none.
	CUDA    string    `json:"cuda,omitempty"`
	Created time.Time `json:"created"` // Created is in UTC.
	// Folder is the absolute path where the run was submitted and its jobs look for it. It is
	// "" in runs of early versions.
	Folder string `json:"folder"`
	// Downloads are the files of the sweep's matrices of the SuiteSparse collection by
	// Group/Name, as they were found at submission; "" stands for a twin. All tasks measure
	// these.
	Downloads map[string]string `json:"downloads,omitempty"`
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
	JobsFile     = "jobs.jsonl" // lines before and after every sbatch
	TaskScript   = "task.sh"
	FinishScript = "finish.sh"

	ownFile     = "kernels.json" // the sweep's own kernels, with their sources; not there if it has none
	infoFile    = "run.json"
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

// Read reads a file of the run.
func (r *Run) Read(name string) ([]byte, error) { return read(r.Path(name)) }

// read reads a file of at most a gigabyte.
func read(path string) ([]byte, error) { return files.ReadFile(path, 1e9) }
