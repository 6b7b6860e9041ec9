package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

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
	in := func(t *testing.T) *cluster { return &cluster{c.Lab, t, c.program} }

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
