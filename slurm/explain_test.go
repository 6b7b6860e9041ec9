package slurm

import (
	"strings"
	"testing"
	"time"
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
		if got := explainPending(Job{State: Pending, Reason: reason}); !strings.Contains(got, want) {
			t.Errorf("%q is explained as %q, want %q", reason, got, want)
		}
	}
	at := time.Date(2026, 1, 2, 13, 14, 15, 0, time.Local)
	if got := explainPending(Job{State: Pending, Reason: "BeginTime", Start: at}); !strings.HasSuffix(got, "after 13:14:15") {
		t.Errorf("a requeued job is explained as %q", got)
	}
}

func TestExplainEnd(t *testing.T) {
	for _, c := range []struct {
		job  *Job
		said string
		want string
	}{
		{nil, "", "ended, and Slurm no longer knows how"},
		{nil, "a signal came", "ended, and Slurm no longer knows how: a signal came"},
		{&Job{State: TimedOut}, "", "reached its time limit"},
		{&Job{State: Failed, Exit: "7:0"}, "no GPU", "failed with exit code 7: no GPU"},
		{&Job{State: Failed, Exit: "0:9"}, "", "failed by signal 9"},
		{&Job{State: Failed}, "", "failed"},
		{&Job{State: Unknown}, "", "ended, and Slurm no longer knows how"},
	} {
		if got := explainEnd(c.job, c.said); got != c.want {
			t.Errorf("%+v, %q: %q, want %q", c.job, c.said, got, c.want)
		}
	}
}
