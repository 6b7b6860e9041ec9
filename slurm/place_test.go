package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
)

// The jobs of a run know its folder by its path: from a moved or copied one none are
// sent.
func TestRetryInAnotherFolder(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	retry := func(path string) error {
		t.Helper()
		there, err := Open(path)
		must(t, err)
		_, err = there.Retry(t.Context(), hasty, configs.Slurm{}, "")
		return err
	}
	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.CopyFS(moved, os.DirFS(run.Dir)))
	if err := retry(moved); err == nil || !strings.Contains(err.Error(), "is a copy of the run in "+run.Dir) {
		t.Errorf("a copy: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(run.Dir, link))
	says(t, dir, "queue", run)
	if err := retry(link); err != nil {
		t.Errorf("another path of it: %v", err)
	}
	must(t, os.RemoveAll(run.Dir))
	if err := retry(moved); err == nil || !strings.Contains(err.Error(), "was submitted in "+run.Dir+" and is now in "+moved) {
		t.Errorf("moved: %v", err)
	}
}

// What throttle was told holds for what retry sends, too.
func TestThrottleLasts(t *testing.T) {
	dir := fakeSlurm(t, fakeQueue)
	run := created(t, t.TempDir(), configs.Slurm{Throttle: 2}, 1, "exit 0")
	says(t, dir, "queue", run)
	for _, c := range []struct {
		n    int
		want string
	}{{4, "--array=0-0%4 "}, {0, "--array=0-0 "}} {
		_, err := run.Throttle(t.Context(), hasty, c.n)
		must(t, err)
		must(t, os.RemoveAll(filepath.Join(dir, "sent")))
		must(t, os.RemoveAll(run.Path(jobsFile)))
		must(t, os.WriteFile(run.Path(jobsFile), nil, 0o666))
		_, err = run.Retry(t.Context(), hasty, configs.Slurm{Throttle: 2}, "")
		must(t, err)
		sent, err := os.ReadFile(filepath.Join(dir, "sent"))
		must(t, err)
		if !strings.Contains(string(sent), c.want) {
			t.Errorf("throttled to %d, it sends\n%s", c.n, sent)
		}
	}
}
