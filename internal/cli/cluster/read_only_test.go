// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
)

// Who may read a run and not write to it is told so, and what to do instead. A copy can be merged.
func TestReadOnlyRun(t *testing.T) {
	dir := t.TempDir()
	run, _ := createTaskOf(t, filepath.Join(dir, "runs"), fewTrials)
	out, err := startTask(t, run).CombinedOutput()
	if code := ended(t, err); code != 0 {
		t.Fatalf("the task ends with %d:\n%s", code, out)
	}
	p := prepared{terminal: here(t), run: run}
	p.do(0, "merge", run.Dir)

	// as starts the program as somebody who may write to own only.
	own := filepath.Join(dir, "own")
	testkit.Succeed(t, os.Mkdir(own, 0o777))
	as := func(args ...string) (string, int) {
		cmd := exec.Command(run.Path("bin", "spmvtune"), args...)
		cmd.Dir = own
		cmd.Env = append(os.Environ(), "SPMVTUNE_CACHE="+own, "HOME="+own, "TMPDIR="+own)
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		return string(out), ended(t, err)
	}
	readable(t, dir, own)
	defer filepath.WalkDir(run.Dir, func(path string, _ fs.DirEntry, _ error) error { return os.Chmod(path, 0o777) })

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"merge":    {nil, "cp -r "},
		"retry":    {nil, "submit SWEEP --adopt "},
		"cancel":   {nil, "an operator of Slurm"},
		"throttle": {[]string{"2"}, "an operator of Slurm"},
	} {
		out, code := as(append([]string{name, run.Dir}, c.args...)...)
		text := strings.Join(strings.Fields(out), " ")
		testkit.Check(t, code == 1 && strings.Contains(text, run.Dir+" can only be read") &&
			strings.Contains(text, c.want) && (os.Getuid() != 0 || strings.Contains(text, slurm.Me()+" made the run")),
			"%s ends with %d:\n%s", name, code, out)
	}
	if out, code := as("status", run.Dir); code != 0 || !strings.Contains(out, "1 of 1 done") {
		t.Errorf("status ends with %d:\n%s", code, out)
	}
	copied := filepath.Join(own, "copied")
	if out, err := exec.Command("cp", "-r", run.Dir, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	testkit.Succeed(t, filepath.WalkDir(copied, func(path string, _ fs.DirEntry, err error) error {
		return os.Chmod(path, 0o777)
	}))
	if out, code := as("merge", copied); code != 0 {
		t.Errorf("merge of a copy ends with %d:\n%s", code, out)
	}

	// In a folder of a group, the database may still be another user's.
	testkit.Succeed(t, os.Chmod(run.Dir, 0o777))
	if out, code := as("merge", run.Dir); code != 1 || !strings.Contains(out, "results.db can only be read") {
		t.Errorf("merge into another user's database ends with %d:\n%s", code, out)
	}
	testkit.Succeed(t, os.Chmod(run.Path("results.db"), 0o666))
	testkit.Succeed(t, os.Chmod(run.Path("tables"), 0o777))
	testkit.Succeed(t, os.Chmod(run.Path("figures"), 0o777))
	if out, code := as("merge", run.Dir); code != 0 { // merge.lock is another user's
		t.Errorf("merge in a folder of a group ends with %d:\n%s", code, out)
	}
}

// readable lets everybody read a folder, and reach it from above as far as this test made it, but write to own only.
func readable(t *testing.T, dir, own string) {
	t.Helper()
	testkit.Succeed(t, os.Chmod(filepath.Dir(dir), 0o755))
	testkit.Succeed(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o444)
		if info, err := d.Info(); err == nil && (d.IsDir() || info.Mode()&0o100 != 0) {
			mode = 0o555
		}
		if path == own {
			mode = 0o777
		}
		return os.Chmod(path, mode)
	}))
}
