package cluster_test

import (
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

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

	t.Run("fewer jobs than tasks", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		limit("4")
		defer limit("-1")
		out := l.do(0, "submit", l.sweep(`time = "00:05:00"`, `chunk = "2s"`), "--runs", "limited", "--wait")
		if !strings.Contains(out, "AssocMaxSubmitJobLimit") || strings.Contains(out, "ended without") {
			t.Errorf("submit says:\n%s", out)
		}
		dirs, _ := filepath.Glob(filepath.Join(l.Dir, "limited", "*-*"))
		s := l.status(dirs[0])
		rounds, _ := filepath.Glob(filepath.Join(dirs[0], "rounds", "*.json"))
		if s.Trials.Done != taskTrials || s.Counts.Done != s.Counts.All || len(rounds) < 2 {
			t.Errorf("status %+v after %d rounds", s, len(rounds))
		}
	})

	t.Run("fewer jobs than tasks of two arrays", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		limit("4")
		defer limit("-1")
		path := l.sweep(`time = "00:05:00"`, `chunk = "2s"`, `[[slurm.array]]`, `nodelist = "n1"`, `[[slurm.array]]`, `nodelist = "n3"`)
		out := l.do(0, "submit", path, "--runs", "two", "--wait")
		dirs, _ := filepath.Glob(filepath.Join(l.Dir, "two", "*-*"))
		if s := l.status(dirs[0]); s.Counts.Done != s.Counts.All || s.Trials.Done != taskTrials {
			t.Errorf("status %+v:\n%s", s, out)
		}
		jobs, err := os.ReadFile(filepath.Join(dirs[0], "ledger.jsonl"))
		if err != nil || strings.Count(string(jobs), `"--nodelist=n1"`) < 2 || strings.Count(string(jobs), `"--nodelist=n3"`) < 2 {
			t.Errorf("a limit of four jobs has not cut the arrays, %v:\n%s", err, jobs)
		}
		// A chunk keeps its array, in whichever round it is sent.
		plan, err := os.ReadFile(filepath.Join(dirs[0], "plan.json"))
		slurmlab.Must(t, err)
		var cut slurm.Plan
		slurmlab.Must(t, json.Unmarshal(plan, &cut))
		logs, _ := filepath.Glob(filepath.Join(dirs[0], "logs", "*_*.log"))
		var text string
		for _, log := range logs {
			data, err := os.ReadFile(log)
			slurmlab.Must(t, err)
			text += string(data)
		}
		for chunk, kind := range cut.Kinds() {
			if node := []string{"n1", "n3"}[kind]; !strings.Contains(text, " on "+node+", attempt 1 at chunk "+chunk) {
				t.Errorf("chunk %s is not on %s:\n%s", chunk, node, text)
			}
		}
	})

	t.Run("a partition of GPUs, and another shell", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		cmd := l.Command(l.program, "submit", l.sweep(`gres = "gpu:1"`, `setup = ["exit 1"]`), "--runs", "gpus", "--wait")
		cmd.Env = append(cmd.Env, "SBATCH_QOS=gpus", "SBATCH_PARTITION=low", "SBATCH_ACCOUNT=lab")
		said, _ := cmd.CombinedOutput()
		if !strings.Contains(string(said), "asks for gpu:1, because") || !strings.Contains(string(said), "SBATCH_QOS=gpus counts") {
			t.Errorf("submit says:\n%s", said)
		}
		dirs, _ := filepath.Glob(filepath.Join(l.Dir, "gpus", "*-*"))
		if len(dirs) != 1 {
			t.Fatalf("runs %q:\n%s", dirs, said)
		}
		l.wait(dirs[0], "the end", func(s status.Status) bool { return !s.Active() })
		if out := l.do(0, "status", dirs[0]); !strings.Contains(out, "exit code 1") || !strings.Contains(out, "(on n") {
			t.Errorf("status does not name the node and the exit code:\n%s", out)
		}
		l.do(0, "retry", dirs[0])
		jobs, err := os.ReadFile(filepath.Join(dirs[0], "ledger.jsonl"))
		if n := strings.Count(string(jobs), `"--partition=low"`); err != nil || n != 4 ||
			strings.Count(string(jobs), `"--qos=gpus"`) != 4 || strings.Count(string(jobs), `"--account=lab"`) != 4 {
			t.Errorf("jobs, %v:\n%s", err, jobs)
		}
	})

	t.Run("what no node has", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		for section, want := range map[string]string{
			`gres = "gpu:v100:1"`: `gres = "gpu:v100:1"`, `mem = "900G"`: `mem = "900G"`, `account = "theirs"`: `account = "theirs"`,
		} {
			out := l.do(1, "submit", l.sweep(section), "--runs", "refused")
			if !strings.Contains(out, "a task with "+want+" could never start: slurm refused: ") {
				t.Errorf("%s: submit says:\n%s", section, out)
			}
		}
		if dirs, _ := filepath.Glob(filepath.Join(l.Dir, "refused", "*-*")); len(dirs) > 0 {
			t.Errorf("left behind: %q", dirs)
		}
	})
}
