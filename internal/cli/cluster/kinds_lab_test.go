package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// Tasks of each [[slurm.array]] go where its GPU is and do the whole sweep there. What is lost of one is sent again to
// its own nodes.
func TestArraysOfTwoKinds(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	path := c.sweep(`time = "00:05:00"`, `[[slurm.array]]`, `gres = "gpu:a30:1"`, `[[slurm.array]]`, `gres = "gpu:h100:1"`)
	c.do(0, "submit", path, "--wait")
	dirs, err := filepath.Glob(filepath.Join(c.Dir, "runs", "small-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("runs %v, %v", dirs, err)
	}
	run := dirs[0]
	logs := func(index string) (text string) {
		names, _ := filepath.Glob(filepath.Join(run, "logs", "*"+index+".log"))
		for _, name := range names {
			data, _ := os.ReadFile(name)
			text += string(data)
		}
		return text
	}
	all := logs("_0")
	if strings.Count(all, "chunk 0001") != 1 || !strings.Contains(all, "on n1, attempt 1 at chunk 0001") ||
		!strings.Contains(all, "on n2, attempt 1 at chunk 0002") || strings.Count(all, " trials measured: ") != 2 {
		t.Errorf("the tasks say:\n%s", all)
	}
	if n := strings.Count(c.identities(filepath.Join(run, "results.db")), "\n"); n != 1+taskTrials { // of one processor model
		t.Errorf("%d trials", n-1)
	}

	lost, err := filepath.Glob(filepath.Join(run, "journals", "0002.*"))
	if err != nil || len(lost) != 1 || os.Remove(lost[0]) != nil {
		t.Fatalf("journals %v, %v", lost, err)
	}
	c.do(0, "retry", run)
	c.wait(run, "the retry", over)
	if text := logs("_0"); strings.Count(text, "on n2, attempt 1 at chunk 0002") != 2 || strings.Count(text, "chunk 0001") != 1 {
		t.Errorf("after the retry:\n%s", text)
	}
}
