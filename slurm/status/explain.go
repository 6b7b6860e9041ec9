package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spmvtune/slurm/sbatch"
)

// pendingReasons translates Slurm's words for why a job is pending. The list is the one of
// squeue's manual, without what can't happen to our jobs.
var pendingReasons = map[string]string{
	"Priority":                 "waits for its turn: jobs of higher priority come first",
	"Resources":                "is next in turn, and waits for a node to become free",
	"Dependency":               "waits for other jobs of the run to end",
	"JobArrayTaskLimit":        "waits for the run's own throttle, which spmvtune throttle changes",
	"Licenses":                 "waits for a license",
	"Reservation":              "waits for its reservation to begin",
	"Prolog":                   "is about to start: its node is being prepared",
	"Cleaning":                 "is being cleaned up after its last attempt, and starts again then",
	"PartitionDown":            "waits, because its partition is closed for now",
	"PartitionInactive":        "waits, because its partition is closed for now",
	"NodeDown":                 "waits, because a node that it asks for is down",
	"ReqNodeNotAvail":          "waits, because a node that it asks for is down, drained or reserved",
	"FrontEndDown":             "waits, because no node can start jobs for now",
	"MaxJobsPerAccount":        "waits, because your account has all the jobs that it may have",
	"JobHeldUser":              "is held: scontrol release lets it go",
	"JobHeldAdmin":             "is held by an administrator: ask them",
	"JobHoldMaxRequeue":        "was requeued too often and is held: its logs say why",
	"launch failed requeued":   "could not be started on its node, and will be tried again",
	"RequeueHold":              "is held after it was requeued: scontrol release lets it go",
	"SpecialExit":              "is held because of how it ended: scontrol release lets it go",
	"PartitionTimeLimit":       "asks for more time than the partition allows" + never,
	"PartitionNodeLimit":       "asks for more nodes than the partition has or allows" + never,
	"PartitionConfig":          "asks for something that the partition does not allow" + never,
	"AccountNotAllowed":        "asks for a partition that your account may not use" + never,
	"QOSNotAllowed":            "asks for a QOS that may not be used there" + never,
	"InvalidAccount":           "asks for an account that is not valid" + never,
	"InvalidQOS":               "asks for a QOS that is not valid" + never,
	"BadConstraints":           "asks for something that no node has" + never,
	"TimeLimit":                "asks for more time than is allowed" + never,
	"ReservationDeleted":       "asks for a reservation that is gone" + never,
	"DependencyNeverSatisfied": "waits for a job that is gone" + never,
	"DeadLine":                 "can't end before its deadline" + never,
}

// never ends the explanation of a reason that does not go away.
const never = ", so it will never start"

// explainPending says in plain words why a job is pending, as the rest of a sentence that
// begins with "the task". A word of Slurm's that is not known is given as it is.
func explainPending(j sbatch.Job) string {
	// Some reasons have more words: "ReqNodeNotAvail, UnavailableNodes:n[1-2]".
	word, more, _ := strings.Cut(j.Reason, ",")
	switch text, known := pendingReasons[word]; {
	case word == "":
		return "waits for Slurm to look at it"
	case word == "BeginTime":
		// Slurm does not say whether the job was put back into the queue or never started.
		if j.Start.IsZero() {
			return "must not start before a time that Slurm does not tell"
		}
		return "must not start before " + clock(j.Start) + ": the sweep asked for that, or it was put back into the queue"
	case known:
		if more = strings.TrimSpace(more); more != "" {
			return fmt.Sprintf("%s (%s)", text, more)
		}
		return text
	case isLimit(word):
		// A request of one job does not become smaller while it waits. The sum over a user's
		// jobs does.
		if strings.Contains(word, "PerJob") || strings.Contains(word, "PerNode") || strings.Contains(word, "Min") {
			return fmt.Sprintf("asks for more than a limit of your account or QOS allows (%s)%s", word, never)
		}
		return fmt.Sprintf("waits, because a limit of your account or QOS is reached (%s)", word)
	}

	return "waits: " + j.Reason
}

// clock writes a time, with the day unless it is today.
func clock(t time.Time) string {
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// limits begin the names of the limits of accounts and QOS. Slurm has about a hundred of them.
var limits = []string{
	"QOSGrp", "QOSMax", "QOSMin", "QOSJob", "QOSRes", "QOSTime",
	"AssocGrp", "AssocMax", "AssocJob", "AssocRes", "AssocTime",
	"AssociationJob", "AssociationRes", "AssociationTime",
}

// isLimit reports whether a reason is a limit of an account or a QOS.
func isLimit(word string) bool {
	return slices.ContainsFunc(limits, func(prefix string) bool { return strings.HasPrefix(word, prefix) })
}
