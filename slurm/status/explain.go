package status

import (
	"fmt"
	"strings"
	"time"

	"spmvtune/slurm/sbatch"
)

// pendingReasons are Slurm's words for why a job is pending, in plain ones. The
// list is that of squeue's manual, less what can't happen to jobs of ours.
var pendingReasons = map[string]string{
	"Priority":                 "waits for its turn: jobs of higher priority are before it",
	"Resources":                "is next in turn, and waits for a node to become free",
	"Dependency":               "waits for other jobs of the run to end",
	"JobArrayTaskLimit":        "waits for the run's own throttle, which spmvtune throttle changes",
	"Licenses":                 "waits for a license",
	"Reservation":              "waits for its reservation to begin",
	"Prolog":                   "is about to start: its node is made ready",
	"Cleaning":                 "is being cleaned up after its last attempt, and starts again then",
	"PartitionDown":            "waits, since its partition is closed for now",
	"PartitionInactive":        "waits, since its partition is closed for now",
	"NodeDown":                 "waits, since a node that it asks for is down",
	"ReqNodeNotAvail":          "waits, since a node that it asks for is down, drained or reserved",
	"FrontEndDown":             "waits, since no node can start jobs for now",
	"MaxJobsPerAccount":        "waits, since your account has as many jobs as it may have",
	"JobHeldUser":              "is held: scontrol release lets it go",
	"JobHeldAdmin":             "is held by an administrator: ask them",
	"JobHoldMaxRequeue":        "was requeued too often and is held: its logs say why",
	"launch failed requeued":   "could not be started on its node, and will be tried again",
	"RequeueHold":              "is held after it was requeued: scontrol release lets it go",
	"SpecialExit":              "is held because of how it ended: scontrol release lets it go",
	"PartitionTimeLimit":       "asks for more time than the partition allows" + never,
	"PartitionNodeLimit":       "asks for more nodes than the partition has or allows" + never,
	"PartitionConfig":          "asks for what the partition does not allow" + never,
	"AccountNotAllowed":        "asks for a partition that your account may not use" + never,
	"QOSNotAllowed":            "asks for a QOS that may not be used there" + never,
	"InvalidAccount":           "asks for an account that is not valid" + never,
	"InvalidQOS":               "asks for a QOS that is not valid" + never,
	"BadConstraints":           "asks for what no node has" + never,
	"TimeLimit":                "asks for more time than is allowed" + never,
	"ReservationDeleted":       "asks for a reservation that is gone" + never,
	"DependencyNeverSatisfied": "waits for a job that is gone" + never,
	"DeadLine":                 "can't end before its deadline" + never,
}

// never ends the explanation of what no waiting helps.
const never = ", so it will never start"

// explainPending says in plain words why a job is pending, as what follows "the
// task". Where Slurm's word for
// it is not known, it is given as it is.
func explainPending(j sbatch.Job) string {
	// Some reasons go on: "ReqNodeNotAvail, UnavailableNodes:n[1-2]".
	word, more, _ := strings.Cut(j.Reason, ",")
	switch text, known := pendingReasons[word]; {
	case word == "":
		return "waits for Slurm to look at it"
	case word == "BeginTime":
		// Slurm does not say whether the job has been put back into the queue or was
		// never started.
		if j.Start.IsZero() {
			return "is not to start before a time that Slurm does not tell"
		}
		return "is not to start before " + clock(j.Start) + ": so the sweep asked, or it was put back into the queue"
	case known:
		if more = strings.TrimSpace(more); more != "" {
			return fmt.Sprintf("%s (%s)", text, more)
		}
		return text
	case isLimit(word):
		// What a single job asks for does not become less while it waits; what
		// all of a user's jobs have does.
		if strings.Contains(word, "PerJob") || strings.Contains(word, "PerNode") || strings.Contains(word, "Min") {
			return fmt.Sprintf("asks for more than a limit of your account or QOS allows (%s)%s", word, never)
		}
		return fmt.Sprintf("waits, since a limit of your account or QOS is reached (%s)", word)
	}
	return "waits: " + j.Reason
}

// clock is a time as it is read today: with the day, where that is another one.
func clock(t time.Time) string {
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// isLimit reports whether a reason is a limit of an account or a QOS: Slurm has
// about a hundred of them, all called alike.
func isLimit(word string) bool {
	for _, prefix := range []string{"QOSGrp", "QOSMax", "QOSMin", "QOSJob", "QOSRes", "QOSTime", "AssocGrp", "AssocMax", "AssocJob", "AssocRes", "AssocTime", "AssociationJob", "AssociationRes", "AssociationTime"} {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	return false
}
