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

	"spmvtune/configs"
	"spmvtune/internal/base/files"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/tuner/trial"
)

func TestCreate(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "built")
	slurmlab.Must(t, os.WriteFile(program, []byte("one"), 0o777))
	slurmlab.Must(t, os.WriteFile(filepath.Join(bin, "spmvtune-cuda"), []byte("two"), 0o777))
	link := filepath.Join(t.TempDir(), "link")
	slurmlab.Must(t, os.Symlink(program, link))
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: []trial.Piece{{Matrix: "m"}}, Trials: 3, Seconds: 1.5}}}
	sweep := slurmtest.SmallSweep(configs.Slurm{})
	sweep.Kernels = []configs.Space{{Kernels: []string{"csr_vector"}}}
	run, err := slurm.Create(filepath.Join(t.TempDir(), "deep", "runs"), sweep, plan, link, "1.2")
	slurmlab.Must(t, err)
	slurmlab.Must(t, os.WriteFile(program, []byte("rebuilt"), 0o777))

	opened := slurmtest.Opened(t, run.Dir)
	if !reflect.DeepEqual(opened, run) {
		t.Errorf("the run is\n%+v\nand opened\n%+v", run, opened)
	}
	got, err := opened.Plan()
	slurmlab.Must(t, err)
	if !reflect.DeepEqual(got, plan) {
		t.Errorf("the plan is %+v", got)
	}
	one, two := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))
	if run.Program != hex.EncodeToString(one[:]) || run.CUDA != hex.EncodeToString(two[:]) {
		t.Errorf("the programs' hashes are %s and %s", run.Program, run.CUDA)
	}
	for name, want := range map[string]string{"spmvtune": "one", "spmvtune-cuda": "two"} {
		if data, err := os.ReadFile(run.Path("bin", name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
		if info, err := os.Stat(run.Path("bin", name)); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s can't be run: %v", name, err)
		}
	}
	if wd, _ := os.Getwd(); run.Base != wd {
		t.Errorf("paths of the sweep are relative to %s", run.Base)
	}
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
	if runs, err := filepath.Glob(filepath.Join(root, "small-*")); err != nil || len(runs) != 20 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func TestFailedCreateLeavesNothing(t *testing.T) {
	root := t.TempDir()
	if _, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, filepath.Join(root, "missing"), "test"); err == nil {
		t.Error("a program that is missing was copied")
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// The folder of a submit that was killed while it copied programs goes with a later submit. A run, one
// that is being made, and what is not a run's stay.
func TestLeftoversAreRemoved(t *testing.T) {
	root := t.TempDir()
	create := func() *slurm.Run {
		run, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, os.Args[0], "test")
		slurmlab.Must(t, err)
		return run
	}
	run := create()
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(root, name)
		slurmlab.Must(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o777))
		slurmlab.Must(t, os.Chtimes(dir, time.Time{}, time.Now().Add(-age)))
		return dir
	}
	const day = 24 * time.Hour
	killed := folder(".small-20260102-abcdef"+files.Temporary, day)
	stay := []string{run.Dir, folder(".small-20260102-abcdeg"+files.Temporary, time.Minute), folder("small-20260102-abcdeh", day),
		folder(".results", day)}
	create()
	if _, err := os.Stat(killed); err == nil {
		t.Error("what a killed submit left is still there")
	}
	for _, dir := range stay {
		if _, err := os.Stat(filepath.Join(dir, "bin")); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	got := slurmtest.Opened(t, run.Dir)
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
