package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"spmvtune/configs"
)

func TestCreate(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "built")
	must(t, os.WriteFile(program, []byte("one"), 0o777))
	must(t, os.WriteFile(filepath.Join(bin, cudaName), []byte("two"), 0o777))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(program, link))
	plan := Plan{Chunks: []Chunk{{ID: "0001", Pieces: []Piece{{Matrix: "m"}}, Trials: 3, Seconds: 1.5}}}
	run, err := Create(filepath.Join(t.TempDir(), "deep", "runs"), smallSweep(configs.Slurm{}), plan, link, "1.2")
	must(t, err)
	must(t, os.WriteFile(program, []byte("rebuilt"), 0o777))

	opened, err := Open(run.Dir)
	must(t, err)
	if !reflect.DeepEqual(opened, run) {
		t.Errorf("the run is\n%+v\nand opened\n%+v", run, opened)
	}
	got, err := opened.plan()
	must(t, err)
	if !reflect.DeepEqual(got, plan) {
		t.Errorf("the plan is %+v", got)
	}
	one, two := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))
	if run.Program != hex.EncodeToString(one[:]) || run.CUDA != hex.EncodeToString(two[:]) {
		t.Errorf("the programs' hashes are %s and %s", run.Program, run.CUDA)
	}
	for name, want := range map[string]string{programName: "one", cudaName: "two"} {
		if data, err := os.ReadFile(run.Path(binDir, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
		if info, err := os.Stat(run.Path(binDir, name)); err != nil || info.Mode()&0o100 == 0 {
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
			if _, err := Create(root, smallSweep(configs.Slurm{}), Plan{}, os.Args[0], "test"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 20 {
		t.Errorf("%d runs, %v", len(entries), err)
	}
}

func TestFailedCreateLeavesNothing(t *testing.T) {
	root := t.TempDir()
	if _, err := Create(root, smallSweep(configs.Slurm{}), Plan{}, filepath.Join(root, "missing"), "test"); err == nil {
		t.Error("a program that is missing was copied")
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestPreviewWritesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	s := configs.Slurm{Throttle: 1, Setup: []string{"module load CUDA"}}
	run, err := New(root, smallSweep(s), "test")
	must(t, err)
	p := run.Preview(s, 5, 3)
	if len(p.Commands) != 3 || len(p.Scripts) != 2 {
		t.Fatalf("preview %+v", p)
	}
	last := p.Commands[2]
	if last[0] != "sbatch" || last[len(last)-1] != "1" || last[len(last)-2] != run.Path(finishScript) || last[len(last)-3] != "--dependency=afterany:JOB1:JOB2" {
		t.Errorf("the last command is %q", last)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("a folder was made")
	}
}
