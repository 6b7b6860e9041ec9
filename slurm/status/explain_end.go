package status

import (
	"strings"

	"spmvtune/slurm/sbatch"
)

// endings are the ways in which a job ends, in plain words.
var endings = map[sbatch.State]string{
	sbatch.Completed:    "ended",
	sbatch.Failed:       "failed",
	sbatch.Cancelled:    "was cancelled",
	sbatch.TimedOut:     "reached its time limit",
	sbatch.Preempted:    "had to make room for another job",
	sbatch.NodeFail:     "lost its node, which failed",
	sbatch.BootFail:     "got a node that did not boot",
	sbatch.OutOfMemory:  "used more memory than it may",
	sbatch.Deadline:     "could not end before its deadline",
	sbatch.Revoked:      "was taken by another cluster",
	sbatch.LaunchFailed: "could not be started on its node",
}

// failReasons are Slurm's words for why a job has failed, in plain ones.
var failReasons = map[string]string{
	"BadConstraints": "asked for what no node has",
	"SystemFailure":  "failed by a fault of Slurm or of its node",
	"InactiveLimit":  "was ended, since Slurm took it for idle",
}

// sameWords are reasons that say no more than the state that they come with, or that
// are left from when the job was pending.
var sameWords = map[string]bool{
	"TimeLimit": true, "OutOfMemory": true, "NodeDown": true, "NodeFail": true, "Priority": true, "Resources": true,
	"JobArrayTaskLimit": true, "Dependency": true, "BeginTime": true, "NonZeroExitCode": true,
}

// explainEnd says, as what follows "the task", how a job ended that left work undone: j
// is what Slurm says of it, nil for nothing, journal whether its last attempt left a
// journal, and said what that says at its end, "" for nothing.
func explainEnd(j *sbatch.Job, journal bool, said string) string {
	how := "ended, and Slurm no longer knows how"
	if j != nil {
		how = explainState(*j, journal)
	}
	switch {
	case said != "":
		return how + ": " + said
	case journal && (j == nil || j.State == sbatch.Failed && !strings.Contains(how, "signal")):
		return how + ": its journal breaks off, as that of a process that was killed"
	}
	return how
}

// explainState says how a job ended, as far as Slurm does.
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
			// Slurm has the same word for both (recorded with 22.05).
			return "was killed by a signal, as kill -9 sends it (JobLaunchFailure)"
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

// explainNever says, as what follows "the task", what became of a job that has ended
// and never ran.
func explainNever(j sbatch.Job) string {
	if j.State == sbatch.Cancelled {
		if plain, ok := pendingReasons[j.Reason]; ok && strings.HasSuffix(plain, never) {
			return "was cancelled before it started: it " + strings.TrimSuffix(plain, never) + " (" + j.Reason + ")"
		}
		return "was cancelled before it started"
	}
	return explainState(j, false) + ", and never started"
}
