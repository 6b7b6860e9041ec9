package status

import (
	"strings"
	"testing"
	"time"

	"spmvtune/slurm/sbatch"
)

func TestExplainPending(t *testing.T) {
	for reason, want := range map[string]string{
		"Priority":                 "waits for its turn",
		"Resources":                "waits for a node to become free",
		"JobArrayTaskLimit":        "throttle",
		"PartitionTimeLimit":       "more time than the partition allows, so it will never start",
		"DependencyNeverSatisfied": "will never start",
		"ReqNodeNotAvail, UnavailableNodes:n[1-2]": "down, drained or reserved (UnavailableNodes:n[1-2])",
		"QOSMaxJobsPerUserLimit":                   "a limit of your account or QOS is reached (QOSMaxJobsPerUserLimit)",
		"AssocGrpGRES":                             "is reached (AssocGrpGRES)",
		"QOSMaxWallDurationPerJobLimit":            "(QOSMaxWallDurationPerJobLimit), so it will never start",
		"QOSMinGRES":                               "(QOSMinGRES), so it will never start",
		"":                                         "waits for Slurm to look at it",
		"SomethingNew2031":                         "waits: SomethingNew2031",
		"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions": "waits: Nodes required for job are DOWN, DRAINED or reserved",
	} {
		if got := explainPending(sbatch.Job{State: sbatch.Pending, Reason: reason}); !strings.Contains(got, want) {
			t.Errorf("%q is explained as %q, want %q", reason, got, want)
		}
	}
	at := time.Date(2026, 1, 2, 13, 14, 15, 0, time.Local)
	if got := explainPending(sbatch.Job{State: sbatch.Pending, Reason: "BeginTime", Start: at}); !strings.HasPrefix(got, "must not start before 2026-01-02 13:14:15: the sweep asked for that, or") {
		t.Errorf("a job with a time to begin is explained as %q", got)
	}
}

func TestExplainEnd(t *testing.T) {
	for _, c := range []struct {
		job     *sbatch.Job
		journal bool
		said    string
		want    string
	}{
		{nil, false, "", "ended, and Slurm no longer knows how"},
		{nil, true, "", "ended, and Slurm no longer knows how: its journal breaks off, as it does when a process is killed"},
		{nil, true, "a signal came", "ended, and Slurm no longer knows how: a signal came"},
		{&sbatch.Job{State: sbatch.TimedOut, Reason: "TimeLimit"}, true, "", "reached its time limit"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "7:0"}, true, "no GPU", "failed with exit code 7: no GPU"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "0:9"}, false, "", "failed by signal 9"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "RaisedSignal:9(Killed)"}, false, "", "failed by signal 9(Killed)"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "JobLaunchFailure"}, false, "", "was killed by a signal, or could not be started on its node (JobLaunchFailure)"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "JobLaunchFailure"}, true, "", "was killed by a signal, such as that of kill -9 (JobLaunchFailure)"},
		{&sbatch.Job{State: sbatch.Failed}, true, "", "failed: its journal breaks off, as it does when a process is killed"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "NonZeroExitCode"}, true, "no GPU", "failed: no GPU"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "NonZeroExitCode"}, true, "",
			"failed: its journal breaks off, as it does where the disk is full or a quota is used up"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "1:0"}, true, "",
			"failed with exit code 1: its journal breaks off, as it does where the disk is full or a quota is used up"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "137:0"}, true, "",
			"failed with exit code 137: its journal breaks off, as it does when a process is killed"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "BadConstraints"}, false, "", "asked for something that no node has (BadConstraints)"},
		{&sbatch.Job{State: sbatch.NodeFail, Reason: "SomethingNew2031"}, false, "", "lost its node, which failed (SomethingNew2031)"},
		{&sbatch.Job{State: sbatch.Failed}, false, "", "failed"},
		{&sbatch.Job{State: sbatch.Unknown}, false, "", "ended, and Slurm no longer knows how"},
	} {
		if got := explainEnd(c.job, c.journal, c.said); got != c.want {
			t.Errorf("%+v, %t, %q: %q, want %q", c.job, c.journal, c.said, got, c.want)
		}
	}
}
