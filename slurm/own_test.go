package slurm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
)

// A run measures the kernels that were submitted, whatever becomes of their sources.
func TestRunCarriesOwnKernels(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) { slurmlab.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777)) }
	put("my.c", "#include \"my.h\"\nas submitted\n")
	put("my.h", "header\n")
	put("program", "")
	put("s.toml", "[[matrix]]\ngenerate = \"mycielskian\"\norder = 4\n[[kernel]]\nname = \"mine\"\nsource = \"my.c\"\n")
	sweep, err := configs.Load(filepath.Join(dir, "s.toml"))
	slurmlab.Must(t, err)
	run, err := slurm.Create(filepath.Join(dir, "runs"), sweep, slurm.Plan{}, filepath.Join(dir, "program"), "1")
	slurmlab.Must(t, err)

	for _, change := range []func(){
		func() { put("my.c", "as edited since\n") },
		func() { slurmlab.Must(t, os.Remove(filepath.Join(dir, "my.c"))) },
	} {
		change()
		got, err := run.TaskSweep()
		slurmlab.Must(t, err)
		own := got.Own()
		if len(own) != 1 || own[0].Digest() != sweep.Own()[0].Digest() || own[0].Files["my.h"] != "header\n" {
			t.Errorf("the task has %+v", own)
		}
	}
	slurmlab.Must(t, os.WriteFile(run.Path("kernels.json"), []byte("[{"), 0o666))
	if _, err := run.TaskSweep(); err == nil || !strings.Contains(err.Error(), "it was damaged") {
		t.Errorf("a damaged definition gives %v", err)
	}
}
