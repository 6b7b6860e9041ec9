package submit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
)

// The jobs of a run know its folder by its path: from a moved or copied one none are
// sent.
func TestRetryInAnotherFolder(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	retry := func(path string) error {
		t.Helper()
		there, err := slurm.Open(path)
		slurmlab.Must(t, err)
		_, err = Retry(t.Context(), slurmtest.Hasty, there, configs.Slurm{}, Options{})
		return err
	}
	moved := filepath.Join(t.TempDir(), "moved")
	slurmlab.Must(t, os.CopyFS(moved, os.DirFS(run.Dir)))
	if err := retry(moved); err == nil || !strings.Contains(err.Error(), "is a copy of the run in "+run.Dir) {
		t.Errorf("a copy: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	slurmlab.Must(t, os.Symlink(run.Dir, link))
	slurmtest.Says(t, dir, "queue", run)
	if err := retry(link); err != nil {
		t.Errorf("another path of it: %v", err)
	}
	slurmlab.Must(t, os.RemoveAll(run.Dir))
	if err := retry(moved); err == nil || !strings.Contains(err.Error(), "was submitted in "+run.Dir+" and is now in "+moved) {
		t.Errorf("moved: %v", err)
	}
}

// What throttle was told holds for what retry sends, too.
func TestThrottleLasts(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{Throttle: 2}, 1, "exit 0")
	slurmtest.Says(t, dir, "queue", run)
	for _, c := range []struct {
		n    int
		want string
	}{{4, "--array=0-0%4 "}, {0, "--array=0-0 "}} {
		_, err := Throttle(t.Context(), slurmtest.Hasty, run, c.n)
		slurmlab.Must(t, err)
		slurmlab.Must(t, os.RemoveAll(filepath.Join(dir, "sent")))
		_, err = Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{Throttle: 2}, Options{})
		slurmlab.Must(t, err)
		sent, err := os.ReadFile(filepath.Join(dir, "sent"))
		slurmlab.Must(t, err)
		if !strings.Contains(string(sent), c.want) {
			t.Errorf("throttled to %d, it sends\n%s", c.n, sent)
		}
	}
}
