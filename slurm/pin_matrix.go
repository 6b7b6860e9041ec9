package slurm

import (
	"fmt"
	"os"

	"spmvtune/tuner/trial"
)

// A Content identifies the content of a matrix in a run. A file that is replaced during the
// run would give a mixture of both.
type Content struct {
	Matrix string `json:"matrix"` // Matrix is the name in the sweep.
	// Hash is over sizes, row pointers, columns and values.
	Hash string `json:"hash"`
	Job  string `json:"job"`  // Job is the task that loaded the matrix.
	Node string `json:"node"` // Node is where it loaded it.
}

// PinMatrix makes sure that a task may measure a matrix as it loaded it. The first task of a
// run that loads a matrix pins its content, and the others must find the same.
func (r *Run) PinMatrix(t Task, m trial.Matrix) error {
	if err := os.MkdirAll(r.Path(matricesDir), 0o777); err != nil {
		return fmt.Errorf("pinning the content of %s: %w", m.Name, err)
	}
	// Names of matrices have no slash.
	mine := Content{Matrix: m.Name, Hash: m.Hash, Job: t.Job, Node: t.Node}
	first, err := pin(r.Path(matricesDir, m.Name+".json"), mine)
	if err != nil {
		return fmt.Errorf("pinning the content of %s: %w", m.Name, err)
	}
	if first.Hash == m.Hash {
		return nil
	}
	return fmt.Errorf("%s has changed during the run: its content is %.12s on %s, "+
		"and was %.12s when task %s loaded it on %s: restore the file and retry the run, or submit the sweep again",
		m.Source, m.Hash, t.Node, first.Hash, first.Job, first.Node)
}
