package configs

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// Options that spmvtune does not give itself reach sbatch as they were written.
func TestExtraTakesTheRest(t *testing.T) {
	s := parse(t, minimal+`[slurm]
extra = [
  "--mail-type=END", "--comment=two words = $(one)", "--contiguous", "--contig", "--nice", "--nice=5", "--mem-per-cpu=2G",
  "--gpus-per-node=a30:1", "--gres-flags=enforce-binding", "--time-min=5", "--wait-all-nodes=1", "--ntasks-per-core=1",
  "-Os", "-sO", "-k", "-Llicence@db:2", "-SO4",
]
`).Slurm

	if len(s.Extra) != 17 || !slices.Contains(s.Extra, "--comment=two words = $(one)") {
		t.Errorf("got %d: %q", len(s.Extra), s.Extra)
	}
}

func TestWarning(t *testing.T) {
	for signal, want := range map[string]time.Duration{"USR1@120": 2 * time.Minute, "HUP@65535": 65535 * time.Second,
		"": 0} {
		s := parse(t, minimal+"[slurm]\nsignal = \""+signal+"\"\n").Slurm
		if s.Signal != signal || s.Warning() != want {
			t.Errorf("%q: %q, %s", signal, s.Signal, s.Warning())
		}
	}

	if s := parse(t, minimal).Slurm; s.Warning() != 2*time.Minute {
		t.Errorf("default %s", s.Warning())
	}
}

// retry --set takes the keys that say what a task asks for, in the words of the sweep.
func TestSet(t *testing.T) {
	s := parse(t, minimal+"[slurm]\nmem = [\"1G\", \"2G\"]\npartition = \"debug\"\n").Slurm
	if s.Mem != "1G" || !slices.Equal(s.Mems, []string{"1G", "2G"}) {
		t.Errorf("several amounts of memory are read as %q, %q", s.Mem, s.Mems)
	}
	for key, value := range map[string]string{"mem": "8G", "time": "2:00:00", "partition": "long", "exclude": "n1"} {
		if err := s.Set(key, value); err != nil {
			t.Error(err)
		}
	}
	if s.Mem != "8G" || len(s.Mems) != 1 || s.Time != "2:00:00" || s.Partition != "long" || s.Exclude != "n1" {
		t.Errorf("got %+v", s)
	}
	for key, value := range map[string]string{"mem": "much", "chunk": "5m", "memory": "8G"} {
		if err := s.Set(key, value); err == nil {
			t.Errorf("%s = %q is taken", key, value)
		}
	}
}

// Each [[slurm.array]] is [slurm] with other values of some keys.
func TestSlurmArrays(t *testing.T) {
	s := parse(t, minimal+"[slurm]\npartition = \"gpu\"\ngres = \"gpu:1\"\n[[slurm.array]]\ngres = \"gpu:a30:1\"\n"+
		"[[slurm.array]]\ngres = \"\"\ngpus = 2\npartition = \"big\"\n[[slurm.array]]\ngpus = 0\n").Slurm
	s.GPUs = "1"
	one, two, none, other := s.Of(0), s.Of(1), s.Of(2), s.Of(3)
	if s.Kinds() != 3 || none.GPUs != "" || one.Gres != "gpu:a30:1" || one.Partition != "gpu" || two.Gres != "" || two.GPUs != "2" ||
		two.Partition != "big" || other.Gres != "gpu:1" || one.Kinds() != 1 || s.Gres != "gpu:1" {
		t.Errorf("%+v\n%+v\n%+v", one, two, other)
	}
	if s := parse(t, minimal).Slurm; s.Kinds() != 1 || !reflect.DeepEqual(s.Of(0), s) {
		t.Errorf("without arrays: %d kinds", s.Kinds())
	}
}
