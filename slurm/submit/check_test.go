package submit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/kernels"
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
	dir, run := picky(t, `case "$*" in *--mem=900G*|*gpu:v100*|*--account=gone*) `+noNode+` ;; esac`)
	for want, s := range map[string]configs.Slurm{
		`mem = "900G"`:        {Mem: "900G", Gres: "gpu:a30:1"},
		`gres = "gpu:v100:1"`: {Mem: "1G", Gres: "gpu:v100:1"},
		"SBATCH_ACCOUNT=gone": {Account: "gone", Environment: map[string]string{"SBATCH_ACCOUNT": "gone"},
			Finish: configs.Finish{Time: "5", Mem: "1G"}},
		"as [slurm] asks": {Mem: "900G", Gres: "gpu:v100:1"},
	} {
		_, err := Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Requested node") {
			t.Errorf("%+v: error %v", s, err)
		}
	}

	// Nodes that are down may be the reason, too.
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "nodes"), []byte("n1 idle\nn2 down*\n"), 0o666))
	checked, err := Check(t.Context(), slurmtest.Hasty, run, configs.Slurm{Mem: "900G"}, slurm.Plan{}, unknown)
	if err != nil || len(checked.Notes) != 1 || !strings.Contains(checked.Notes[0], "n2 (down)") {
		t.Errorf("with a node down: %+v, %v", checked, err)
	}
}

// A partition may take no job without a GPU. The job that merges then has one, unless the sweep says
// what it asks for.
func TestFinishOnPartitionOfGPUs(t *testing.T) {
	_, run := picky(t, `case "$*" in *--gpus=*|*--gres=gpu:*) ;; *) `+noNode+` ;; esac`)
	s := configs.Slurm{Partition: "debug", GPUs: "a30:1"}
	checked, err := Check(t.Context(), slurmtest.Hasty, run, s,
		slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Trials: 5_000_000}}}, unknown)
	if err != nil || checked.Slurm.Finish.Gres != "gpu:a30:1" || len(checked.Notes) != 1 ||
		checked.Slurm.Finish.Time != "01:00:00" {
		t.Errorf("the job that merges asks for %+v, %v", checked.Slurm.Finish, err)
	}
	s.Finish.Gres = "none"
	if _, err := Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown); err == nil || !strings.Contains(err.Error(), "[slurm.finish]") {
		t.Errorf("without a GPU: error %v", err)
	}
	s.Finish = configs.Finish{Off: true}
	if _, err := Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown); err != nil {
		t.Errorf("without the job: %v", err)
	}
}

// Where the cluster would give a task too little memory, what it needs is asked for, unless no node
// has it or the sweep says something itself.
func TestTasksAskForTheirMemory(t *testing.T) {
	_, run := picky(t, `case "$*" in *--mem=9000M*) `+noNode+` ;; esac`)
	fake := os.Getenv("FAKE")
	config := func(lines string) {
		t.Helper()
		text := "#!/bin/bash\necho 'PartitionName=debug Default=YES MaxTime=UNLIMITED DefMemPerCPU=UNLIMITED'\necho 'MaxArraySize = 9'\n" +
			"echo '" + lines + "'\n"
		slurmlab.Must(t, os.WriteFile(filepath.Join(fake, "scontrol"), []byte(text), 0o777))
	}
	for _, tt := range []struct {
		config string
		need   int
		slurm  configs.Slurm
		mem    string
		notes  int
	}{
		{"DefMemPerCPU = 100", 800, configs.Slurm{CPUs: 4}, "800M", 1},
		{"DefMemPerCPU = 200", 800, configs.Slurm{CPUs: 4}, "", 0},
		{"DefMemPerNode = 700", 800, configs.Slurm{CPUs: 4}, "800M", 1},
		{"DefMemPerNode = UNLIMITED", 800, configs.Slurm{}, "", 0},
		{"DefMemPerCPU = 100", 9000, configs.Slurm{}, "", 1},
		{"DefMemPerCPU = 100", 800, configs.Slurm{Mem: "50M"}, "50M", 0},
		{"DefMemPerCPU = 100", 800, configs.Slurm{Extra: []string{"--mem-per-cpu=2G"}}, "", 0},
	} {
		config(tt.config)
		plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 1}, {ID: "0002", Memory: tt.need}}}
		checked, err := Check(t.Context(), slurmtest.Hasty, run, tt.slurm, plan, unknown)
		if err != nil || checked.Slurm.Mem != tt.mem || len(checked.Notes) != tt.notes {
			t.Errorf("%s, %d MB needed: %+v, %v", tt.config, tt.need, checked, err)
		}
	}
}

// Where the cache of the nodes is known, tasks ask for what it takes, and for less where no node has as much.
func TestTasksAskForTheirCache(t *testing.T) {
	dir, run := picky(t, `case "$*" in *--mem=1392M*) [ ! -e "$FAKE/small" ] || { `+noNode+`; } ;; esac`)
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte("#!/bin/bash\n"+
		"echo 'PartitionName=debug Default=YES MaxTime=UNLIMITED DefMemPerCPU=100'\necho 'MaxArraySize = 9'\n"), 0o777))
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 480}}}
	for _, tt := range []struct {
		cache int64
		small bool
		mem   string
	}{
		{0, false, "480M"}, {32 << 20, false, "480M"}, {260 << 20, false, "1392M"}, {260 << 20, true, "480M"},
	} {
		if tt.small {
			slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "small"), nil, 0o666))
		}
		checked, err := Check(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, plan, func(int) int64 { return tt.cache })
		if err != nil || checked.Slurm.Mem != tt.mem || len(checked.Notes) != 1 ||
			strings.Contains(checked.Notes[0], "no node has as much, and 480M is asked for") != tt.small {
			t.Errorf("%+v: %+v, %v", tt, checked, err)
		}
	}

	// A retry knows what the first task found.
	slurmlab.Must(t, os.Remove(filepath.Join(dir, "small")))
	slurmlab.Must(t, os.MkdirAll(run.Dir, 0o777))
	_, err := run.PinDevices(slurm.Task{}, configs.Slurm{}, []kernels.Device{{Backend: "cpu", Name: "chip", Cache: 260 << 20}})
	slurmlab.Must(t, err)
	d := decision{slurm: configs.Slurm{}, plan: plan}
	if err := d.check(t.Context(), slurmtest.Hasty, run); err != nil || d.slurm.Mem != "1392M" {
		t.Errorf("a retry asks for %+v, %v", d.slurm, err)
	}
}

// Each [[slurm.array]] may be in a partition of its own, and only what would get too little there asks for more.
func TestEachArrayAsksForItsMemory(t *testing.T) {
	dir, run := picky(t, "")
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte(`#!/bin/bash
echo 'PartitionName=big Default=YES MaxTime=UNLIMITED DefMemPerCPU=4000'
echo 'PartitionName=small MaxTime=UNLIMITED DefMemPerCPU=100'
echo 'MaxArraySize = 9'
`), 0o777))
	s := configs.Slurm{CPUs: 4, Arrays: []configs.Array{{"gres": "gpu:a30:1"}, {"partition": "small"}}}
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 800}, {ID: "0002", Kind: 1, Memory: 800}}}
	checked, err := Check(t.Context(), slurmtest.Hasty, run, s, plan, unknown)
	if err != nil || checked.Slurm.Of(0).Mem != "" || checked.Slurm.Of(1).Mem != "800M" || len(checked.Notes) != 1 ||
		!strings.Contains(checked.Notes[0], "largest task of array 2 may need 800M") {
		t.Errorf("%+v, %v", checked, err)
	}
	if _, kept := s.Arrays[1]["mem"]; kept {
		t.Error("the sweep itself was changed")
	}
	s.Mem = "50M"
	if checked, err = Check(t.Context(), slurmtest.Hasty, run, s, plan, unknown); err != nil || checked.Slurm.Of(1).Mem != "50M" {
		t.Errorf("where the sweep says how much: %+v, %v", checked, err)
	}
}
