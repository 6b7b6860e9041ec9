package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spmvtune/internal/slurmlab"
	"spmvtune/slurm"
)

// A cluster is a lab with the program, as users build it, and a folder that they
// work in.
type cluster struct {
	*slurmlab.Lab
	t       *testing.T
	program string
}

func newCluster(t *testing.T, options slurmlab.Options) *cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a Slurm of its own")
	}
	c := &cluster{slurmlab.Start(t, options), t, filepath.Join(t.TempDir(), "spmvtune")}
	build := exec.Command("go", "build", "-o", c.program, "spmvtune")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

// try runs the program in the lab's folder, and returns what it printed and its
// exit code.
func (c *cluster) try(args ...string) (out string, code int) {
	var text bytes.Buffer
	cmd := c.Command(c.program, args...)
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err.Error(), -1
	}
	return text.String(), cmd.ProcessState.ExitCode()
}

// do runs the program, and fails the test unless it ends with the exit code.
func (c *cluster) do(code int, args ...string) string {
	c.t.Helper()
	out, got := c.try(args...)
	if got != code {
		c.t.Fatalf("spmvtune %s ends with %d, not %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// sweep writes a sweep file of some hundred trials of 20 ms, with lines for [slurm],
// and returns its path.
func (c *cluster) sweep(section ...string) string {
	c.t.Helper()
	path := filepath.Join(c.Dir, "small.toml")
	text := taskSweep + "[slurm]\n" + strings.Join(section, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// submit submits a sweep, and returns the run's folder.
func (c *cluster) submit(path string) string {
	c.t.Helper()
	var s submitted
	if err := json.Unmarshal([]byte(c.do(0, "submit", path, "--json")), &s); err != nil {
		c.t.Fatal(err)
	}
	return s.Dir
}

func (c *cluster) status(dir string) slurm.Status {
	c.t.Helper()
	var s slurm.Status
	if err := json.Unmarshal([]byte(c.do(0, "status", dir, "--json")), &s); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// wait waits until the status of a run is as wanted.
func (c *cluster) wait(dir, what string, wanted func(slurm.Status) bool) slurm.Status {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		s := c.status(dir)
		if wanted(s) {
			return s
		}
		if time.Now().After(end) {
			c.t.Fatalf("%s does not come to be of %s:\n%s", what, dir, c.do(0, "status", dir))
		}
	}
}

func over(s slurm.Status) bool { return !s.Active() }

// identities are those of the trials in a database.
func (c *cluster) identities(db string) string {
	c.t.Helper()
	return c.do(0, "query", "--db", db, "--format", "csv", "SELECT identity FROM trial ORDER BY identity")
}

// The whole way, from the sweep to the report: an array longer than the cluster
// allows, over three nodes, gives what a run on one machine does. There is no
// accounting.
func TestSubmitWholeWay(t *testing.T) {
	c := newCluster(t, slurmlab.Options{MaxArray: 3})
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
		jobs, err := os.ReadFile(filepath.Join(dir, "jobs.jsonl"))
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

// What is cancelled in the middle is merged, and goes on where it stopped; merging
// while tasks write is harmless.
func TestSubmitCancelRetry(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	// The tasks wait for the gate before they begin.
	gate := filepath.Join(c.Dir, "gate")
	hold := fmt.Sprintf(`setup = ["while ! [ -e %s ]; do sleep 0.1; done"]`, gate)
	dir := c.submit(c.sweep(`chunk = "1s"`, `throttle = 1`, hold))

	s := c.wait(dir, "a task that waits", func(s slurm.Status) bool { return s.Counts.Running == 1 && s.Counts.Waiting > 0 })
	if why := s.Chunks[len(s.Chunks)-1].Why; !strings.Contains(why, "throttle") {
		t.Errorf("the last chunk %s", why)
	}
	if s.Finish != slurm.ChunkWaiting {
		t.Errorf("the job that merges is %s", s.Finish)
	}
	c.do(0, "throttle", filepath.Base(dir), "2")
	c.wait(dir, "two tasks at once", func(s slurm.Status) bool { return s.Counts.Running == 2 })
	if out := c.do(0, "retry", dir); !strings.Contains(out, "nothing to do yet") {
		t.Errorf("retry while tasks run or wait says:\n%s", out)
	}

	if err := os.WriteFile(gate, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c.wait(dir, "a trial", func(s slurm.Status) bool { return s.Trials.Done > 5 })
	var merges sync.WaitGroup
	for range 2 {
		merges.Go(func() {
			if out, code := c.try("merge", dir); code != exitSomeFailed || !strings.Contains(out, "not complete") {
				t.Errorf("merging while tasks write ends with %d:\n%s", code, out)
			}
		})
	}
	merges.Wait()
	c.do(0, "cancel", dir)
	s = c.wait(dir, "the end", over)
	if s.Trials.Done == 0 || s.Trials.Done >= taskTrials || s.Counts.Ended+s.Counts.Never == 0 {
		t.Errorf("cancelled: %+v", s)
	}
	if out := c.do(0, "cancel", dir); !strings.Contains(out, "nothing to cancel") {
		t.Errorf("a second cancel says:\n%s", out)
	}
	if out := c.do(0, "status", dir); !strings.Contains(out, "was cancelled") || !strings.Contains(out, "next    spmvtune retry runs/small-") {
		t.Errorf("status says:\n%s", out)
	}
	if out := c.do(3, "merge", dir); !strings.Contains(out, "spmvtune retry") || !strings.Contains(out, "was cancelled") {
		t.Errorf("merge says:\n%s", out)
	}

	c.do(0, "retry", dir)
	s = c.wait(dir, "the end", over)
	if s.Counts.Done != s.Counts.All || s.Trials.Done != taskTrials || s.Merged == nil || s.Merged.Round != 2 {
		t.Errorf("after retry: %+v", s)
	}
	lines := 0
	journals, _ := filepath.Glob(filepath.Join(dir, "journals", "*.jsonl"))
	for _, path := range journals {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(data), `"trial":{`)
	}
	if lines != taskTrials {
		t.Errorf("%d trials in the journals, not %d: some were measured twice", lines, taskTrials)
	}

	t.Run("a job that will never start", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		l.Run("scontrol", "update", "PartitionName=low", "State=DOWN")
		cmd := l.Command(l.program, "submit", l.sweep(`partition = "low"`, `time = "00:05:00"`), "--runs", "held", "--wait")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		dir := ""
		for end := time.Now().Add(time.Minute); dir == "" && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if jobs, _ := filepath.Glob(filepath.Join(l.Dir, "held", "*", "rounds", "*.json")); len(jobs) == 1 {
				dir = filepath.Dir(filepath.Dir(jobs[0]))
			}
		}
		l.wait(dir, "a submission", func(s slurm.Status) bool { return s.Finish == slurm.ChunkWaiting })
		l.Run("scontrol", "update", "PartitionName=low", "MaxTime=1", "State=UP")
		l.wait(dir, "the reason", func(s slurm.Status) bool { return strings.Contains(s.Chunks[0].Why, "never start") })
		if out := strings.Join(strings.Fields(l.do(0, "status", dir)), " "); !strings.Contains(out, "asks for more time than the partition allows, so it will never start") {
			t.Errorf("status says:\n%s", out)
		}
		if out := l.do(1, "submit", l.sweep(`partition = "low"`, `time = "00:05:00"`)); !strings.Contains(out, "above the limit of partition low") {
			t.Errorf("a second submit says:\n%s", out)
		}
		// Whoever stops waiting leaves the jobs alone.
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(said.String(), "interrupted: the run goes on") {
			t.Errorf("interrupted, submit ends with %v:\n%s", err, said.String())
		}
		if s := l.status(dir); s.Counts.Waiting != s.Counts.All {
			t.Errorf("after the interrupt: %+v", s.Counts)
		}
		l.do(0, "cancel", dir)
	})

	t.Run("tasks that fail", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		out := l.do(exitSomeFailed, "submit", l.sweep(`setup = ["echo no such module; exit 1"]`), "--runs", "failed", "--wait")
		for _, want := range []string{"no such module", "error: no trial succeeded, 1 chunk not complete", "hint: `spmvtune retry failed/small-"} {
			if !strings.Contains(out, want) {
				t.Errorf("submit does not say %q:\n%s", want, out)
			}
		}
	})
}
