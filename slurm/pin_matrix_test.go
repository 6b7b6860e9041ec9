package slurm_test

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/tuner/trial"
)

// What a run measures as a matrix is what its first task found.
func TestPinMatrix(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	for _, c := range []struct {
		matrix, hash, node string
		wrong              string
	}{
		{"a", "one", "n1", ""},
		{"a", "one", "n2", ""},
		{"a", "two", "n2", "a.mtx has changed during the run: its content is two on n2, and was one when task 7_n1 loaded it on n1"},
		{"b", "two", "n2", ""},
		{"b (twin)", "three", "n2", ""},
		{"a", "one", "n3", ""},
	} {
		err := run.PinMatrix(slurm.Task{Job: "7_" + c.node, Node: c.node}, trial.Matrix{Name: c.matrix, Source: c.matrix + ".mtx", Hash: c.hash})
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)) {
			t.Errorf("%s as %s on %s: %v", c.matrix, c.hash, c.node, err)
		}
	}
}
