package status

import (
	"slices"
	"strconv"
	"strings"

	"spmvtune/slurm/sbatch"
)

// endings say in plain words how a job ended.
var endings = map[sbatch.State]string{
	sbatch.Completed:    "ended",
	sbatch.Failed:       "failed",
	sbatch.Cancelled:    "was cancelled",
	sbatch.TimedOut:     "reached its time limit",
	sbatch.Preempted:    "had to make room for another job",
	sbatch.NodeFail:     "lost its node, which failed",
	sbatch.BootFail:     "got a node that did not boot",
	sbatch.OutOfMemory:  "used more memory than allowed",
	sbatch.Deadline:     "could not end before its deadline",
	sbatch.Revoked:      "was taken by another cluster",
	sbatch.LaunchFailed: "could not be started on its node",
}

// failReasons translates Slurm's words for why a job has failed.
var failReasons = map[string]string{
	"BadConstraints": "asked for something that no node has",
	"SystemFailure":  "failed because of a fault of Slurm or of its node",
	"InactiveLimit":  "was ended, because Slurm took it for idle",
}

// sameWords are reasons that say no more than the state that they come with, or that remain
// from when the job was pending.
var sameWords = map[string]bool{
	"TimeLimit": true, "OutOfMemory": true, "NodeDown": true, "NodeFail": true, "Priority": true, "Resources": true,
	"JobArrayTaskLimit": true, "Dependency": true, "BeginTime": true, "NonZeroExitCode": true,
}

// explainEnd says how a job ended that left work undone, as the rest of a sentence that begins
// with "the task". j is what Slurm says about the job, nil for nothing. journal reports whether
// its last attempt left a journal, and said is the reason at the end of that, "" for none.
func explainEnd(j *sbatch.Job, journal bool, said string) string {
	how := "ended, and Slurm no longer knows how"
	if j != nil {
		how = explainState(*j, journal)
	}
	switch {
	case said != "":
		return how + ": " + said
	case journal && j != nil && gaveUp(*j):
		return how + ": its journal breaks off, as it does where the disk is full or a quota is used up"
	case journal && (j == nil || j.State == sbatch.Failed && !strings.Contains(how, "signal")):
		return how + ": its journal breaks off, as it does when a process is killed"
	}

	return how
}

// gaveUp reports whether the processes of a failed job ended by themselves. An exit code from 128 on
// stands for a signal.
func gaveUp(j sbatch.Job) bool {
	code, signal, _ := strings.Cut(j.Exit, ":")
	n, err := strconv.Atoi(code)
	if err != nil {
		return j.State == sbatch.Failed && j.Reason == "NonZeroExitCode"
	}
	return j.State == sbatch.Failed && signal == "0" && n > 0 && n < 128
}

// explainState says how a job ended, as far as Slurm knows.
func explainState(j sbatch.Job, journal bool) string {
	how, known := endings[j.State]
	if !known {
		return "ended, and Slurm no longer knows how"
	}
	word, more, _ := strings.Cut(j.Reason, ":")
	if j.State == sbatch.Failed {
		code, signal, _ := strings.Cut(j.Exit, ":")
		switch {
		case signal != "0" && signal != "":
			return how + " by signal " + signal
		case code != "0" && code != "":
			return how + " with exit code " + code
		case word == "RaisedSignal" && more != "":
			return how + " by signal " + more
		case word == "JobLaunchFailure" && journal:
			// Slurm has one word for both (recorded with 22.05).
			return "was killed by a signal, such as that of kill -9 (JobLaunchFailure)"
		case word == "JobLaunchFailure":
			return "was killed by a signal, or could not be started on its node (JobLaunchFailure)"
		}
	}

	if plain, ok := failReasons[word]; ok && j.State == sbatch.Failed {
		how = plain
	}
	if word == "" || sameWords[word] || isLimit(word) {
		return how
	}
	return how + " (" + j.Reason + ")"
}

// explainNever says what became of a job that has ended and never ran, as the rest of a
// sentence that begins with "the task".
func explainNever(j sbatch.Job) string {
	if j.State == sbatch.Cancelled {
		if plain, ok := pendingReasons[j.Reason]; ok && strings.HasSuffix(plain, never) {
			return "was cancelled before it started: it " + strings.TrimSuffix(plain, never) + " (" + j.Reason + ")"
		}
		return "was cancelled before it started"
	}
	return explainState(j, false) + ", and never started"
}

// overMemory are words by which Slurm says in a task's log that it killed the task for its use of memory,
// where it does not say so in the job's state (JobAcctGatherParams=OverMemoryKill, and old versions).
var overMemory = []string{"Exceeded job memory limit", "exceeded memory limit", "oom-kill event", "oom_kill event"}

// blameMemory finds out whether a task that ended was killed for its use of memory.
func (s *Chunk) blameMemory() {
	s.OutOfMemory = s.State == Ended && s.Slurm == sbatch.OutOfMemory
	if s.State != Ended || s.OutOfMemory || s.Slurm != sbatch.Failed && s.Slurm != sbatch.Cancelled && s.Slurm != "" {
		return
	}
	lines, err := LastLines(s.Log, 8)
	if err != nil {
		return
	}
	said := strings.Join(lines, "\n")
	if slices.ContainsFunc(overMemory, func(words string) bool { return strings.Contains(said, words) }) {
		s.OutOfMemory, s.Why = true, endings[sbatch.OutOfMemory]
	}
}
