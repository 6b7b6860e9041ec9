package slurm

import (
	"maps"
	"slices"
	"testing"

	"spmvtune/configs"
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
