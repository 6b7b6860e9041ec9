// SPDX-License-Identifier: Apache-2.0

package slurmlab

import (
	"fmt"
	"slices"
	"strings"
)

// States are the states of a job, one for every task of an array, in no order.
func (l *Lab) States(job string) []string {
	l.t.Helper()
	return strings.Fields(l.Run("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%T"))
}

// WaitJob waits until a job, every task of it if it is an array, is in one of the
// states: "RUNNING", "COMPLETED", …
func (l *Lab) WaitJob(job string, states ...string) {
	l.t.Helper()
	Wait(l.t, func() (string, bool) {
		now := l.States(job)
		other := slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(states, s) })
		return fmt.Sprintf("job %s is %v, not %v", job, now, states), len(now) > 0 && !other
	})
}

// Requeue ends a running job and puts it back into the queue, where it waits for six
// seconds.
func (l *Lab) Requeue(job string) {
	l.t.Helper()
	l.Run("scontrol", "requeue", job)
}

// Warn sends a running job's batch script the signal that sbatch --signal=B:USR1
// asks for, without the wait for the time limit.
func (l *Lab) Warn(job string) {
	l.t.Helper()
	l.Run("scancel", "--batch", "--signal=USR1", job)
}

// Freeze stops the controller: commands that ask it hang, and give up after five
// seconds, but what they sent is done after Thaw.
func (l *Lab) Freeze() {
	l.t.Helper()
	l.script("fault.sh", l.Dir, "freeze")
}

// Thaw lets the controller go on.
func (l *Lab) Thaw() {
	l.t.Helper()
	l.script("fault.sh", l.Dir, "thaw")
}

// RestartController ends the controller, in good order or by its death, which loses what it had not saved
// yet, and starts it again. It returns when the controller answers.
func (l *Lab) RestartController(killed bool) {
	l.t.Helper()
	end := "stop-controller"
	if killed {
		end = "kill-controller"
	}
	l.script("fault.sh", l.Dir, end)
	l.script("fault.sh", l.Dir, "start-controller")
	Wait(l.t, func() (string, bool) {
		out, err := l.Command("squeue", "-h").CombinedOutput()
		return "the controller does not answer: " + string(out), err == nil
	})
}

// KillNode is a loss of power: the node's daemons and all that runs on it die at
// once. The controller sees it after about 15 seconds, or through LoseNode.
func (l *Lab) KillNode(node string) {
	l.t.Helper()
	l.script("fault.sh", l.Dir, "kill", node)
}

// KillSlurmd kills only the node's daemon. Its jobs run on, also after the controller
// has given the node up and started them elsewhere.
func (l *Lab) KillSlurmd(node string) {
	l.t.Helper()
	l.script("fault.sh", l.Dir, "kill-slurmd", node)
}

// LoseNode has the controller give a node up at once: its jobs are NODE_FAIL, or go
// back into the queue.
func (l *Lab) LoseNode(node string) {
	l.t.Helper()
	l.Run("scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=lost")
}

// RestartNode starts the daemon of a killed node and waits until the controller
// takes it back.
func (l *Lab) RestartNode(node string) {
	l.t.Helper()
	l.script("fault.sh", l.Dir, "start", node)
	Wait(l.t, func() (string, bool) {
		state := l.Run("sinfo", "-h", "-p", "debug", "-n", node, "-o", "%t")
		return "node " + node + " is " + state, slices.Contains([]string{"idle", "mix", "alloc"}, state)
	})
}
