package submit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/slurmlab"
	"spmvtune/internal/slurmtest"
	"spmvtune/slurm"
)

// picky is a Slurm whose sbatch --test-only refuses some options.
func picky(t *testing.T, refuses string) (dir string, run *slurm.Run) {
	t.Helper()
	dir = slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "sinfo": `cat "$FAKE/nodes"`})
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+refuses+"\n"), 0o777))
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "nodes"), []byte("n1 idle\nn2 mixed\nn2 mixed\n"), 0o666))
	run, err := slurm.New(t.TempDir(), slurmtest.SmallSweep(configs.Slurm{}), "test")
	slurmlab.Must(t, err)
	return dir, run
}

const noNode = `echo "allocation failure: Requested node configuration is not available" >&2; exit 1`

// What could never start is refused with the key to change, wherever its value comes from.
func TestCheckNamesTheKey(t *testing.T) {
	dir, run := picky(t, `case "$*" in *--mem=900G*|*gpu:v100*|*--partition=gone*) `+noNode+` ;; esac`)
	for want, s := range map[string]configs.Slurm{
		`mem = "900G"`:        {Mem: "900G", Gres: "gpu:a30:1"},
		`gres = "gpu:v100:1"`: {Mem: "1G", Gres: "gpu:v100:1"},
		"SBATCH_PARTITION=gon": {Partition: "gone", Environment: map[string]string{"SBATCH_PARTITION": "gone"},
			Finish: configs.Finish{Time: "5", Mem: "1G"}},
		"as [slurm] asks": {Mem: "900G", Gres: "gpu:v100:1"},
	} {
		_, err := Check(t.Context(), slurmtest.Hasty, run, s, 1)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Requested node") {
			t.Errorf("%+v: error %v", s, err)
		}
	}

	// Nodes that are down may be the reason, too.
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "nodes"), []byte("n1 idle\nn2 down*\n"), 0o666))
	checked, err := Check(t.Context(), slurmtest.Hasty, run, configs.Slurm{Mem: "900G"}, 1)
	if err != nil || len(checked.Notes) != 1 || !strings.Contains(checked.Notes[0], "n2 (down)") {
		t.Errorf("with a node down: %+v, %v", checked, err)
	}
}

// A partition may take no job without a GPU. The job that merges then has one, unless the sweep says
// what it asks for.
func TestFinishOnPartitionOfGPUs(t *testing.T) {
	_, run := picky(t, `case "$*" in *--gpus=*|*--gres=gpu:*) ;; *) `+noNode+` ;; esac`)
	s := configs.Slurm{Partition: "debug", GPUs: "a30:1"}
	checked, err := Check(t.Context(), slurmtest.Hasty, run, s, 5_000_000)
	if err != nil || checked.Slurm.Finish.Gres != "gpu:a30:1" || len(checked.Notes) != 1 ||
		checked.Slurm.Finish.Time != "01:00:00" {
		t.Errorf("the job that merges asks for %+v, %v", checked.Slurm.Finish, err)
	}
	s.Finish.Gres = "none"
	if _, err := Check(t.Context(), slurmtest.Hasty, run, s, 1); err == nil || !strings.Contains(err.Error(), "[slurm.finish]") {
		t.Errorf("without a GPU: error %v", err)
	}
	s.Finish = configs.Finish{Off: true}
	if _, err := Check(t.Context(), slurmtest.Hasty, run, s, 1); err != nil {
		t.Errorf("without the job: %v", err)
	}
}
