package submit

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
)

// sentRun makes a run of two chunks that a user has sent as array 12, which job 13 follows.
func sentRun(t *testing.T, user string, o slurm.Outcome) *slurm.Run {
	t.Helper()
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	slurmlab.Must(t, run.WriteRound(1, slurmtest.ChunkIDs(2)))
	b := slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Tasks: 2}
	slurmlab.Must(t, run.Note(slurm.Sent{Batch: b, Outcome: slurm.Intended, User: user}, []string{"--x"}))
	if o == slurm.Submitted {
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: b, Outcome: o, JobID: sbatch.JobID{ID: "12"}, User: user}, nil))
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: finishOf(run, 1), Outcome: o, JobID: sbatch.JobID{ID: "13"}, User: user}, nil))
	}
	return run
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
			commands := map[string]string{}
			for name, body := range slurmlab.FakeQueue {
				commands[name] = body
			}
			commands["scontrol"] = slurmlab.FakeConfig + `; echo "PrivateData = ` + c.private + `"`
			if c.private == "" {
				commands["scontrol"] = `case "$*" in *config*) exit 1 ;; esac`
			}
			dir := slurmlab.Fake(t, commands)
			run := sentRun(t, c.user, c.outcome)
			slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "queue"), nil, 0o666))
			r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
			if _, none := os.Stat(filepath.Join(dir, "sent")); (none == nil) != c.sent {
				t.Errorf("retried %+v, %v", r, err)
			}
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
			slurmlab.Must(t, damage(run.Path(slurm.LedgerFile)))
			slurmtest.Says(t, dir, "queue", run, "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority",
				"12|1|COMPLETED|0:10|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
				"13||PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
			r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
			if err != nil || r.Round != nil || len(r.Active) != 2 || !strings.Contains(r.Active[0].Why, "may be a task of job 12") {
				t.Errorf("while it waits: %+v, %v", r, err)
			}
			if jobs, err := activeJobs(t.Context(), slurmtest.Hasty, run); err != nil || len(jobs) != 2 || jobs[0].ID != "12" {
				t.Errorf("active are %+v, %v", jobs, err)
			}
			slurmtest.Says(t, dir, "queue", run, "13||COMPLETED|0:00|5:00|N/A||NAME.1.finish|None")
			r, err = Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
			if err != nil || r.Round == nil || len(r.Again) != 2 {
				t.Errorf("afterwards: %+v, %v", r, err)
			}
			jobs := slurmtest.Jobs(t, run)
			if len(jobs) != 2 || jobs[0].Round != 2 || jobs[0].ID == "" {
				t.Errorf("jobs %+v", jobs)
			}
		})
	}
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
			slurmlab.Must(t, lose(run))
			slurmtest.Says(t, dir, "queue", run, "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority",
				"13||PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
			r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
			if err != nil || r.Round != nil || len(r.Active) != 2 || !strings.Contains(r.Active[1].Why, "may be a task of job 12") {
				t.Errorf("while it waits: %+v, %v", r, err)
			}

			slurmlab.Must(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), nil, 0o666))
			if _, err := slurmtest.SentChunks(t, run); err == nil || !strings.Contains(err.Error(), "retry") {
				t.Errorf("what was sent: %v", err)
			}
			tracker := status.NewTracker(run)
			observer := status.Observer{Client: slurmtest.Hasty}
			if s := tracker.Status(observer.Observe(t.Context(), tracker)); s.Counts.Unclear != 2 {
				t.Errorf("its status is %+v", s)
			}
			if jobs, err := activeJobs(t.Context(), slurmtest.Hasty, run); err != nil || len(jobs) != 2 || jobs[0].ID != "12" {
				t.Errorf("active are %+v, %v", jobs, err)
			}

			slurmtest.Says(t, dir, "queue", run)
			if s := tracker.Status(observer.Observe(t.Context(), tracker)); s.Counts.Never != 2 ||
				!strings.Contains(s.Chunks[0].Why, "has lost what says") {
				t.Errorf("its status is %+v", s)
			}
			if r, err = Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{}); err != nil || len(r.Again) != 2 {
				t.Errorf("afterwards: %+v, %v", r, err)
			}
			if sent, err := slurmtest.SentChunks(t, run); err != nil || len(sent) != 2 {
				t.Errorf("sent are %v, %v", sent, err)
			}
		})
	}
}

// Somebody else's jobs that can't be seen may measure a run that has lost everything about them.
func TestForgetfulRunOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["scontrol"] = slurmlab.FakeConfig + `; echo "PrivateData = jobs"`
	dir := slurmlab.Fake(t, commands)
	run := sentRun(t, "", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run)
	slurmlab.Must(t, errors.Join(os.Remove(run.Path(slurm.LedgerFile)), os.RemoveAll(run.Path("rounds"))))
	slurmlab.Must(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), nil, 0o666))
	slurmlab.Must(t, os.Chown(run.Path("run.json"), 1, -1))
	r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
	if err != nil || len(r.Active) != 2 || !strings.Contains(r.Active[0].Why, "you don't see the jobs of others") {
		t.Errorf("retried %+v, %v", r, err)
	}
}
