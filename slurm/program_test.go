package slurm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
)

// Runs of a program share one copy of it, unless it was damaged, and a sweep for the processor has no program for GPUs.
func TestRunsShareTheirPrograms(t *testing.T) {
	root, from := t.TempDir(), t.TempDir()
	program := filepath.Join(from, "spmvtune")
	create := func(text string) *slurm.Run {
		t.Helper()
		slurmlab.Must(t, os.WriteFile(program, []byte(text), 0o777))
		slurmlab.Must(t, os.WriteFile(program+"-cuda", []byte("cuda"), 0o777))
		run, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, program, "test")
		slurmlab.Must(t, err)
		return run
	}
	file := func(run *slurm.Run) os.FileInfo {
		t.Helper()
		info, err := os.Stat(run.Path("bin", "spmvtune"))
		slurmlab.Must(t, err)
		return info
	}

	one, two, other := create("first"), create("first"), create("second")
	if !os.SameFile(file(one), file(two)) || os.SameFile(file(one), file(other)) {
		t.Error("two runs of one program have a copy each, or one of another program shares it")
	}
	if one.Program != two.Program || one.CUDA != "" {
		t.Errorf("the programs are %q, %q and %q", one.Program, two.Program, one.CUDA)
	}
	if _, err := os.Stat(one.Path("bin", "spmvtune-cuda")); err == nil {
		t.Error("a run for the processor has the program for GPUs")
	}

	slurmlab.Must(t, os.WriteFile(one.Path("bin", "spmvtune"), []byte("damaged"), 0o777))
	if text, err := os.ReadFile(create("first").Path("bin", "spmvtune")); err != nil || string(text) != "first" {
		t.Errorf("a later run has %q, %v", text, err)
	}
}

// What a run measures can't be edited, in the sweep or in its own kernels. How its jobs are sent can.
func TestEditedSweep(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) { slurmlab.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777)) }
	const text = `# A sweep.
[protocol]
warmup = 3
[[matrix]]
generate = "mycielskian"
order = 4
[[kernel]]
name = "mine"
source = "my.c"
[slurm]
time = "00:10:00"
`
	put("my.c", "as submitted\n")
	put("program", "")
	put("s.toml", text)
	sweep, err := configs.Load(filepath.Join(dir, "s.toml"))
	slurmlab.Must(t, err)
	run, err := slurm.Create(filepath.Join(dir, "runs"), sweep, slurm.Plan{}, filepath.Join(dir, "program"), "1")
	slurmlab.Must(t, err)
	run = slurmtest.Opened(t, run.Dir)
	kernels, err := run.Read("kernels.json")
	slurmlab.Must(t, err)

	for name, c := range map[string]struct {
		file, old, new string
		refused        bool
	}{
		"nothing":      {"sweep.toml", "", "", false},
		"slurm":        {"sweep.toml", `time = "00:10:00"`, "time = \"01:00:00\"\nmem = \"4G\"", false},
		"comment":      {"sweep.toml", "# A sweep.", "# The same sweep.\n", false},
		"protocol":     {"sweep.toml", "warmup = 3", "warmup = 4", true},
		"matrix":       {"sweep.toml", "order = 4", "order = 5", true},
		"another key":  {"sweep.toml", "warmup = 3", "warmup = 3\nseed = 2", true},
		"not a sweep":  {"sweep.toml", "[slurm]", "[slurm", true},
		"kernel":       {"kernels.json", "as submitted", "as edited", true},
		"same kernels": {"kernels.json", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			was := map[string]string{"sweep.toml": text, "kernels.json": string(kernels)}[c.file]
			slurmlab.Must(t, os.WriteFile(run.Path(c.file), []byte(strings.Replace(was, c.old, c.new, 1)), 0o666))
			_, task := run.TaskSweep()
			for _, err := range []error{run.CheckSweep(), task} {
				if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), c.file+" was edited after") {
					t.Errorf("error %v", err)
				}
			}
			slurmlab.Must(t, os.WriteFile(run.Path(c.file), []byte(was), 0o666))
		})
	}
	run.Digest = ""
	testkit.Fails(t, testkit.Err(run.TaskSweep()), "sweep.toml was edited after", "a sweep whose digest is lost")
}

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
		own := got.Custom()
		if len(own) != 1 || own[0].Digest() != sweep.Custom()[0].Digest() || own[0].Files["my.h"] != "header\n" {
			t.Errorf("the task has %+v", own)
		}
	}
	slurmlab.Must(t, os.WriteFile(run.Path("kernels.json"), []byte("[{"), 0o666))
	testkit.Fails(t, testkit.Err(run.TaskSweep()), "was edited", "a damaged definition")
}
