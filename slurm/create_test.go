// SPDX-License-Identifier: Apache-2.0

package slurm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/tuner/trial"
)

func TestCreate(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "built")
	testkit.Succeed(t, os.WriteFile(program, []byte("one"), 0o777))
	testkit.Succeed(t, os.WriteFile(filepath.Join(bin, "spmvtune-cuda"), []byte("two"), 0o777))
	link := filepath.Join(t.TempDir(), "link")
	testkit.Succeed(t, os.Symlink(program, link))
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: []trial.Piece{{Matrix: "m"}}, Trials: 3, Seconds: 1.5}}}
	sweep := slurmtest.SmallSweep(configs.Slurm{})
	sweep.Kernels = []configs.Space{{Kernels: []string{"csr_vector"}}}
	run := testkit.Must(slurm.Create(filepath.Join(t.TempDir(), "deep", "runs"), sweep, plan, link, "1.2"))
	testkit.Succeed(t, os.WriteFile(program, []byte("rebuilt"), 0o777))

	opened := slurmtest.Opened(t, run.Dir)
	testkit.Check(t, reflect.DeepEqual(opened, run), "the run is\n%+v\nand opened\n%+v", run, opened)
	got := testkit.Must(opened.Plan())
	testkit.Check(t, reflect.DeepEqual(got, plan), "the plan is %+v", got)
	one, two := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))
	testkit.Check(t, run.Program == hex.EncodeToString(one[:]) && run.CUDA == hex.EncodeToString(two[:]),
		"the programs' hashes are %s and %s", run.Program, run.CUDA)
	for name, want := range map[string]string{"spmvtune": "one", "spmvtune-cuda": "two"} {
		testkit.Equal(t, string(testkit.Must(os.ReadFile(run.Path("bin", name)))), want, "%s holds", name)
		info := testkit.Must(os.Stat(run.Path("bin", name)))
		testkit.Check(t, info.Mode()&0o100 != 0, "%s can't be run", name)
	}
	wd, _ := os.Getwd()
	testkit.Check(t, run.Base == wd, "paths of the sweep are relative to %s", run.Base)
}

func TestRunsAtOnceAreApart(t *testing.T) {
	root := t.TempDir()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, os.Args[0], "test"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	testkit.Equal(t, len(testkit.Must(filepath.Glob(filepath.Join(root, "small-*")))), 20, "runs")
}

func TestFailedCreateLeavesNothing(t *testing.T) {
	root := t.TempDir()
	testkit.Fails(t, testkit.Err(slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, filepath.Join(root, "missing"), "test")), "", "a program that is missing was copied")
	testkit.Equal(t, len(testkit.Must(os.ReadDir(root))), 0, "left")
}

// The folder of a submit that was killed while it copied programs goes with a later submit. A run, one
// that is being made, and what is not a run's stay.
func TestLeftoversAreRemoved(t *testing.T) {
	root := t.TempDir()
	create := func() *slurm.Run {
		return testkit.Must(slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, os.Args[0], "test"))
	}
	run := create()
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(root, name)
		testkit.Succeed(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o777))
		testkit.Succeed(t, os.Chtimes(dir, time.Time{}, time.Now().Add(-age)))
		return dir
	}
	const day = 24 * time.Hour
	killed := folder(".small-20260102-abcdef"+files.Temporary, day)
	stay := []string{run.Dir, folder(".small-20260102-abcdeg"+files.Temporary, time.Minute), folder("small-20260102-abcdeh", day),
		folder(".results", day)}
	create()
	testkit.Fails(t, testkit.Err(os.Stat(killed)), "", "what a killed submit left is still there")
	for _, dir := range stay {
		testkit.Must(os.Stat(filepath.Join(dir, "bin")))
	}
}

func TestOpen(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	got := slurmtest.Opened(t, run.Dir)
	testkit.Check(t, got.Dir == run.Dir && got.JobName() == run.JobName() && got.Created.Equal(run.Created),
		"opened %+v, want %+v", got, run)
	file := run.Path("file")
	testkit.Succeed(t, os.WriteFile(file, nil, 0o666))
	refused := func(dir, want string) {
		t.Helper()
		testkit.Fails(t, testkit.Err(slurm.Open(dir)), want, "opening %s", dir)
	}
	refused(run.Path("missing"), "there is no run")
	refused(file, "is a file")
	refused(run.Path("journals"), "it has no run.json")
	for text, want := range map[string]string{
		"{":  "was damaged",
		"{}": "names neither",
		`{"format": 2, "sweep": "quick", "id": "x", "version": "v9"}`: "newer version of this program (v9)",
	} {
		testkit.Succeed(t, os.WriteFile(run.Path("run.json"), []byte(text), 0o666))
		refused(run.Dir, want)
	}
}

// Runs of a program share one copy of it, unless it was damaged, and a sweep for the processor has no program for GPUs.
func TestRunsShareTheirPrograms(t *testing.T) {
	root, from := t.TempDir(), t.TempDir()
	program := filepath.Join(from, "spmvtune")
	create := func(text string) *slurm.Run {
		t.Helper()
		testkit.Succeed(t, os.WriteFile(program, []byte(text), 0o777))
		testkit.Succeed(t, os.WriteFile(program+"-cuda", []byte("cuda"), 0o777))
		return testkit.Must(slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, program, "test"))
	}
	file := func(run *slurm.Run) os.FileInfo {
		t.Helper()
		return testkit.Must(os.Stat(run.Path("bin", "spmvtune")))
	}

	one, two, other := create("first"), create("first"), create("second")
	testkit.Check(t, os.SameFile(file(one), file(two)) && !os.SameFile(file(one), file(other)),
		"two runs of one program have a copy each, or one of another program shares it")
	testkit.Check(t, one.Program == two.Program && one.CUDA == "",
		"the programs are %q, %q and %q", one.Program, two.Program, one.CUDA)
	testkit.Fails(t, testkit.Err(os.Stat(one.Path("bin", "spmvtune-cuda"))), "", "a run for the processor has the program for GPUs")

	testkit.Succeed(t, os.WriteFile(one.Path("bin", "spmvtune"), []byte("damaged"), 0o777))
	testkit.Equal(t, string(testkit.Must(os.ReadFile(create("first").Path("bin", "spmvtune")))), "first", "a later run has")
}

// What a run measures can't be edited, in the sweep or in its own kernels. How its jobs are sent can.
func TestEditedSweep(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
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
	sweep := testkit.Must(configs.Load(filepath.Join(dir, "s.toml")))
	run := testkit.Must(slurm.Create(filepath.Join(dir, "runs"), sweep, slurm.Plan{}, filepath.Join(dir, "program"), "1"))
	run = slurmtest.Opened(t, run.Dir)
	kernels := testkit.Must(run.Read("kernels.json"))

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
			testkit.Succeed(t, os.WriteFile(run.Path(c.file), []byte(strings.Replace(was, c.old, c.new, 1)), 0o666))
			_, task := run.TaskSweep()
			for _, err := range []error{run.CheckSweep(), task} {
				testkit.Check(t, (err != nil) == c.refused &&
					(err == nil || strings.Contains(err.Error(), c.file+" was edited after")), "error %v", err)
			}
			testkit.Succeed(t, os.WriteFile(run.Path(c.file), []byte(was), 0o666))
		})
	}
	run.Digest = ""
	testkit.Fails(t, testkit.Err(run.TaskSweep()), "sweep.toml was edited after", "a sweep whose digest is lost")
}

// A run measures the kernels that were submitted, whatever becomes of their sources.
func TestRunCarriesOwnKernels(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	put("my.c", "#include \"my.h\"\nas submitted\n")
	put("my.h", "header\n")
	put("program", "")
	put("s.toml", "[[matrix]]\ngenerate = \"mycielskian\"\norder = 4\n[[kernel]]\nname = \"mine\"\nsource = \"my.c\"\n")
	sweep := testkit.Must(configs.Load(filepath.Join(dir, "s.toml")))
	run := testkit.Must(slurm.Create(filepath.Join(dir, "runs"), sweep, slurm.Plan{}, filepath.Join(dir, "program"), "1"))

	for _, change := range []func(){
		func() { put("my.c", "as edited since\n") },
		func() { testkit.Succeed(t, os.Remove(filepath.Join(dir, "my.c"))) },
	} {
		change()
		got := testkit.Must(run.TaskSweep())
		own := got.Custom()
		testkit.Check(t, len(own) == 1 && own[0].Digest() == sweep.Custom()[0].Digest() && own[0].Files["my.h"] == "header\n",
			"the task has %+v", own)
	}
	testkit.Succeed(t, os.WriteFile(run.Path("kernels.json"), []byte("[{"), 0o666))
	testkit.Fails(t, testkit.Err(run.TaskSweep()), "was edited", "a damaged definition")
}
