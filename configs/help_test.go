package configs

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// parseExample reads the example of the help with a matrix file beside it.
func parseExample(t *testing.T) *Sweep {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "matrices"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "matrices", "a.mtx"), nil, 0o644); err != nil {
		t.Fatal(err)
	}

	s, err := Parse(filepath.Join(dir, "example.toml"), []byte(example()))
	if err != nil {
		t.Fatalf("the help's example is wrong:\n%v", err)
	}
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
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}

	more := parse(t, minimal+"[slurm]\ngpus = 2\nexclusive = true\ntime = \"1-12\"\nmem = \"4000\"\nsignal = \"\"\n"+
		"gpus_per_task = 2\nmix_devices = true\nchunk = \"90s\"\nmax_submit = 9\nfinish = false\n").Slurm
	if more.GPUs != "2" || !more.Exclusive || more.Time != "1-12" || more.Mem != "4000" || more.Signal != "" ||
		more.GPUsPerTask != 2 || !more.MixDevices || more.Chunk != 90*time.Second || more.MaxSubmit != 9 || !more.Finish.Off {
		t.Errorf("got %+v", more)
	}

	if typed := parse(t, minimal+"[slurm]\ngpus = \"a30:2\"\n").Slurm; typed.GPUs != "a30:2" {
		t.Errorf("got %+v", typed)
	}
}
