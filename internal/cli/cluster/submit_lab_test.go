// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
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
	dirs := testkit.Must(filepath.Glob(filepath.Join(c.Dir, "spmvtune-out", "small-*")))
	testkit.Require(t, len(dirs) == 2, "runs are %v", dirs)
	for i, text := range texts {
		testkit.Check(t, codes[i] == 0 && strings.Contains(text, "report: spmvtune-out/small-"),
			"submit ends with %d:\n%s", codes[i], text)
	}
	var nodes []string
	for _, dir := range dirs {
		testkit.Equal(t, c.identities(filepath.Join(dir, "results.db")), local, "the cluster's trials are not those of here")
		s := c.status(dir)
		testkit.Check(t, s.Counts.Done == s.Counts.All && s.Counts.All >= 4 && s.Trials.Done == taskTrials && over(s),
			"status %+v", s)
		for _, name := range []string{"report.html", "rule.txt", "merged-001.json"} {
			testkit.Must(os.Stat(filepath.Join(dir, name)))
		}
		jobs := testkit.Must(os.ReadFile(filepath.Join(dir, "ledger.jsonl")))
		testkit.Check(t, strings.Count(string(jobs), `"submitted"`) >= 3,
			"of arrays of at most three tasks there are:\n%s", jobs)
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
	testkit.Equal(t, strings.Count(c.do(0, "status"), "complete"), 2, "all runs")
	testkit.Equal(t, strings.Count(c.do(0, "status", dirs[0], "--watch"), ": complete\n"), 1, "a watch of what has ended")
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
		testkit.Succeed(t, cmd.Start())
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
		testkit.Succeed(t, cmd.Process.Signal(os.Interrupt))
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
	testkit.Succeed(t, os.WriteFile(path, []byte(downloadSweep), 0o666))
	c.says(0, "submit "+path, "downloaded HB/five", "note: page (twin) is generated and measured in place of HB/page")
	server.Close()
	dir := c.only("spmvtune-out/down-*")
	c.wait(dir, "the end", over)
	got := c.do(0, "query", "--db", filepath.Join(dir, "results.db"), "--format", "csv",
		"SELECT m.name, m.source, count(*) FROM matrix m JOIN trial t ON t.matrix = m.id GROUP BY m.name ORDER BY m.name")
	want := "five,SuiteSparse HB/five,2\npage (twin),twin of HB/page: mycielskian(order=5),2\n"
	testkit.Check(t, strings.HasSuffix(got, want), "measured were\n%s, want\n%s", got, want)
}

// newAccounts is a cluster with accounts and limits, and with a QOS "gpus" that takes no job without a GPU. limit
// sets how many jobs its user may submit; "-1" is any number.
func newAccounts(t *testing.T) (c *cluster, limit func(n string)) {
	t.Helper()
	c = newCluster(t, slurmlab.Options{
		Accounting: true, Config: []string{"AccountingStorageEnforce=associations,limits,qos", "AccountingStorageTRES=gres/gpu"},
	})
	me := testkit.Must(user.Current())
	for _, args := range [][]string{ // some of it may be there already
		{"add", "account", "lab"}, {"add", "user", me.Username, "account=lab"},
		{"modify", "user", me.Username, "set", "DefaultAccount=lab"}, {"add", "qos", "gpus"},
		{"modify", "qos", "gpus", "set", "MinTRESPerJob=gres/gpu=1", "Flags=DenyOnLimit"},
		{"modify", "user", me.Username, "set", "qos+=gpus"},
	} {
		out, err := c.Command("sacctmgr", append([]string{"-i"}, args...)...).CombinedOutput()
		t.Logf("sacctmgr %q: %v\n%s", args, err, out)
	}
	return c, func(n string) { c.Run("sacctmgr", "-i", "modify", "user", me.Username, "set", "MaxSubmitJobs="+n) }
}

// On a cluster with limits and accounts, a sweep runs as its user's other jobs do.
func TestSubmitWithinLimits(t *testing.T) {
	c, limit := newAccounts(t)

	t.Run("fewer jobs than tasks of two arrays", func(t *testing.T) {
		l := c.in(t)
		limit("4")
		defer limit("-1")
		path := l.sweep(`time = "00:05:00"`, `chunk = "1s"`, `setup = ["while ! [ -e `+l.Dir+`/gate ]; do sleep 0.1; done"]`,
			`[[slurm.array]]`, `nodelist = "n1"`, `[[slurm.array]]`, `nodelist = "n3"`)
		l.says(0, "submit --runs two "+path, "AssocMaxSubmitJobLimit", "the job that merges sends them")
		dir := l.only("two/*-*")
		l.says(0, "status "+dir, "sent by the job that merges, which waits for other jobs of the run to end")
		testkit.Lacks(t, "status", l.do(0, "status", dir), "retry", "never")
		l.says(0, "retry "+dir, "nothing to do yet")
		testkit.Succeed(t, os.WriteFile(l.Dir+"/gate", nil, 0o666))
		s := l.wait(dir, "the end", over)
		testkit.Check(t, s.Counts.Done == s.Counts.All && s.Trials.Done == taskTrials, "status %+v", s)
		jobs := testkit.Must(os.ReadFile(filepath.Join(dir, "ledger.jsonl")))
		testkit.Check(t, strings.Count(string(jobs), `"--nodelist=n1"`) >= 2 &&
			strings.Count(string(jobs), `"--nodelist=n3"`) >= 2, "a limit of four jobs has not cut the arrays:\n%s", jobs)
		// A chunk keeps its array, in whichever round it is sent.
		plan := slurmlab.Read(t, filepath.Join(dir, "plan.json"))
		var cut slurm.Plan
		testkit.Succeed(t, json.Unmarshal([]byte(plan), &cut))
		logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*_*.log"))
		var text string
		for _, log := range logs {
			data := slurmlab.Read(t, log)
			text += data
		}
		for _, chunk := range cut.Chunks {
			node := []string{"n1", "n3"}[chunk.Kind]
			testkit.Check(t, strings.Contains(text, " on "+node+", attempt 1 at chunk "+chunk.ID),
				"chunk %s is not on %s:\n%s", chunk.ID, node, text)
		}
	})

	t.Run("a partition of GPUs, and another shell", func(t *testing.T) {
		l := c.in(t)
		cmd := l.Command(l.program, "submit", l.sweep(`gres = "gpu:1"`, `setup = ["exit 1"]`), "--runs", "gpus", "--wait")
		cmd.Env = append(cmd.Env, "SBATCH_QOS=gpus", "SBATCH_PARTITION=low", "SBATCH_ACCOUNT=lab")
		said, _ := cmd.CombinedOutput()
		testkit.Check(t, strings.Contains(string(said), "asks for gpu:1, because") &&
			strings.Contains(string(said), "SBATCH_QOS=gpus applies"), "submit says:\n%s", said)
		dir := l.only("gpus/*-*")
		l.wait(dir, "the end", func(s status.Status) bool { return !s.Active() })
		l.says(0, "status "+dir, "exit code 1", "(on n")
		l.do(0, "retry", dir)
		jobs, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
		n := strings.Count(string(jobs), `"--partition=low"`)
		testkit.Check(t, err == nil && n == 4 && strings.Count(string(jobs), `"--qos=gpus"`) == 4 &&
			strings.Count(string(jobs), `"--account=lab"`) == 4, "jobs, %v:\n%s", err, jobs)
	})

	t.Run("what no node has", func(t *testing.T) {
		l := c.in(t)
		for section, want := range map[string]string{
			`gres = "gpu:v100:1"`: `gres = "gpu:v100:1"`, `mem = "900G"`: `mem = "900G"`, `account = "theirs"`: `account = "theirs"`,
		} {
			l.says(1, "submit --runs refused "+l.sweep(section), "a task with "+want+" could never start: slurm refused:")
		}
		dirs, _ := filepath.Glob(filepath.Join(l.Dir, "refused", "*-*"))
		testkit.Check(t, len(dirs) == 0, "left behind: %q", dirs)
	})
}

// On a cluster that kills tasks with more than 100 MB, which is also what they get, a sweep that says
// nothing about memory is measured, and one that asks for too little can be sent again.
func TestSubmitWithLittleMemory(t *testing.T) {
	c := newCluster(t, slurmlab.Options{Config: []string{
		"JobAcctGatherParams=OverMemoryKill", "JobAcctGatherFrequency=task=1",
	}})
	c.says(0, "submit --runs enough --wait "+c.sweep(`time = "00:05:00"`), "would get 100M on this cluster (DefMemPerCPU)")

	path := c.sweep(`time = "00:05:00"`, `mem = "50M"`)
	text := slurmlab.Read(t, path)
	big := strings.Replace(text, "[slurm]", "[[matrix]]\ngenerate = \"grid_5pt\"\nnx = 1000\nny = 1000\n[slurm]", 1)
	testkit.Succeed(t, os.WriteFile(path, []byte(big), 0o666))
	c.says(command.ExitSomeFailed, "submit --runs little --wait "+path, "used more memory than allowed", "--set mem=100M")
	dir := c.only("little/*-*")
	c.do(command.ExitSomeFailed, "retry", dir)
	c.do(0, "retry", dir, "--set", "mem=1500M")
	s := c.wait(dir, "the end", over)
	testkit.Check(t, s.Counts.Done == s.Counts.All, "with more memory: %+v", s)
}

// What submit and [slurm] pass on to sbatch does there what it does for other jobs.
func TestSubmitOptions(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	small := func(t *testing.T, name string, section ...string) (l *cluster, path string) {
		t.Helper()
		path = filepath.Join(c.Dir, name+".toml")
		text := strings.Replace(fewTrials, `name = "small"`, `name = "`+name+`"`, 1)
		testkit.Succeed(t, os.WriteFile(path, []byte(text+"[slurm]\ntime = \"5\"\n"+strings.Join(section, "\n")+"\n"), 0o666))
		return c.in(t), path
	}
	t.Run("dependencies", func(t *testing.T) {
		l, path := small(t, "waits")
		before := l.Run("sbatch", "--parsable", "--hold", "--output=/dev/null", "--wrap=true")
		script := `next=$("$0" submit "$1" --parsable --dependency afterok:"$2") &&
			echo "$next" && sbatch --parsable --output=next.log --dependency=afterok:"$next" --wrap='ls spmvtune-out/waits-*/results.db'`
		ids := strings.Fields(l.Run("bash", "-c", script, l.program, path, before))
		testkit.Require(t, len(ids) == 2, "submit --parsable and sbatch print %q", ids)
		// The name of the job that merges, and why all of them wait.
		got := l.Run("squeue", "-h", "-j", ids[0], "-o", "%j")
		testkit.Check(t, strings.HasSuffix(got, ".1.finish"), "--parsable names the job %q", got)
		for _, job := range strings.Split(l.Run("squeue", "-h", "-o", "%i %T %E"), "\n") {
			testkit.Check(t, strings.HasPrefix(job, before+" ") || (strings.Contains(job, "PENDING") &&
				!strings.Contains(job, "(null)")), "a job does not wait for another: %s", job)
		}
		l.Run("scontrol", "release", before)
		l.WaitJob(ids[1], "COMPLETED", "FAILED")
		text := testkit.Must(os.ReadFile(filepath.Join(c.Dir, "next.log")))
		testkit.Check(t, strings.HasSuffix(string(text), "results.db\n"), "the job after the run finds %q", text)
		s := l.status(l.only("spmvtune-out/waits-*"))
		testkit.Check(t, s.Counts.Done == s.Counts.All && s.Trials.Done == 20, "status %+v", s)
	})

	t.Run("no job that merges", func(t *testing.T) {
		l, path := small(t, "alone", "finish = false")
		id := strings.TrimSpace(l.do(0, "submit", path, "--parsable"))
		l.WaitJob(id, "COMPLETED")
		run := l.only("spmvtune-out/alone-*")
		if jobs := l.Run("squeue", "-h", "-t", "all", "-o", "%j %i"); strings.Contains(jobs, "alone-") &&
			strings.Contains(jobs, filepath.Base(run)+".1.finish") {
			t.Errorf("jobs\n%s", jobs)
		}
		testkit.Fails(t, testkit.Err(os.Stat(filepath.Join(run, "results.db"))), "", "somebody has merged")
		s := l.wait(run, "the end", over)
		testkit.Check(t, s.Counts.Done == s.Counts.All && s.Finish == "", "status %+v", s)
		l.do(0, "merge", run)
	})

	t.Run("no environment", func(t *testing.T) {
		seen := filepath.Join(c.Dir, "seen")
		l, path := small(t, "bare", `export = "NONE"`, `setup = ["env > `+seen+`"]`)
		cmd := l.Command(l.program, "submit", path, "--wait")
		cache := filepath.Join(c.Dir, "cache")
		cmd.Env = append(cmd.Env, "SPMVTUNE_CACHE="+cache, "MINE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		env := slurmlab.Read(t, seen)
		testkit.Check(t, !strings.Contains(env, "MINE=1") && strings.Contains(env, "SPMVTUNE_CACHE="+cache+"\n"),
			"a task has the environment\n%s", env)
	})
}
