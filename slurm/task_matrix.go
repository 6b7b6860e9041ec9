package slurm

import (
	"fmt"
	"os"

	"spmvtune/tuner/trial"
)

// A Content is what a matrix of a run was when its first task loaded it. A file that
// is replaced while the run goes on would give one that is half of each.
type Content struct {
	Matrix string `json:"matrix"` // its name in the sweep
	Hash   string `json:"hash"`   // of its sizes, row pointers, columns and values
	Job    string `json:"job"`    // the task that loaded it
	Node   string `json:"node"`   // and where
}

// SettleMatrix makes sure that a task may measure a matrix as it loaded it. The first
// task of a run that loads a matrix fixes its content, and others must find the same.
func (r *Run) SettleMatrix(t Task, m trial.Matrix) error {
	dir := r.Path(matricesDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("fixing the content of %s: %w", m.Name, err)
	}
	// Names of matrices have no slash.
	first, err := fix(r.Path(matricesDir, m.Name+".json"), Content{Matrix: m.Name, Hash: m.Hash, Job: t.Job, Node: t.Node})
	if err != nil {
		return fmt.Errorf("fixing the content of %s: %w", m.Name, err)
	}
	if first.Hash == m.Hash {
		return nil
	}
	return fmt.Errorf("%s has changed while the run goes on: its content is %.12s on %s, and %.12s when task %s loaded it on %s: "+
		"put back what it was and retry the run, or submit the sweep again", m.Source, m.Hash, t.Node, first.Hash, first.Job, first.Node)
}
