package cluster_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm/status"
)

// Whoever submits what can't be measured is told why, and can go on.
func TestSubmitFails(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
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
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != command.ExitInterrupted || !strings.Contains(said.String(), "interrupted: the run goes on") {
			t.Errorf("interrupted, submit ends with %v:\n%s", err, said.String())
		}
		if s := l.status(dir); s.Counts.Waiting != s.Counts.All {
			t.Errorf("after the interrupt: %+v", s.Counts)
		}
		l.do(0, "cancel", dir)
	})

	t.Run("tasks that fail", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		out := l.do(command.ExitSomeFailed, "submit", l.sweep(`setup = ["echo no such module; exit 1"]`), "--runs", "failed", "--wait")
		for _, want := range []string{"no such module", "error: no trial succeeded, 1 chunk not complete", "hint: `spmvtune retry failed/small-"} {
			if !strings.Contains(out, want) {
				t.Errorf("submit does not say %q:\n%s", want, out)
			}
		}
	})

	t.Run("a matrix file that is gone", func(t *testing.T) {
		l := &cluster{c.Lab, t, c.program}
		file, gate := filepath.Join(l.Dir, "tiny.mtx"), filepath.Join(l.Dir, "gate")
		matrix := "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2\n"
		path := l.sweep(fmt.Sprintf(`setup = ["[ -e %s ]"]`, gate), "[[matrix]]", `path = "tiny.mtx"`)
		if err := os.WriteFile(file, []byte(matrix), 0o666); err != nil {
			t.Fatal(err)
		}
		dir := l.submit(path)
		l.wait(dir, "the end", over)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(gate, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		// Nothing but its own trials needs the file.
		l.do(0, "status", dir)
		l.do(command.ExitSomeFailed, "merge", dir)
		l.do(0, "retry", dir)
		if s := l.wait(dir, "the end", over); s.Trials.Done != taskTrials || !strings.Contains(s.Chunks[len(s.Chunks)-1].Why, "tiny.mtx") {
			t.Errorf("without the file: %+v", s)
		}
		if err := os.WriteFile(file, []byte(matrix), 0o666); err != nil {
			t.Fatal(err)
		}
		l.do(0, "retry", dir)
		if s := l.wait(dir, "the end", over); s.Counts.Done != s.Counts.All || s.Trials.Done <= taskTrials {
			t.Errorf("with the file: %+v", s)
		}
	})
}
