package slurm

import (
	"os"
	"path/filepath"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// The program built with CUDA that would measure must be that of the run, wherever the one that runs is.
func TestOtherProgramBesideThisOne(t *testing.T) {
	dir := t.TempDir()
	beside := filepath.Join(dir, cudaName)
	self := filepath.Join(dir, programName)
	link := filepath.Join(t.TempDir(), programName)
	for _, err := range []error{
		os.WriteFile(self, nil, 0o777), os.WriteFile(beside, []byte("one"), 0o777), os.Symlink(self, link),
	} {
		slurmlab.Must(t, err)
	}
	hash, err := hashOf(os.Open(beside))
	slurmlab.Must(t, err)
	r := &Run{Info: Info{CUDA: hash}}
	if err := r.checkBeside(link); err != nil {
		t.Error(err)
	}
	slurmlab.Must(t, os.WriteFile(beside, []byte("other"), 0o777))
	if err := r.checkBeside(link); err == nil {
		t.Error("another program may measure")
	}
}
