package slurm_test

import (
	"os"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
)

func TestOpen(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	got, err := slurm.Open(run.Dir)
	slurmlab.Must(t, err)
	if got.Dir != run.Dir || got.JobName() != run.JobName() || !got.Created.Equal(run.Created) {
		t.Errorf("opened %+v, want %+v", got, run)
	}
	file := run.Path("file")
	slurmlab.Must(t, os.WriteFile(file, nil, 0o666))
	refused := func(dir, want string) {
		t.Helper()
		if run, err := slurm.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("opening %s: %+v, %v; want %q", dir, run, err, want)
		}
	}
	refused(run.Path("missing"), "there is no run")
	refused(file, "is a file")
	refused(run.Path("journals"), "it has no run.json")
	for text, want := range map[string]string{
		"{":  "was damaged",
		"{}": "names neither",
		`{"format": 2, "sweep": "quick", "id": "x", "version": "v9"}`: "newer version of this program (v9)",
	} {
		slurmlab.Must(t, os.WriteFile(run.Path("run.json"), []byte(text), 0o666))
		refused(run.Dir, want)
	}
}
