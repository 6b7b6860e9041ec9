package cluster_test

import (
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
)

// newAccounts is a cluster with accounts and limits, and with a QOS "gpus" that takes no job without a GPU. limit
// sets how many jobs its user may submit; "-1" is any number.
func newAccounts(t *testing.T) (c *cluster, limit func(n string)) {
	t.Helper()
	c = newCluster(t, slurmlab.Options{
		Accounting: true, Config: []string{"AccountingStorageEnforce=associations,limits,qos", "AccountingStorageTRES=gres/gpu"},
	})
	me, err := user.Current()
	slurmlab.Must(t, err)
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
		path := l.sweep(`time = "00:05:00"`, `chunk = "2s"`, `[[slurm.array]]`, `nodelist = "n1"`, `[[slurm.array]]`, `nodelist = "n3"`)
		out := l.do(0, "submit", path, "--runs", "two", "--wait")
		dir := l.only("two/*-*")
		if s := l.status(dir); s.Counts.Done != s.Counts.All || s.Trials.Done != taskTrials ||
			!strings.Contains(out, "AssocMaxSubmitJobLimit") || strings.Contains(out, "ended without") {
			t.Errorf("status %+v:\n%s", s, out)
		}
		jobs, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
		if err != nil || strings.Count(string(jobs), `"--nodelist=n1"`) < 2 || strings.Count(string(jobs), `"--nodelist=n3"`) < 2 {
			t.Errorf("a limit of four jobs has not cut the arrays, %v:\n%s", err, jobs)
		}
		// A chunk keeps its array, in whichever round it is sent.
		plan := slurmlab.Read(t, filepath.Join(dir, "plan.json"))
		var cut slurm.Plan
		slurmlab.Must(t, json.Unmarshal([]byte(plan), &cut))
		logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*_*.log"))
		var text string
		for _, log := range logs {
			data := slurmlab.Read(t, log)
			text += data
		}
		for _, chunk := range cut.Chunks {
			if node := []string{"n1", "n3"}[chunk.Kind]; !strings.Contains(text, " on "+node+", attempt 1 at chunk "+chunk.ID) {
				t.Errorf("chunk %s is not on %s:\n%s", chunk.ID, node, text)
			}
		}
	})

	t.Run("a partition of GPUs, and another shell", func(t *testing.T) {
		l := c.in(t)
		cmd := l.Command(l.program, "submit", l.sweep(`gres = "gpu:1"`, `setup = ["exit 1"]`), "--runs", "gpus", "--wait")
		cmd.Env = append(cmd.Env, "SBATCH_QOS=gpus", "SBATCH_PARTITION=low", "SBATCH_ACCOUNT=lab")
		said, _ := cmd.CombinedOutput()
		if !strings.Contains(string(said), "asks for gpu:1, because") || !strings.Contains(string(said), "SBATCH_QOS=gpus applies") {
			t.Errorf("submit says:\n%s", said)
		}
		dir := l.only("gpus/*-*")
		l.wait(dir, "the end", func(s status.Status) bool { return !s.Active() })
		l.says(0, "status "+dir, "exit code 1", "(on n")
		l.do(0, "retry", dir)
		jobs, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
		if n := strings.Count(string(jobs), `"--partition=low"`); err != nil || n != 4 ||
			strings.Count(string(jobs), `"--qos=gpus"`) != 4 || strings.Count(string(jobs), `"--account=lab"`) != 4 {
			t.Errorf("jobs, %v:\n%s", err, jobs)
		}
	})

	t.Run("what no node has", func(t *testing.T) {
		l := c.in(t)
		for section, want := range map[string]string{
			`gres = "gpu:v100:1"`: `gres = "gpu:v100:1"`, `mem = "900G"`: `mem = "900G"`, `account = "theirs"`: `account = "theirs"`,
		} {
			l.says(1, "submit --runs refused "+l.sweep(section), "a task with "+want+" could never start: slurm refused:")
		}
		if dirs, _ := filepath.Glob(filepath.Join(l.Dir, "refused", "*-*")); len(dirs) > 0 {
			t.Errorf("left behind: %q", dirs)
		}
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
	slurmlab.Must(t, os.WriteFile(path, []byte(big), 0o666))
	c.says(command.ExitSomeFailed, "submit --runs little --wait "+path, "used more memory than allowed", "--set mem=")
	dir := c.only("little/*-*")
	c.do(command.ExitSomeFailed, "retry", dir)
	c.do(0, "retry", dir, "--set", "mem=1500M")
	if s := c.wait(dir, "the end", over); s.Counts.Done != s.Counts.All {
		t.Errorf("with more memory: %+v", s)
	}
}

// What submit and [slurm] pass on to sbatch does there what it does for other jobs.
func TestSubmitOptions(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	small := func(t *testing.T, name string, section ...string) (l *cluster, path string) {
		t.Helper()
		path = filepath.Join(c.Dir, name+".toml")
		text := strings.Replace(fewTrials, `name = "small"`, `name = "`+name+`"`, 1)
		slurmlab.Must(t, os.WriteFile(path, []byte(text+"[slurm]\ntime = \"5\"\n"+strings.Join(section, "\n")+"\n"), 0o666))
		return c.in(t), path
	}
	t.Run("dependencies", func(t *testing.T) {
		l, path := small(t, "waits")
		before := l.Run("sbatch", "--parsable", "--hold", "--output=/dev/null", "--wrap=true")
		script := `next=$("$0" submit "$1" --parsable --dependency afterok:"$2") &&
			echo "$next" && sbatch --parsable --output=next.log --dependency=afterok:"$next" --wrap='ls runs/waits-*/results.db'`
		ids := strings.Fields(l.Run("bash", "-c", script, l.program, path, before))
		if len(ids) != 2 {
			t.Fatalf("submit --parsable and sbatch print %q", ids)
		}
		// The name of the job that merges, and why all of them wait.
		if got := l.Run("squeue", "-h", "-j", ids[0], "-o", "%j"); !strings.HasSuffix(got, ".1.finish") {
			t.Errorf("--parsable names the job %q", got)
		}
		for _, job := range strings.Split(l.Run("squeue", "-h", "-o", "%i %T %E"), "\n") {
			if !strings.HasPrefix(job, before+" ") && (!strings.Contains(job, "PENDING") || strings.Contains(job, "(null)")) {
				t.Errorf("a job does not wait for another: %s", job)
			}
		}
		l.Run("scontrol", "release", before)
		l.WaitJob(ids[1], "COMPLETED", "FAILED")
		if text, err := os.ReadFile(filepath.Join(c.Dir, "next.log")); err != nil || !strings.HasSuffix(string(text), "results.db\n") {
			t.Errorf("the job after the run finds %q, %v", text, err)
		}
		if s := l.status(l.only("runs/waits-*")); s.Counts.Done != s.Counts.All || s.Trials.Done != 20 {
			t.Errorf("status %+v", s)
		}
	})

	t.Run("no job that merges", func(t *testing.T) {
		l, path := small(t, "alone", "finish = false")
		id := strings.TrimSpace(l.do(0, "submit", path, "--parsable"))
		l.WaitJob(id, "COMPLETED")
		run := l.only("runs/alone-*")
		if jobs := l.Run("squeue", "-h", "-t", "all", "-o", "%j %i"); strings.Contains(jobs, "alone-") &&
			strings.Contains(jobs, filepath.Base(run)+".1.finish") {
			t.Errorf("jobs\n%s", jobs)
		}
		if _, err := os.Stat(filepath.Join(run, "results.db")); err == nil {
			t.Error("somebody has merged")
		}
		if s := l.wait(run, "the end", over); s.Counts.Done != s.Counts.All || s.Finish != "" {
			t.Errorf("status %+v", s)
		}
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
		if strings.Contains(env, "MINE=1") || !strings.Contains(env, "SPMVTUNE_CACHE="+cache+"\n") {
			t.Errorf("a task has the environment\n%s", env)
		}
	})
}
