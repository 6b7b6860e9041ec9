package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
)

// On a cluster that kills tasks with more than 100 MB, which is also what they get, a sweep that says
// nothing about memory is measured, and one that asks for too little can be sent again.
func TestSubmitWithLittleMemory(t *testing.T) {
	c := newCluster(t, slurmlab.Options{Config: []string{
		"JobAcctGatherParams=OverMemoryKill", "JobAcctGatherFrequency=task=1",
	}})
	out := c.do(0, "submit", c.sweep(`time = "00:05:00"`), "--runs", "enough", "--wait")
	if !strings.Contains(out, "would get 100M on this cluster (DefMemPerCPU)") {
		t.Errorf("submit says:\n%s", out)
	}

	path := c.sweep(`time = "00:05:00"`, `mem = "50M"`)
	text, err := os.ReadFile(path)
	slurmlab.Must(t, err)
	big := strings.Replace(string(text), "[slurm]", "[[matrix]]\ngenerate = \"grid_5pt\"\nnx = 1000\nny = 1000\n[slurm]", 1)
	slurmlab.Must(t, os.WriteFile(path, []byte(big), 0o666))
	out = c.do(command.ExitSomeFailed, "submit", path, "--runs", "little", "--wait")
	for _, want := range []string{"used more memory than allowed", "--set mem="} {
		if !strings.Contains(out, want) {
			t.Errorf("submit does not say %q:\n%s", want, out)
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "little", "*-*"))
	if len(dirs) != 1 {
		t.Fatalf("runs %q", dirs)
	}
	c.do(command.ExitSomeFailed, "retry", dirs[0])
	c.do(0, "retry", dirs[0], "--set", "mem=1500M")
	if s := c.wait(dirs[0], "the end", over); s.Counts.Done != s.Counts.All {
		t.Errorf("with more memory: %+v", s)
	}
}
