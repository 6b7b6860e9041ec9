package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// What submit and [slurm] pass on to sbatch does there what it does for other jobs.
func TestSubmitOptions(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	small := func(t *testing.T, name string, section ...string) (l *cluster, path string) {
		t.Helper()
		path = filepath.Join(c.Dir, name+".toml")
		text := strings.Replace(fewTrials, `name = "small"`, `name = "`+name+`"`, 1)
		slurmlab.Must(t, os.WriteFile(path, []byte(text+"[slurm]\ntime = \"5\"\n"+strings.Join(section, "\n")+"\n"), 0o666))
		return &cluster{c.Lab, t, c.program}, path
	}
	runOf := func(t *testing.T, name string) string {
		t.Helper()
		dirs, err := filepath.Glob(filepath.Join(c.Dir, "runs", name+"-*"))
		if err != nil || len(dirs) != 1 {
			t.Fatalf("runs %q, %v", dirs, err)
		}
		return dirs[0]
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
		if s := l.status(runOf(t, "waits")); s.Counts.Done != s.Counts.All || s.Trials.Done != 20 {
			t.Errorf("status %+v", s)
		}
	})

	t.Run("no job that merges", func(t *testing.T) {
		l, path := small(t, "alone", "finish = false")
		id := strings.TrimSpace(l.do(0, "submit", path, "--parsable"))
		l.WaitJob(id, "COMPLETED")
		run := runOf(t, "alone")
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
		env, err := os.ReadFile(seen)
		slurmlab.Must(t, err)
		if strings.Contains(string(env), "MINE=1") || !strings.Contains(string(env), "SPMVTUNE_CACHE="+cache+"\n") {
			t.Errorf("a task has the environment\n%s", env)
		}
	})
}
