// SPDX-License-Identifier: Apache-2.0

package slurmlab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// submit sends a script and returns the id of its job. Output goes into the lab's
// folder, ID.log.
func submit(l *Lab, script string, args ...string) string {
	l.t.Helper()
	file := filepath.Join(l.Dir, strconv.FormatInt(time.Now().UnixNano(), 36)+".sh")
	testkit.Succeed(l.t, os.WriteFile(file, []byte("#!/bin/bash\n"+script), 0o644))
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

// processes are those that have all of the marks in their program, arguments or
// environment: the lab's folder is one that only its own have.
func processes(t *testing.T, marks ...string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) == 0 {
		t.Fatal("no processes in /proc: ", err)
	}
	for _, proc := range all {
		program, _ := os.Readlink(proc + "/exe")
		arguments, _ := os.ReadFile(proc + "/cmdline")
		environment, _ := os.ReadFile(proc + "/environ")
		all := program + string(arguments) + string(environment)
		if !slices.ContainsFunc(marks, func(mark string) bool { return !strings.Contains(all, mark) }) {
			found = append(found, proc+" "+program)
		}
	}
	return found
}

func TestDownLeavesNothing(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	var dir string
	t.Run("lab", func(t *testing.T) {
		l := Start(t, Options{})
		dir = l.Dir
		for _, node := range []string{"n1", "n2"} {
			job := submit(l, "trap 'echo no' TERM USR1; echo ready; while :; do sleep 0.1; done\n", "-w", node)
			logged(l, job, "ready")
		}
		if found := processes(t, dir); len(found) < 10 {
			t.Errorf("five daemons and two jobs, but only these processes are seen: %q", found)
		}
		l.KillSlurmd("n1")
		l.KillNode("n3")
		l.Freeze()
	})
	gone(t, dir)
}

func TestLabEndsWithItsOwner(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	owner := exec.Command("sleep", "1000")
	testkit.Succeed(t, owner.Start())
	out := testkit.Must(exec.Command(filepath.Join(scripts(t), "up.sh"), "--owner", strconv.Itoa(owner.Process.Pid)).Output())
	dir := filepath.Dir(strings.TrimSpace(string(out)))
	testkit.Must(os.Stat(dir))
	owner.Process.Kill()
	owner.Wait()
	gone(t, dir)
}

// gone waits until nothing of a lab is left.
func gone(t *testing.T, dir string) {
	t.Helper()
	Wait(t, func() (string, bool) {
		_, err := os.Stat(dir)
		found := processes(t, dir)
		return fmt.Sprintf("left of %s: %v, %q", dir, err, found), os.IsNotExist(err) && len(found) == 0
	})
}
