package slurm_test

import (
	"os"
	"path/filepath"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
)

// Runs of a program share one copy of it, which goes with the last of them, and a sweep for the
// processor has no program for GPUs.
func TestRunsShareTheirPrograms(t *testing.T) {
	root, from := t.TempDir(), t.TempDir()
	program := filepath.Join(from, "spmvtune")
	create := func(text string) *slurm.Run {
		t.Helper()
		slurmlab.Must(t, os.WriteFile(program, []byte(text), 0o777))
		slurmlab.Must(t, os.WriteFile(program+"-cuda", []byte("cuda"), 0o777))
		run, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, program, "test")
		slurmlab.Must(t, err)
		return run
	}
	file := func(run *slurm.Run) os.FileInfo {
		t.Helper()
		info, err := os.Stat(run.Path("bin", "spmvtune"))
		slurmlab.Must(t, err)
		return info
	}

	one, two, other := create("first"), create("first"), create("second")
	if !os.SameFile(file(one), file(two)) || os.SameFile(file(one), file(other)) {
		t.Error("two runs of one program have a copy each, or one of another program shares it")
	}
	if one.Program != two.Program || one.CUDA != "" {
		t.Errorf("the programs are %q, %q and %q", one.Program, two.Program, one.CUDA)
	}
	if _, err := os.Stat(one.Path("bin", "spmvtune-cuda")); err == nil {
		t.Error("a run for the processor has the program for GPUs")
	}

	slurmlab.Must(t, os.WriteFile(one.Path("bin", "spmvtune"), []byte("damaged"), 0o777))
	if text, err := os.ReadFile(create("first").Path("bin", "spmvtune")); err != nil || string(text) != "first" {
		t.Errorf("a later run has %q, %v", text, err)
	}
	slurmlab.Must(t, os.RemoveAll(other.Dir))
	create("third")
	if kept, _ := filepath.Glob(filepath.Join(root, ".programs", "*")); len(kept) != 2 {
		t.Errorf("of the first and the third program there are %d copies", len(kept))
	}
}
