package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// The whole way, from the sweep to the report: an array longer than the cluster
// allows, over three nodes, gives what a run on one machine does. There is no
// accounting.
func TestSubmitWholeWay(t *testing.T) {
	c := newBuilt(t, slurmlab.Options{MaxArray: 3})
	path := c.sweep(`time = "00:05:00"`, `chunk = "1s"`, `exclusive = true`)
	c.do(0, "run", path, "--out", "local", "--quiet")
	local := c.identities("local/results.db")
	if n := strings.Count(local, "\n"); n != 1+taskTrials {
		t.Fatalf("%d trials here", n-1)
	}

	// Twice at once, and neither is in the other's way.
	var texts [2]string
	var codes [2]int
	var both sync.WaitGroup
	for i := range texts {
		both.Go(func() { texts[i], codes[i] = c.try("submit", path, "--wait") })
	}
	both.Wait()
	dirs, err := filepath.Glob(filepath.Join(c.Dir, "runs", "small-*"))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("runs are %v, %v", dirs, err)
	}
	for i, text := range texts {
		if codes[i] != 0 || !strings.Contains(text, "report  runs/small-") {
			t.Errorf("submit ends with %d:\n%s", codes[i], text)
		}
	}
	var nodes []string
	for _, dir := range dirs {
		if got := c.identities(filepath.Join(dir, "results.db")); got != local {
			t.Errorf("the cluster's trials are not those of here: %d and %d lines", strings.Count(got, "\n"), strings.Count(local, "\n"))
		}
		if s := c.status(dir); s.Counts.Done != s.Counts.All || s.Counts.All < 4 || s.Trials.Done != taskTrials || !over(s) {
			t.Errorf("status %+v", s)
		}
		for _, name := range []string{"report.html", "rule.txt", "merged.json"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		jobs, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
		if err != nil || strings.Count(string(jobs), `"submitted"`) < 3 {
			t.Errorf("of arrays of at most three tasks there are:\n%s", jobs)
		}
		logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*_*.log"))
		for _, log := range logs {
			text, _ := os.ReadFile(log)
			for _, node := range []string{"n1", "n2", "n3"} {
				if strings.Contains(string(text), " on "+node+",") && !slices.Contains(nodes, node) {
					nodes = append(nodes, node)
				}
			}
		}
	}
	if len(nodes) != 3 {
		t.Errorf("nodes are %v", nodes)
	}
	if out := c.do(0, "status"); strings.Count(out, "complete") != 2 {
		t.Errorf("all runs:\n%s", out)
	}
	if out := c.do(0, "status", dirs[0], "--watch"); strings.Count(out, ": complete\n") != 1 {
		t.Errorf("a watch of what has ended:\n%s", out)
	}
	if out := c.do(0, "retry", dirs[0]); !strings.Contains(out, "nothing to do") {
		t.Errorf("retry says:\n%s", out)
	}
	if out := c.do(0, "merge", dirs[0]); !strings.Contains(out, fmt.Sprintf("0 trials new, %d known", taskTrials)) {
		t.Errorf("a second merge says:\n%s", out)
	}
}
