package slurm

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
)

// Tasks measure what was settled when the run was submitted, whatever is there when they
// begin.
func TestDownloads(t *testing.T) {
	text := `name = "down"
[[matrix]]
suitesparse = "HB/real"
generate = "mycielskian"
order = 4
[[matrix]]
suitesparse = "HB/twin"
generate = "mycielskian"
order = 5
[[matrix]]
generate = "mycielskian"
order = 6
[[kernel]]
name = "cpu_csr"
`
	dir := t.TempDir()
	sweep, err := configs.Parse(filepath.Join(dir, "down.toml"), []byte(text))
	slurmlab.Must(t, err)
	sweep.Matrices[0] = sweep.Matrices[0].Downloaded("/cache/HB/real.tar.gz")
	sweep.Matrices[1] = sweep.Matrices[1].AsTwin()
	made, err := Create(dir, sweep, Plan{}, os.Args[0], "test")
	slurmlab.Must(t, err)
	run, err := Open(made.Dir)
	slurmlab.Must(t, err)
	again, err := run.TaskSweep()
	slurmlab.Must(t, err)
	if !reflect.DeepEqual(again.Matrices, sweep.Matrices) {
		t.Errorf("tasks get %+v, submitted were %+v", again.Matrices, sweep.Matrices)
	}
}
