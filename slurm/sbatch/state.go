package sbatch

import (
	"slices"
	"strings"
)

// A State is that of a job, in Slurm's words. What Slurm says of a job explains;
// whether its work is done is for the journals to say.
type State string

const (
	Unknown State = "UNKNOWN" // a word that is not in this list, or no word; never a success

	Pending      State = "PENDING"       // waits for resources, a dependency, a limit or a release
	Configuring  State = "CONFIGURING"   // has its nodes, which are booting
	Running      State = "RUNNING"       // runs
	Suspended    State = "SUSPENDED"     // runs, but stopped to make room for another
	Stopped      State = "STOPPED"       // runs, but got SIGSTOP; keeps its processors
	Completing   State = "COMPLETING"    // has ended; its processes are being cleaned up
	Signaling    State = "SIGNALING"     // is being sent a signal
	StageOut     State = "STAGE_OUT"     // has ended; its files are copied
	Resizing     State = "RESIZING"      // is changing size
	Requeued     State = "REQUEUED"      // will run again
	RequeueFed   State = "REQUEUE_FED"   // will run again, on a cluster of the federation
	RequeueHold  State = "REQUEUE_HOLD"  // will run again once it is released
	SpecialExit  State = "SPECIAL_EXIT"  // as RequeueHold, because of how it ended
	ResvDelHold  State = "RESV_DEL_HOLD" // waits for a release, since its reservation was deleted
	PowerUpNode  State = "POWER_UP_NODE" // has its nodes, which are switched on
	Completed    State = "COMPLETED"     // ended with exit code 0
	Failed       State = "FAILED"        // ended with another exit code
	Cancelled    State = "CANCELLED"     // by the user or an administrator
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

// Active reports whether a job in this state has processes, or may get some.
func (s State) Active() bool { return slices.Contains(active, s) }

// Failed reports whether a job in this state has ended in another way than by
// itself with exit code 0.
func (s State) Failed() bool { return slices.Contains(failed, s) }

// Terminal reports whether a job in this state has ended for good.
func (s State) Terminal() bool { return s == Completed || s.Failed() }

// ParseState reads a state as squeue and sacct print it: sacct adds by whom a job
// was cancelled ("CANCELLED by 1000"), and a + where its column was too narrow.
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
