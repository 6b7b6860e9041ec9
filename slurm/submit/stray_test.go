// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/tuner/trial"
)

// sentRun makes a run of two chunks that a user has sent as array 12, which job 13 follows.
func sentRun(t *testing.T, user string, o slurm.Outcome) *slurm.Run {
	t.Helper()
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	testkit.Succeed(t, run.WriteRound(1, slurmtest.ChunkIDs(2)))
	b := slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Tasks: 2}
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: b, Outcome: slurm.Intended, User: user, Args: []string{"--x"}}))
	if o == slurm.Submitted {
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: b, Outcome: o, JobID: sbatch.JobID{ID: "12"}, User: user}))
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: finishOf(run, 1), Outcome: o, JobID: sbatch.JobID{ID: "13"}, User: user}))
	}
	return run
}

// privateSlurm is a Slurm that hides some of what belongs to other users, or does not say what, with a scancel.
func privateSlurm(t *testing.T, hides, scancel string) (dir string) {
	t.Helper()
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["scancel"], commands["scontrol"] = scancel, slurmlab.FakeConfig+`; echo "PrivateData = `+hides+`"`
	if hides == "" {
		commands["scontrol"] = `case "$*" in *config*) exit 1 ;; esac`
	}
	return slurmlab.Fake(t, commands)
}

// What Slurm does not show of another user's jobs may run: only where everybody sees them all, it is over.
func TestRetryOfAnotherUsersRun(t *testing.T) {
	for name, c := range map[string]struct {
		user, private string
		outcome       slurm.Outcome
		sent          bool
	}{
		"private":                   {"alice", "accounts,jobs", slurm.Submitted, false},
		"private, own":              {slurm.Me(), "jobs", slurm.Submitted, true},
		"open":                      {"alice", "none", slurm.Submitted, true},
		"private, broken off":       {"alice", "jobs", slurm.Intended, false},
		"private, broken off, own":  {slurm.Me(), "jobs", slurm.Intended, true},
		"open, broken off":          {"alice", "usage", slurm.Intended, true},
		"nobody says what is shown": {"alice", "", slurm.Submitted, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := privateSlurm(t, c.private, "")
			run := sentRun(t, c.user, c.outcome)
			testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "queue"), nil, 0o666))
			r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, RetryOptions{})
			_, none := os.Stat(filepath.Join(dir, "sent"))
			testkit.Check(t, (none == nil) == c.sent, "retried %+v, %v", r, err)
			if !c.sent && (err != nil || len(r.Active) != 2 || !strings.Contains(r.Active[0].Why, "may")) {
				t.Errorf("retried %+v, %v", r, err)
			}
		})
	}
}

// What runs is not sent again when ledger.jsonl has lost its lines, and can be cancelled. When it has
// ended, it is sent.
func TestRetryWithoutItsLines(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"deleted":  os.Remove,
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
		"noise":    func(path string) error { return os.WriteFile(path, []byte("\x00\xff{}\n\n{\"at\":"), 0o666) },
		"one byte": flipEach,
	} {
		t.Run(name, func(t *testing.T) {
			dir := slurmlab.Fake(t, slurmlab.FakeQueue)
			run := sentRun(t, "", slurm.Submitted)
			testkit.Succeed(t, damage(run.Path(slurm.LedgerFile)))
			slurmtest.Says(t, dir, "queue", run, "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority",
				"12|1|COMPLETED|0:10|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
				"13||PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
			r := retried(t, run, configs.Slurm{}, RetryOptions{})
			testkit.Check(t, r.Round == nil && len(r.Active) == 2 &&
				strings.Contains(r.Active[0].Why, "may be a task of job 12"), "while it waits: %+v", r)
			jobs := testkit.Must(activeJobs(t.Context(), slurmtest.Hasty, run, testkit.Must(run.Ledger())))
			testkit.Check(t, len(jobs) == 2 && jobs[0].ID == "12", "active are %+v", jobs)
			slurmtest.Says(t, dir, "queue", run, "13||COMPLETED|0:00|5:00|N/A||NAME.1.finish|None")
			r = retried(t, run, configs.Slurm{}, RetryOptions{})
			testkit.Check(t, r.Round != nil && len(r.Again) == 2, "afterwards: %+v", r)
			sent := slurmtest.Jobs(t, run)
			testkit.Check(t, len(sent) == 2 && sent[0].Round == 2 && sent[0].ID != "", "jobs %+v", sent)
		})
	}
}

// What squeue says is checked: by the names of jobs where sbatch printed another number, and by journals that grow
// where it answers nothing. Whoever trusts it sends again what runs.
func TestSqueueIsChecked(t *testing.T) {
	dir := privateSlurm(t, "none", `echo "$*" > "$FAKE/cancelled"`)
	run := sentRun(t, "", slurm.Submitted)
	number := slurmtest.Jobs(t, run)[0]
	number.ID = "7"
	testkit.Succeed(t, run.Note(number))
	slurmtest.Says(t, dir, "queue", run, "12|0|RUNNING|0:10|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|1|RUNNING|0:10|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None", "7|N/A|RUNNING|0:10|5:00|N/A|n1|somebody-else|None")
	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Check(t, r.Round == nil && len(r.Active) == 2 && strings.Contains(r.Active[0].Why, "may be a task of job 12"),
		"with another number: %+v", r)
	testkit.Must(Cancel(t.Context(), slurmtest.Hasty, run))
	testkit.Equal(t, slurmlab.Read(t, filepath.Join(dir, "cancelled")), "12\n", "cancelled is")

	run = sentRun(t, "", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run)
	slurmtest.Write(t, run, 0, "12_0", 0, 1)
	testkit.Fails(t, testkit.Err(Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, RetryOptions{})),
		"Slurm knows no job 12_0, which has just written to journal 0001.12_0.0.jsonl", "with an empty answer")
	s := testkit.Must(status.Of(t.Context(), slurmtest.Hasty, run))
	testkit.Check(t, s.Counts.Unclear == 2 && s.Silent != "", "with an empty answer: %+v", s)
	slurmtest.Age(t, run)
	testkit.Equal(t, len(retried(t, run, configs.Slurm{}, RetryOptions{}).Again), 2, "some minutes later, sent again are")
}

// flipEach changes a byte in the name of the job in each line.
func flipEach(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), `"name":"s`, `"name":"t`)), 0o666)
}

// When rounds/ is lost with ledger.jsonl, nothing is sent while Slurm has a task of the run, and everything that
// is missing afterwards. Its jobs can be cancelled.
func TestRetryWithoutRoundsAndLines(t *testing.T) {
	for name, lose := range map[string]func(*slurm.Run) error{
		"both deleted": func(r *slurm.Run) error {
			return errors.Join(os.Remove(r.Path(slurm.LedgerFile)), os.RemoveAll(r.Path("rounds")))
		},
		"both emptied": func(r *slurm.Run) error {
			return errors.Join(os.Truncate(r.Path(slurm.LedgerFile), 0), os.Remove(r.Path("rounds", "001.json")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := slurmlab.Fake(t, slurmlab.FakeQueue)
			run := sentRun(t, "", slurm.Submitted)
			testkit.Succeed(t, lose(run))
			slurmtest.Says(t, dir, "queue", run, "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority",
				"13||PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
			r := retried(t, run, configs.Slurm{}, RetryOptions{})
			testkit.Check(t, r.Round == nil && len(r.Active) == 2 &&
				strings.Contains(r.Active[1].Why, "may be a task of job 12"), "while it waits: %+v", r)

			testkit.Succeed(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), nil, 0o666))
			testkit.Fails(t, testkit.Err(run.SentChunks()), "retry", "what was sent")
			testkit.Equal(t, testkit.Must(status.Of(t.Context(), slurmtest.Hasty, run)).Counts.Unclear, 2, "its status is")
			jobs := testkit.Must(activeJobs(t.Context(), slurmtest.Hasty, run, testkit.Must(run.Ledger())))
			testkit.Check(t, len(jobs) == 2 && jobs[0].ID == "12", "active are %+v", jobs)

			slurmtest.Says(t, dir, "queue", run)
			s := testkit.Must(status.Of(t.Context(), slurmtest.Hasty, run))
			testkit.Check(t, s.Counts.Never == 2 && strings.Contains(s.Chunks[0].Why, "has lost the record"),
				"its status is %+v", s)
			testkit.Equal(t, len(retried(t, run, configs.Slurm{}, RetryOptions{}).Again), 2, "afterwards, sent again")
			testkit.Equal(t, len(testkit.Must(run.SentChunks())), 2, "sent are")
		})
	}
}

// Somebody else's jobs that can't be seen may measure a run that has lost everything about them.
func TestForgetfulRunOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	dir := privateSlurm(t, "jobs", "")
	run := sentRun(t, "", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run)
	testkit.Succeed(t, errors.Join(os.Remove(run.Path(slurm.LedgerFile)), os.RemoveAll(run.Path("rounds"))))
	testkit.Succeed(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), nil, 0o666))
	testkit.Succeed(t, os.Chown(run.Path("run.json"), 1, -1))
	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Check(t, len(r.Active) == 2 && strings.Contains(r.Active[0].Why, "you don't see the jobs of others"),
		"retried %+v", r)
}

// Jobs of another user that Slurm does not let this user cancel, or does not show, are named with their user.
func TestCancelOfAnotherUsersRun(t *testing.T) {
	const waits = "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority"
	const denied = `echo "scancel: error: Kill job error on job id 12: Access/permission denied" >&2; exit 1`
	for name, c := range map[string]struct {
		user, private, queue, scancel string

		done int
		left Left
	}{
		"own":         {slurm.Me(), "jobs", waits, "", 1, Left{}},
		"own, over":   {slurm.Me(), "jobs", "", "", 0, Left{}},
		"an operator": {"alice", "none", waits, "", 1, Left{}},
		"refused":     {"alice", "none", waits, denied, 0, Left{"alice", []string{"12"}, "Access/permission denied"}},
		"hidden":      {"alice", "jobs", "", "", 0, Left{"alice", []string{"12", "13"}, "don't see the jobs of others"}},
		"seen by all": {"alice", "none", "", "", 0, Left{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := privateSlurm(t, c.private, c.scancel)
			run := sentRun(t, c.user, slurm.Submitted)
			slurmtest.Says(t, dir, "queue", run, c.queue)
			got := testkit.Must(Cancel(t.Context(), slurmtest.Hasty, run))
			testkit.Check(t, len(got.Jobs) == c.done, "cancelled %+v", got)
			if c.left.User == "" && len(got.Left) > 0 || c.left.User != "" && (len(got.Left) != 1 ||
				got.Left[0].User != c.left.User || !slices.Equal(got.Left[0].Jobs, c.left.Jobs) ||
				!strings.Contains(got.Left[0].Why, c.left.Why)) {
				t.Errorf("left alone %+v", got.Left)
			}
		})
	}
}

// Of another user's jobs that are hidden, those are not named whose chunks are complete; and where the run has lost
// the lines about its jobs, at least the user is.
func TestHiddenJobs(t *testing.T) {
	dir := privateSlurm(t, "jobs", "")
	run := sentRun(t, "alice", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run, "")
	for i := range 2 {
		slurmtest.End(t, slurmtest.Write(t, run, i, fmt.Sprintf("12_%d", i), 0, 1), slurmtest.MatrixName(i), trial.Part{Of: 1}, "")
	}
	left := testkit.Must(Hidden(t.Context(), slurmtest.Hasty, run))
	testkit.Check(t, len(left) == 1 && slices.Equal(left[0].Jobs, []string{"13"}), "of a complete run: %+v", left)

	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	run = sentRun(t, "alice", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run, "")
	testkit.Succeed(t, os.Remove(run.Path(slurm.LedgerFile)))
	testkit.Succeed(t, os.Chown(run.Path("rounds", "001.json"), 65534, 65534))
	left = testkit.Must(Hidden(t.Context(), slurmtest.Hasty, run))
	testkit.Check(t, len(left) == 1 && len(left[0].Jobs) == 0 && left[0].User == run.RoundUser(1),
		"without ledger.jsonl: %+v", left)
}
