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
	if len(nodes) != 3 {
		t.Errorf("nodes are %v", nodes)
	}
	if out := c.do(0, "status"); strings.Count(out, "complete") != 2 {
		t.Errorf("all runs:\n%s", out)
	}
	if out := c.do(0, "status", dirs[0], "--watch"); strings.Count(out, ": complete\n") != 1 {
		t.Errorf("a watch of what has ended:\n%s", out)
	}
	c.says(0, "retry "+dirs[0], "nothing to do")
	c.says(0, "merge "+dirs[0], fmt.Sprintf("0 trials new, %d known", taskTrials))
}

// shortSweep is the example of docs/cluster.md, in smaller numbers, so that its tasks are as many and take a
// second each.
const shortSweep = `[protocol]
trial_budget = "20ms"
cache = "warm"

[[matrix]]
generate = "grid_5pt"
nx = [50, 100, 200]
ny = 100

[[kernel]]
name  = ["cpu_csr_rows", "cpu_coo_chunks"]
block = { pow2 = [64, 8192] }

[slurm]
time  = "00:10:00"
chunk = "100ms"
cpus  = 1
`

// shortCommands are those of docs/cluster.md, in their order.
var shortCommands = []string{
	"submit grids.toml --dry-run", "submit grids.toml", "status", "status RUN --watch", "merge RUN", "retry RUN",
	"retry RUN --set mem=8G --exclude n1", "throttle RUN 4", "cancel RUN",
}

// shortWay takes the steps of docs/cluster.md in a folder of their own, with more lines for the sweep and
// variables, and returns the run's folder and all that was printed.
func (c *cluster) shortWay(name, lines string, env ...string) (run, said string) {
	c.t.Helper()
	dir := filepath.Join(c.Dir, name)
	slurmlab.Must(c.t, os.Mkdir(dir, 0o777))
	slurmlab.Must(c.t, os.WriteFile(filepath.Join(dir, "grids.toml"), []byte(shortSweep+lines), 0o666))
	for _, line := range shortCommands {
		if run == "" {
			if dirs, _ := filepath.Glob(filepath.Join(dir, "runs", "grids-*")); len(dirs) == 1 {
				run = dirs[0]
			}
		}
		cmd := c.Command(c.program, strings.Fields(strings.ReplaceAll(line, "RUN", filepath.Base(run)))...)
		cmd.Dir, cmd.Env = dir, append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if said += string(out); err != nil {
			c.t.Fatalf("spmvtune %s: %v\n%s", line, err, out)
		}
	}
	ids := strings.Fields(c.identities(filepath.Join(run, "results.db"))) // after the name of the column
	s := c.status(run)
	if s.Counts.Done != s.Counts.All || s.Counts.All < 12 ||
		len(ids) != 1+s.Trials.Done || s.Trials.Done != s.Trials.Of || !over(s) {
		c.t.Errorf("%s: %d trials in the database, and the status is %+v", name, len(ids)-1, s)
	}
	return run, said
}

// The short way of docs/cluster.md does what it says with variables of sbatch, where a partition takes only
// jobs with a GPU, and where ten jobs may be submitted at once.
func TestShortWayOnClusters(t *testing.T) {
	c, limit := newAccounts(t)
	in := func(t *testing.T) *cluster { return c.in(t) }

	t.Run("variables", func(t *testing.T) {
		run, said := in(t).shortWay("variables", "", "SBATCH_PARTITION=low", "SBATCH_ACCOUNT=lab", "SBATCH_TIMELIMIT=1",
			"SBATCH_ARRAY_INX=0-99", "SBATCH_JOB_NAME=mine", "SBATCH_OUTPUT=/dev/null", "SBATCH_WAIT=1")
		if !strings.Contains(said, "SBATCH_PARTITION=low counts") || strings.Contains(said, "SBATCH_TIMELIMIT") {
			t.Errorf("it is said:\n%s", said)
		}
		jobs := c.Run("sacct", "-X", "-n", "-P", "-o", "JobName%80,Partition,Account,Timelimit")
		for _, job := range strings.Split(jobs, "\n") {
			if strings.HasPrefix(job, filepath.Base(run)+".1.") && !strings.HasSuffix(job, "|low|lab|00:10:00") {
				t.Errorf("a job is %s", job)
			}
		}
	})

	t.Run("a partition of GPUs", func(t *testing.T) {
		c.Run("scontrol", "update", "PartitionName=low", "QOS=gpus")
		_, said := in(t).shortWay("gpus", "partition = \"low\"\ngres = \"gpu:a30:1\"\nsetup = [\"true\"]\n")
		if !strings.Contains(said, "the job that merges asks for gpu:a30:1, because its partition takes no job without") {
			t.Errorf("it is said:\n%s", said)
		}
	})

	t.Run("ten jobs", func(t *testing.T) {
		limit("10")
		defer limit("-1")
		if _, said := in(t).shortWay("ten", ""); !strings.Contains(said, "AssocMaxSubmitJobLimit") {
			t.Errorf("ten jobs were enough:\n%s", said)
		}
	})
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

	t.Run("a matrix file that is gone", func(t *testing.T) {
		l := c.in(t)
		file, gate := filepath.Join(l.Dir, "tiny.mtx"), filepath.Join(l.Dir, "gate")
		matrix := "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2\n"
		path := l.sweep(fmt.Sprintf(`setup = ["[ -e %s ]"]`, gate), "[[matrix]]", `path = "tiny.mtx"`)
		slurmlab.Must(t, os.WriteFile(file, []byte(matrix), 0o666))
		dir := l.submit(path)
		l.wait(dir, "the end", over)
		slurmlab.Must(t, os.Remove(file))
		slurmlab.Must(t, os.WriteFile(gate, nil, 0o666))
		// Nothing but its own trials needs the file.
		l.do(0, "status", dir)
		l.do(command.ExitSomeFailed, "merge", dir)
		l.do(0, "retry", dir)
		if s := l.wait(dir, "the end", over); s.Trials.Done != taskTrials || !strings.Contains(s.Chunks[len(s.Chunks)-1].Why, "tiny.mtx") {
			t.Errorf("without the file: %+v", s)
		}
		slurmlab.Must(t, os.WriteFile(file, []byte(matrix), 0o666))
		l.do(0, "retry", dir)
		if s := l.wait(dir, "the end", over); s.Counts.Done != s.Counts.All || s.Trials.Done <= taskTrials {
			t.Errorf("with the file: %+v", s)
		}
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
