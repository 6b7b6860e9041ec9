package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
)

// A run is refused while it waits or runs. Cancelled and moved, it has measured what it has: a new run of a larger
// sweep sends the rest, and ends as a run on one machine does.
func TestAdoptOnCluster(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	section := []string{`time = "00:05:00"`, `chunk = "2s"`, `throttle = 1`, `exclusive = true`} // all cores, as here
	path := c.sweep(section...)
	first := c.submit(path)
	if out := c.do(1, "submit", path, "--adopt", first); !strings.Contains(out, "is not over") {
		t.Errorf("adopting a run that goes on:\n%s", out)
	}
	c.wait(first, "a chunk", func(s status.Status) bool { return s.Counts.Done >= 1 })
	c.do(0, "cancel", first)
	measured := c.wait(first, "the end", over).Trials.Done
	moved := filepath.Join(c.Dir, "moved")
	if err := os.Rename(first, moved); err != nil || measured == 0 || measured == taskTrials {
		t.Fatalf("%d trials are measured, %v", measured, err)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	larger := strings.Replace(string(text), "grid = [1, 2]", "grid = [1, 2, 3]", 1)
	if err := os.WriteFile(path, []byte(larger), 0o666); err != nil {
		t.Fatal(err)
	}
	c.do(0, "run", path, "--out", "local", "--quiet")
	if out := c.do(0, "submit", path, "--adopt", moved, "--wait"); !strings.Contains(out, "adopted") {
		t.Errorf("submit says:\n%s", out)
	}
	dirs, err := filepath.Glob(filepath.Join(c.Dir, "runs", "small-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("runs are %v, %v", dirs, err)
	}
	got, want := c.identities(filepath.Join(dirs[0], "results.db")), c.identities("local/results.db")
	if got != want {
		t.Errorf("the cluster's trials are not those of here: %d and %d lines", strings.Count(got, "\n"),
			strings.Count(want, "\n"))
	}
	run, err := slurm.Open(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	for id, n := range (prepared{t: t, run: run}).times() {
		if n != 1 {
			t.Errorf("trial %s is in %d journals", id, n)
		}
	}
}
