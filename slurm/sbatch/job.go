// SPDX-License-Identifier: Apache-2.0

package sbatch

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
)

// A JobID names a job, or a whole array of jobs.
type JobID struct {
	ID string `json:"id"` // ID is the number, as text: "1234".
	// Cluster is the cluster's name; "" means the configured one.
	Cluster string `json:"cluster,omitempty"`
}

// A Job is what Slurm says about a job, or about one task of an array.
type Job struct {
	JobID         // JobID is the array's, if the job is a task of one.
	Task   int    // Task is the index in the array, -1 for a job outside of arrays.
	Name   string // Name is the job's name.
	State  State
	Reason string        // Reason is why the job is pending or has failed, in Slurm's words; "" if there is none.
	Nodes  string        // Nodes are named as Slurm writes them: "n[1-3]".
	Ran    time.Duration // Ran is how long this attempt has run.
	Start  time.Time     // Start is the actual or expected start; zero if it is not known.
	Exit   string        // Exit is the exit code and the signal, "1:0", of a job that failed; "" if it is not known.
}

// Valid reports whether the id is a number, or not known: anything else could be an option of Slurm's programs.
func (id JobID) Valid() bool { return id.ID == "" || isNumber(id.ID) }

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 32)
	return err == nil
}

// startTime reads a time as squeue and sacct print it. Other words ("N/A", "Unknown") give
// the zero time.
func startTime(text string) time.Time {
	t, _ := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local)
	return t
}

// byCluster yields the ids that one command asks for, each once, with their cluster.
func byCluster(ids []JobID) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for _, group := range lists.Groups(ids, func(id JobID) string { return id.Cluster }) {
			if !yield(group[0].Cluster, lists.Distinct(group, func(id JobID) string { return id.ID })) {
				return
			}
		}
	}
}

// A State is the state of a job, in Slurm's words. It explains what became of the job; whether
// the work is done is for the journals to say.
type State string

const (
	Unknown State = "UNKNOWN" // a word that is not in this list, or none; never a success

	Pending      State = "PENDING"       // waits for resources, a dependency, a limit or a release
	Running      State = "RUNNING"       // runs
	Requeued     State = "REQUEUED"      // will run again
	RequeueFed   State = "REQUEUE_FED"   // will run again, on a cluster of the federation
	RequeueHold  State = "REQUEUE_HOLD"  // will run again once it is released
	SpecialExit  State = "SPECIAL_EXIT"  // is held like RequeueHold, because of how it ended
	ResvDelHold  State = "RESV_DEL_HOLD" // waits for a release, because its reservation was deleted
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
	// Of those without a name, some have nodes that boot or are being switched on; others were stopped, by Slurm for
	// another job or by SIGSTOP, get a signal or another size, or have ended and are being cleaned up.
	active = []State{
		Pending, Running, Requeued, RequeueFed, RequeueHold, SpecialExit, ResvDelHold, "CONFIGURING", "POWER_UP_NODE",
		"SUSPENDED", "STOPPED", "SIGNALING", "RESIZING", "COMPLETING", "STAGE_OUT",
	}
	terminal = []State{
		Completed, Failed, Cancelled, TimedOut, Preempted, NodeFail, BootFail, OutOfMemory, Deadline, Revoked, LaunchFailed,
	}
)

// Active reports whether a job in this state has processes, or may still get some.
func (s State) Active() bool { return slices.Contains(active, s) }

// Terminal reports whether a job in this state has ended for good.
func (s State) Terminal() bool { return slices.Contains(terminal, s) }

// ParseState reads a state as squeue and sacct print it. sacct adds who cancelled a job ("CANCELLED by 1000").
func ParseState(text string) State {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if s := State(word); s.Active() || s.Terminal() {
		return s
	}
	return Unknown
}

// ParseTime reads a time in any of Slurm's forms: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or
// D-HH:MM:SS. UNLIMITED gives 0. ok reports whether text is a time.
func ParseTime(text string) (d time.Duration, ok bool) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return 0, true
	}

	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	units := []time.Duration{time.Minute, time.Second}
	if hasDays || len(parts) == 3 {
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}

	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || len(parts) > len(units) {
		return 0, false
	}
	d = time.Duration(n) * 24 * time.Hour

	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, false
		}
		d += time.Duration(n) * units[i]
	}

	return d, true
}

// FormatTime writes d, rounded up to seconds, in the form of sbatch: "01:00:00" or
// "2-00:00:00".
func FormatTime(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	days, s := s/86400, s%86400
	clock := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if days == 0 {
		return clock
	}
	return fmt.Sprintf("%d-%s", days, clock)
}

// Seconds is a time limit in seconds, for comparisons: 0 for none that was said.
func Seconds(limit string) float64 {
	d, _ := ParseTime(limit)
	return d.Seconds()
}

// Megabytes is an amount of memory in the form of sbatch, in MB; 0 for none that was said.
func Megabytes(mem string) float64 {
	mem = strings.ToUpper(mem)
	amount := strings.TrimRight(mem, "KMGT")
	n, _ := strconv.ParseFloat(amount, 64)
	switch mem[len(amount):] {
	case "K":
		return n / 1024
	case "G":
		return n * 1024
	case "T":
		return n * 1024 * 1024
	}
	return n
}

// mostTasks bounds what one line of sacct can expand to: no array of Slurm's can be longer
// (MaxArraySize is at most 4,000,001).
const mostTasks = 4_000_001

// parseTasks reads a job's id as sacct prints it: "12", "12_3", and "12_[1-3,5,8-20:4%2]" for
// tasks that have not started. The id of a step, as "12.batch", is refused.
func parseTasks(text string) (id string, tasks []int, ok bool) {
	id, list, array := strings.Cut(text, "_")
	if !isNumber(id) {
		return "", nil, false
	}
	if !array {
		return id, []int{-1}, true
	}

	list, _, _ = strings.Cut(strings.Trim(list, "[]"), "%")
	for part := range strings.SplitSeq(list, ",") {
		if strings.HasSuffix(part, "...") {
			break // an old version has cut off the rest
		}
		if tasks, ok = appendTasks(tasks, part); !ok {
			return "", nil, false
		}
	}

	return id, tasks, true
}

// appendTasks adds the tasks that a part of a list names: "5", "1-3" or "8-20:4".
func appendTasks(tasks []int, part string) (all []int, ok bool) {
	span, by, _ := strings.Cut(part, ":")
	from, to, isRange := strings.Cut(span, "-")
	if !isRange {
		to = from
	}
	step, err := strconv.Atoi(cmp.Or(by, "1"))
	if err != nil || !isNumber(from) || !isNumber(to) || step < 1 {
		return nil, false
	}
	first, _ := strconv.Atoi(from)
	last, _ := strconv.Atoi(to)
	for i := first; i <= last; i += step {
		if len(tasks) == mostTasks {
			return nil, false
		}
		tasks = append(tasks, i)
	}

	return tasks, true
}
