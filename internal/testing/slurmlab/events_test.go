package slurmlab

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// submit sends a script and returns the id of its job. Output goes into the lab's
// folder, ID.log.
func submit(l *Lab, script string, args ...string) string {
	l.t.Helper()
	file := filepath.Join(l.Dir, strconv.FormatInt(time.Now().UnixNano(), 36)+".sh")
	Must(l.t, os.WriteFile(file, []byte("#!/bin/bash\n"+script), 0o644))
	args = append([]string{"--parsable", "--open-mode=append", "--output=%A.log"}, append(args, file)...)
	return l.Run("sbatch", args...)
}

// logged waits until a job's log has a line.
func logged(l *Lab, job, line string) {
	l.t.Helper()
	Wait(l.t, func() (string, bool) {
		text, err := os.ReadFile(filepath.Join(l.Dir, job+".log"))
		return fmt.Sprintf("the log of job %s has no line %q: %v\n%s", job, line, err, text),
			strings.Contains("\n"+string(text), "\n"+line+"\n")
	})
}

func TestArrayIsThrottled(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{MaxArray: 6})
	job := submit(l, "echo start; sleep 0.5; echo end\n", "--array=0-5%2")
	l.WaitJob(job, "COMPLETED")
	if n := len(l.States(job)); n != 6 {
		t.Errorf("%d tasks, want 6", n)
	}
	text, err := os.ReadFile(filepath.Join(l.Dir, job+".log"))
	Must(t, err)
	running, most := 0, 0
	for line := range strings.Lines(string(text)) {
		if line == "start\n" {
			running++
		} else {
			running--
		}
		most = max(most, running)
	}
	if most != 2 {
		t.Errorf("%d tasks at once, want 2:\n%s", most, text)
	}
	out, err := l.Command("sbatch", "--array=0-6", "/dev/null").CombinedOutput()
	if err == nil {
		t.Errorf("index 6 is accepted where MaxArraySize is 6: %s", out)
	}
}

func TestRequeueKeepsTheID(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	job := submit(l, "trap 'echo warned' USR1; echo attempt ${SLURM_RESTART_COUNT:-0}; while :; do sleep 0.1; done\n", "--requeue")
	logged(l, job, "attempt 0")
	l.Warn(job)
	logged(l, job, "warned")
	l.Requeue(job)
	logged(l, job, "attempt 1")
	if out := l.Run("scontrol", "show", "job", job); !strings.Contains(out, "Restarts=1 ") {
		t.Errorf("job %s has not Restarts=1:\n%s", job, out)
	}
}

func TestPreemption(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	low := submit(l, "sleep 100\n", "-p", "low", "-w", "n3", "--exclusive", "--requeue")
	l.WaitJob(low, "RUNNING")
	high := submit(l, "sleep 0.1\n", "-p", "high", "-w", "n3", "--exclusive")
	l.WaitJob(high, "COMPLETED")
	l.WaitJob(low, "PENDING")
	l.WaitJob(low, "RUNNING")
}

func TestFrozenController(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	job := submit(l, "true\n")
	l.WaitJob(job, "COMPLETED")

	// A short freeze only delays.
	l.Freeze()
	sbatch := l.Command("sbatch", "--parsable", "--job-name=patient", "--output=/dev/null", "/dev/stdin")
	sbatch.Stdin = strings.NewReader("#!/bin/bash\ntrue\n")
	done := make(chan error, 1)
	go func() { done <- sbatch.Run() }()
	select {
	case err := <-done:
		t.Errorf("sbatch returned while the controller was frozen: %v", err)
		l.Thaw()
	case <-time.After(time.Second):
		l.Thaw()
		if err := <-done; err != nil {
			t.Errorf("sbatch after the thaw: %v", err)
		}
	}

	// After a long one sbatch has failed, and yet the job is there.
	l.Freeze()
	sbatch = l.Command("sbatch", "--parsable", "--job-name=lost", "--output=/dev/null", "/dev/stdin")
	sbatch.Stdin = strings.NewReader("#!/bin/bash\ntrue\n")
	if out, err := sbatch.CombinedOutput(); err == nil || !strings.Contains(string(out), "timed out") {
		t.Errorf("sbatch with a frozen controller: %v, %s", err, out)
	}
	l.Thaw()
	Wait(t, func() (string, bool) {
		return "the job that sbatch gave up is not there after the thaw",
			l.Run("squeue", "-h", "-t", "all", "-n", "lost", "-o", "%j") == "lost"
	})
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	script := "trap 'echo warned; exit' USR1; echo ready; while :; do sleep 0.1; done\n"
	warned := submit(l, script, "--signal=B:USR1@120", "--time=9")
	over := submit(l, script, "--time=9")
	logged(l, warned, "ready")
	logged(l, over, "ready")
	l.EndIn(warned, 90*time.Second)
	l.EndNow(over)
	l.WaitJob(warned, "COMPLETED")
	logged(l, warned, "warned")
	l.WaitJob(over, "TIMEOUT")
}

func TestNodeFailure(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	const script = "echo $SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0}; sleep 100\n"
	lost := submit(l, script, "-w", "n2", "--no-requeue")
	moved := submit(l, script, "-w", "n2", "--requeue")
	logged(l, lost, "n2 0")
	logged(l, moved, "n2 0")
	if found := processes(t, l.Dir, "SLURM_JOB_ID="+moved+"\x00"); len(found) == 0 {
		t.Errorf("job %s runs, but none of its processes is seen", moved)
	}
	l.KillNode("n2")
	for _, job := range []string{lost, moved} {
		if found := processes(t, l.Dir, "SLURM_JOB_ID="+job+"\x00"); len(found) > 0 {
			t.Errorf("job %s outlived its node: %v", job, found)
		}
	}
	l.WaitJob(lost, "NODE_FAIL")
	l.RestartNode("n2")
	logged(l, moved, "n2 1")
}

func TestProcessOutlivesItsJob(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	job := submit(l, "while :; do echo attempt ${SLURM_RESTART_COUNT:-0}; sleep 0.1; done\n", "-x", "n3", "--gres=gpu:1", "--requeue")
	logged(l, job, "attempt 0")
	node := l.Run("squeue", "-h", "-j", job, "-o", "%N")
	l.KillSlurmd(node)
	l.LoseNode(node)
	logged(l, job, "attempt 1")
	Must(t, os.WriteFile(filepath.Join(l.Dir, job+".log"), nil, 0o644))
	logged(l, job, "attempt 0")
	logged(l, job, "attempt 1")
}

// A job runs on while the controller is away, and is known to the next one.
func TestControllerRestarts(t *testing.T) {
	t.Parallel()
	l := Start(t, Options{})
	gate := filepath.Join(l.Dir, "gate")
	job := submit(l, "echo ready; until [ -e "+gate+" ]; do sleep 0.1; done\n")
	logged(l, job, "ready")
	was, err := os.ReadFile(filepath.Join(l.Dir, "run", "slurmctld"))
	Must(t, err)
	l.RestartController(false)
	if now, err := os.ReadFile(filepath.Join(l.Dir, "run", "slurmctld")); err != nil || string(now) == string(was) {
		t.Errorf("the controller is still process %s, %v", now, err)
	}
	l.WaitJob(job, "RUNNING")
	l.RestartController(true) // it has saved the job at its first end
	l.WaitJob(job, "RUNNING")
	Must(t, os.WriteFile(gate, nil, 0o666))
	l.WaitJob(job, "COMPLETED")
}
