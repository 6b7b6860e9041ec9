package slurm

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
)

// The variables of a plain sbatch count where the sweep says nothing, and only there.
func TestWithEnvironment(t *testing.T) {
	env := map[string]string{
		"SBATCH_PARTITION": "long", "SBATCH_ACCOUNT": "mine", "SBATCH_RESERVATION": "lecture", "SBATCH_GRES": "gpu:1",
		"SBATCH_MEM_PER_CPU": "2G", "SBATCH_MEM_PER_NODE": "8G", "SBATCH_ARRAY_INX": "0-9", "SBATCH_EXCLUSIVE": "user",
	}
	sweep := configs.Slurm{Partition: "debug", GPUs: "2", Exclusive: true, Extra: []string{"--comment=x"}}
	got := WithEnvironment(sweep, func(name string) string { return env[name] })
	if got.Partition != "debug" || got.Account != "mine" || got.Mem != "8G" || got.Gres != "" ||
		!slices.Equal(got.Extra, []string{"--comment=x", "--reservation=lecture"}) {
		t.Errorf("a job asks for %+v", got)
	}
	want := map[string]string{"SBATCH_ACCOUNT": "mine", "SBATCH_RESERVATION": "lecture", "SBATCH_MEM_PER_NODE": "8G"}
	if !maps.Equal(got.Environment, want) {
		t.Errorf("recorded is %v", got.Environment)
	}
	// A later shell with other variables changes nothing.
	again := WithEnvironment(sweep, func(name string) string { return got.Environment[name] })
	if again.Account != "mine" || again.Mem != "8G" || len(again.Environment) != 3 {
		t.Errorf("from what is recorded, a job asks for %+v", again)
	}
}

func TestHasType(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		want       bool
	}{
		{"NVIDIA A30", "a30", true}, {"NVIDIA A30", "A30", true}, {"NVIDIA A30", "h100", false}, {"NVIDIA A100 80GB PCIe", "a10", false},
		{"NVIDIA A100 80GB PCIe", "a100", true}, {"NVIDIA A100-SXM4-40GB", "a100", true}, {"Tesla V100S-PCIE-32GB", "v100s", true},
		{"Tesla V100S-PCIE-32GB", "v100", true}, {"NVIDIA GeForce RTX 3090", "rtx3090", true}, {"NVIDIA RTX A6000", "rtxa6000", true},
		{"NVIDIA L40", "l4", false}, {"NVIDIA A100-SXM4-40GB", "1g.5gb", true}, {"NVIDIA A30", "tesla", true}, {"NVIDIA A30", "a100_80gb", true},
	} {
		testkit.Equal(t, hasType(c.name, c.kind), c.want, "%s as %s", c.name, c.kind)
	}
}

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
