package sbatch

import (
	"slices"
	"strings"
)

// A State is the state of a job, in Slurm's words. It explains what became of the job; whether
// the work is done is for the journals to say.
type State string

const (
	Unknown State = "UNKNOWN" // a word that is not in this list, or none; never a success

	Pending      State = "PENDING"       // waits for resources, a dependency, a limit or a release
	Configuring  State = "CONFIGURING"   // has nodes that are booting
	Running      State = "RUNNING"       // runs
	Suspended    State = "SUSPENDED"     // is stopped to make room for another job
	Stopped      State = "STOPPED"       // got SIGSTOP, and keeps its processors
	Completing   State = "COMPLETING"    // has ended, and is being cleaned up
	Signaling    State = "SIGNALING"     // is being sent a signal
	StageOut     State = "STAGE_OUT"     // has ended, and its files are being copied
	Resizing     State = "RESIZING"      // is changing size
	Requeued     State = "REQUEUED"      // will run again
	RequeueFed   State = "REQUEUE_FED"   // will run again, on a cluster of the federation
	RequeueHold  State = "REQUEUE_HOLD"  // will run again once it is released
	SpecialExit  State = "SPECIAL_EXIT"  // is held like RequeueHold, because of how it ended
	ResvDelHold  State = "RESV_DEL_HOLD" // waits for a release, because its reservation was deleted
	PowerUpNode  State = "POWER_UP_NODE" // has nodes that are being switched on
	Completed    State = "COMPLETED"     // ended with exit code 0
	Failed       State = "FAILED"        // ended with another exit code
	Cancelled    State = "CANCELLED"     // was cancelled by the user or an administrator
	TimedOut     State = "TIMEOUT"       // reached its time limit
	Preempted    State = "PREEMPTED"     // ended to make room for another
	NodeFail     State = "NODE_FAIL"     // a node of it failed
	BootFail     State = "BOOT_FAIL"     // its nodes did not boot
	OutOfMemory  State = "OUT_OF_MEMORY" // was killed for its use of memory
	Deadline     State = "DEADLINE"      // could not end before its deadline
	Revoked      State = "REVOKED"       // another cluster of the federation took it
	LaunchFailed State = "LAUNCH_FAILED" // could not be started on its nodes
)

var (
	active = []State{
		Pending, Configuring, Running, Suspended, Stopped, Completing, Signaling, StageOut, Resizing,
		Requeued, RequeueFed, RequeueHold, SpecialExit, ResvDelHold, PowerUpNode,
	}
	failed = []State{
		Failed, Cancelled, TimedOut, Preempted, NodeFail, BootFail, OutOfMemory, Deadline, Revoked, LaunchFailed,
	}
)

// Active reports whether a job in this state has processes, or may still get some.
func (s State) Active() bool { return slices.Contains(active, s) }

// Failed reports whether a job in this state has ended without success.
func (s State) Failed() bool { return slices.Contains(failed, s) }

// Terminal reports whether a job in this state has ended for good.
func (s State) Terminal() bool { return s == Completed || s.Failed() }

// ParseState reads a state as squeue and sacct print it. sacct adds who cancelled a job
// ("CANCELLED by 1000"), and a + where its column was too narrow.
func ParseState(text string) State {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word, narrow := strings.CutSuffix(strings.ToUpper(word), "+")
	found := Unknown

	for _, s := range slices.Concat(active, failed, []State{Completed}) {
		switch {
		case string(s) == word:
			return s
		case narrow && strings.HasPrefix(string(s), word):
			if found != Unknown {
				return Unknown // could be two
			}
			found = s
		}
	}

	return found
}
