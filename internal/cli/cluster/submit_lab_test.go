package cluster_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm/status"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

// The whole way, from the sweep to the report: an array longer than the cluster
// allows, over three nodes, gives what a run on one machine does. There is no
// accounting.
func TestSubmitWholeWay(t *testing.T) {
	c := newBuilt(t, slurmlab.Options{MaxArray: 3})
	path := c.sweep(`time = "00:05:00"`, `chunk = "1s"`, `exclusive = true`)
	c.do(0, "run", path, "--out", "local", "--quiet")
	c.says(0, "submit --dry-run "+path, "nothing was written or submitted")
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
		for _, name := range []string{"report.html", "rule.txt", "merged-001.json"} {
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
	testkit.Equal(t, len(nodes), 3, "nodes are %v", nodes)
	if out := c.do(0, "status"); strings.Count(out, "complete") != 2 {
		t.Errorf("all runs:\n%s", out)
	}
	if out := c.do(0, "status", dirs[0], "--watch"); strings.Count(out, ": complete\n") != 1 {
		t.Errorf("a watch of what has ended:\n%s", out)
	}
	c.says(0, "retry "+dirs[0], "nothing to do")
	c.says(0, "merge "+dirs[0], fmt.Sprintf("0 trials new, %d known", taskTrials))
}

// Whoever submits what can't be measured is told why, and can go on.
func TestSubmitFails(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	t.Run("a job that will never start", func(t *testing.T) {
		l := c.in(t)
		l.Run("scontrol", "update", "PartitionName=low", "State=DOWN")
		cmd := l.Command(l.program, "submit", l.sweep(`partition = "low"`, `time = "00:05:00"`), "--runs", "held", "--wait")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		slurmlab.Must(t, cmd.Start())
		dir := ""
		slurmlab.Wait(t, func() (string, bool) {
			jobs, _ := filepath.Glob(filepath.Join(l.Dir, "held", "*-*", "rounds", "*.json"))
			if len(jobs) == 1 {
				dir = filepath.Dir(filepath.Dir(jobs[0]))
			}
			return "no round is submitted", dir != ""
		})
		l.wait(dir, "a submission", func(s status.Status) bool { return s.Finish == status.Waiting })
		l.Run("scontrol", "update", "PartitionName=low", "MaxTime=1", "State=UP")
		l.wait(dir, "the reason", func(s status.Status) bool { return strings.Contains(s.Chunks[0].Why, "never start") })
		l.says(0, "status "+dir, "asks for more time than the partition allows, so it will never start")
		l.says(1, "submit "+l.sweep(`partition = "low"`, `time = "00:05:00"`), "above the limit of partition low")
		// Whoever stops waiting leaves the jobs alone.
		slurmlab.Must(t, cmd.Process.Signal(os.Interrupt))
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != command.ExitInterrupted || !strings.Contains(said.String(), "interrupted: the run goes on") {
			t.Errorf("interrupted, submit ends with %v:\n%s", err, said.String())
		}
		if s := l.status(dir); s.Counts.Waiting != s.Counts.All {
			t.Errorf("after the interrupt: %+v", s.Counts)
		}
		l.do(0, "cancel", dir)
	})

	t.Run("tasks that fail", func(t *testing.T) {
		l := c.in(t)
		l.says(command.ExitSomeFailed, "submit --runs failed --wait "+l.sweep(`setup = ["echo no such module; exit 1"]`),
			"no such module", "error: no trial succeeded, 1 chunk not complete", "hint: `spmvtune retry failed/small-")
	})
}

const downloadSweep = `name = "down"
[protocol]
cache = "warm"
samples = [3, 5]
trial_budget = "5ms"
[[matrix]]
suitesparse = "HB/five"
generate = "mycielskian"
order = 4
[[matrix]]
suitesparse = "HB/page"
generate = "mycielskian"
order = 5
[[kernel]]
name = "cpu_csr"
[slurm]
time = "00:05:00"
`

// submit downloads what there is, and takes the twin of what no server gives; the tasks,
// which reach no server, measure that.
func TestSubmitDownloads(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata/collection")))
	t.Setenv(cache.Env, t.TempDir())
	t.Setenv(fetch.EnvServers, server.URL)
	c := newCluster(t, slurmlab.Options{})
	path := filepath.Join(c.Dir, "down.toml")
	slurmlab.Must(t, os.WriteFile(path, []byte(downloadSweep), 0o666))
	c.says(0, "submit "+path, "downloaded HB/five", "note: page (twin) is generated and measured in place of HB/page")
	server.Close()
	dir := c.only("runs/down-*")
	c.wait(dir, "the end", over)
	got := c.do(0, "query", "--db", filepath.Join(dir, "results.db"), "--format", "csv",
		"SELECT m.name, m.source, count(*) FROM matrix m JOIN trial t ON t.matrix = m.id GROUP BY m.name ORDER BY m.name")
	if want := "five,SuiteSparse HB/five,2\npage (twin),twin of HB/page: mycielskian(order=5),2\n"; !strings.HasSuffix(got, want) {
		t.Errorf("measured were\n%s, want\n%s", got, want)
	}
}
