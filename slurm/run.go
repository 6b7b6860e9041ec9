package slurm

import (
	"path/filepath"
	"time"
)

// A Run is a submitted sweep: a folder that all nodes see.
type Run struct {
	Dir string // absolute
	Info
}

// Info is what run.json keeps of a run. It does not change.
type Info struct {
	Sweep   string    `json:"sweep"`          // its name
	ID      string    `json:"id"`             // with the name it is the folder's and the jobs': NAME-ID
	Base    string    `json:"base"`           // absolute: the folder that paths in the sweep are relative to
	Version string    `json:"version"`        // of the program
	Program string    `json:"program"`        // SHA-256 of the copy in bin/, which the tasks run
	CUDA    string    `json:"cuda,omitempty"` // SHA-256 of that built with CUDA, which measures for it; "": there is none
	Created time.Time `json:"created"`        // UTC
	Folder  string    `json:"folder"`         // absolute: where it was submitted, and its jobs look for it; "" in runs of versions before it was

	// Downloads are the files of the sweep's matrices of the SuiteSparse collection,
	// by Group/Name, as they were when the run was submitted; "" stands for a twin. All
	// tasks measure these.
	Downloads map[string]string `json:"downloads,omitempty"`
}

// JobName is the unique name of the run's jobs, without what tells them apart.
func (r *Run) JobName() string { return r.Sweep + "-" + r.ID }

// The files of a run.
const (
	infoFile     = "run.json"
	sweepFile    = "sweep.toml"
	planFile     = "plan.json"
	JobsFile     = "jobs.jsonl" // an entry for every sbatch, before and after it
	roundsDir    = "rounds"     // 001.json, …: the chunks of a submission, in the order of their index
	binDir       = "bin"        // the program as it was when the run was submitted
	LogsDir      = "logs"
	JournalsDir  = "journals"
	TaskScript   = "task.sh"
	FinishScript = "finish.sh"
	deviceFile   = "device.json" // the device model of the run, fixed by its first task
	matricesDir  = "matrices"    // NAME.json: the content of a matrix, fixed by the first task that loads it
)

// Path is where a file of the run lies.
func (r *Run) Path(elem ...string) string {
	return filepath.Join(append([]string{r.Dir}, elem...)...)
}
