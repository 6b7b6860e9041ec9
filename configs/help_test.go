// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// parseExample reads the example of the help with a matrix file beside it.
func parseExample(t *testing.T) *Sweep {
	t.Helper()
	dir := t.TempDir()
	testkit.Succeed(t, os.Mkdir(filepath.Join(dir, "matrices"), 0o755))
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "matrices", "a.mtx"), nil, 0o644))

	s, err := Parse(filepath.Join(dir, "example.toml"), []byte(example()))
	testkit.Require(t, err == nil, "the help's example is wrong:\n%v", err)
	return s
}

// What the help shows as defaults are the defaults.
func TestHelpShowsDefaults(t *testing.T) {
	shown := parseExample(t)
	plain := parse(t, minimal)
	if shown.Protocol != plain.Protocol || shown.Search != plain.Search || !reflect.DeepEqual(shown.Device, plain.Device) {
		t.Errorf("shown %+v %+v %+v\nare %+v %+v %+v", shown.Protocol, shown.Search, shown.Device, plain.Protocol,
			plain.Search, plain.Device)
	}

	if !reflect.DeepEqual(shown.Kernels[0].Precisions, plain.Kernels[0].Precisions) ||
		!reflect.DeepEqual(shown.Kernels[0].Grid, plain.Kernels[0].Grid) {
		t.Errorf("shown %+v, are %+v", shown.Kernels[0], plain.Kernels[0])
	}
}

// Every key of [slurm] must reach the sweep: what is shown is none of the zeros
// but gpus and exclusive.
func TestSlurmIsReadWhole(t *testing.T) {
	got := parseExample(t).Slurm
	want := Slurm{
		Partition: "edu-short", Account: "project", QOS: "normal", Gres: "gpu:a30:1", Constraint: "a30", Nodelist: "node[01-04]",
		Exclude: "node05", Export: "ALL", Time: "01:00:00", Times: []string{"01:00:00"}, Mem: "16G", Mems: []string{"16G"},
		Finish: Finish{Partition: "serial", QOS: "normal", Time: "00:20:00", Mem: "1G", Gres: "none"}, Chunk: 20 * time.Minute, CPUs: 4, Throttle: 8, Signal: "USR1@120", GPUsPerTask: 1,
		Setup: []string{"module load CUDA/12.5"}, Extra: []string{"--mail-type=END"},
		Wrap: "apptainer exec --nv image.sif",
	}
	testkit.Check(t, reflect.DeepEqual(got, want), "got %+v", got)

	more := parse(t, minimal+"[slurm]\ngpus = 2\nexclusive = true\ntime = \"1-12\"\nmem = \"4000\"\nsignal = \"\"\n"+
		"gpus_per_task = 2\nmix_devices = true\nchunk = \"90s\"\nmax_submit = 9\nfinish = false\n").Slurm
	testkit.EqualLists(t, []any{more.GPUs, more.Exclusive, more.Time, more.Mem, more.Signal, more.GPUsPerTask, more.MixDevices,
		more.Chunk, more.MaxSubmit, more.Finish.Off}, []any{"2", true, "1-12", "4000", "", 2, true, 90 * time.Second, 9, true}, "more")

	testkit.Equal(t, parse(t, minimal+"[slurm]\ngpus = \"a30:2\"\n").Slurm.GPUs, "a30:2", "GPUs")
}

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
		testkit.Equal(t, s.Signal, signal, "signal")
		testkit.Equal(t, s.Warning(), want, "warning of %q", signal)
	}

	testkit.Equal(t, parse(t, minimal).Slurm.Warning(), 2*time.Minute, "default")
}

// retry --set takes the keys that say what a task asks for, in the words of the sweep.
func TestSet(t *testing.T) {
	s := parse(t, minimal+"[slurm]\nmem = [\"1G\", \"2G\"]\npartition = \"debug\"\n").Slurm
	testkit.Equal(t, s.Mem, "1G", "the first of several amounts of memory")
	testkit.EqualLists(t, s.Mems, []string{"1G", "2G"}, "amounts of memory")
	for key, value := range map[string]string{"mem": "8G", "time": "2:00:00", "partition": "long", "exclude": "n1"} {
		testkit.Succeed(t, s.Set(key, value))
	}
	testkit.EqualLists(t, []any{s.Mem, len(s.Mems), s.Time, s.Partition, s.Exclude}, []any{"8G", 1, "2:00:00", "long", "n1"}, "set")
	for key, value := range map[string]string{"mem": "much", "chunk": "5m", "memory": "8G"} {
		testkit.Fails(t, s.Set(key, value), "", "%s = %q", key, value)
	}
}

// Each [[slurm.array]] is [slurm] with other values of some keys.
func TestSlurmArrays(t *testing.T) {
	s := parse(t, minimal+"[slurm]\npartition = \"gpu\"\ngres = \"gpu:1\"\n[[slurm.array]]\ngres = \"gpu:a30:1\"\n"+
		"[[slurm.array]]\ngres = \"\"\ngpus = 2\npartition = \"big\"\n[[slurm.array]]\ngpus = 0\n").Slurm
	s.GPUs = "1"
	one, two, none, other := s.Of(0), s.Of(1), s.Of(2), s.Of(3)
	testkit.EqualLists(t, []any{s.Kinds(), none.GPUs, one.Gres, one.Partition, two.Gres, two.GPUs, two.Partition, other.Gres,
		one.Kinds(), s.Gres}, []any{3, "", "gpu:a30:1", "gpu", "", "2", "big", "gpu:1", 1, "gpu:1"}, "kinds")
	if s := parse(t, minimal).Slurm; s.Kinds() != 1 || !reflect.DeepEqual(s.Of(0), s) {
		t.Errorf("without arrays: %d kinds", s.Kinds())
	}
}
