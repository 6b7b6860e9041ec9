// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// states are the states of the chunks, in order, with a word of why.
func states(s Status) string {
	var list []string
	for _, c := range s.Chunks {
		list = append(list, string(c.State))
	}
	return strings.Join(list, " ")
}

func look(t *testing.T, run *slurm.Run) Status {
	t.Helper()
	return testkit.Must(Of(t.Context(), slurmtest.Hasty, run))
}

func TestStatus(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.StatusRun(t)
	slurmtest.Says(t, dir, "queue", run,
		"12|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"12|1|RUNNING|1:00|5:00|2026-01-02T03:04:05|n2|NAME.1.0|None",
		"12|2|PENDING|0:00|20:00|N/A||NAME.1.0|PartitionTimeLimit",
		"12|3|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit",
		"12|4|CANCELLED|0:00|5:00|N/A||NAME.1.0|None",
		"12|6|HIBERNATING|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"13|N/A|PENDING|0:00|5:00|N/A||NAME.1.finish|Dependency")
	slurmtest.Says(t, dir, "accounts", run, "12_5|OUT_OF_MEMORY|0:125|60|5|2026-01-02T03:04:05|n3|NAME.1.0")
	s := look(t, run)
	testkit.Equal(t, states(s), "done running waiting ended never ended unclear waiting unclear", "chunks")
	testkit.Equal(t, s.Counts, (Counts{Done: 1, Running: 1, Waiting: 2, Ended: 2, Never: 1, Unclear: 2, All: 9}), "counts")
	for i, want := range map[int]string{
		2: "more time than the partition allows, so it will never start", 3: "reached its time limit: ended by SIGTERM",
		4: "cancelled before it started", 5: "used more memory than allowed", 7: "sent by the job that merges, which waits", 8: "retry finds out",
	} {
		testkit.Check(t, strings.Contains(s.Chunks[i].Why, want), "chunk %d %q, want %q", i+1, s.Chunks[i].Why, want)
	}
	// Of chunk 1 the journal knows the total, of the others the plan guesses 1.
	testkit.Equal(t, s.Trials, (slurm.Trials{Done: 10, Of: 5 + 3 + 1 + 2 + 5, OK: 10}), "trials")
	testkit.Check(t, len(s.Best) == 3 && s.Best[0].Matrix == "m1" && s.Best[0].Precision == kernels.Float32 &&
		s.Best[0].Cache == trial.Cold && s.Best[0].Seconds > 0 && s.Best[0].GFLOPS > 0, "best are %+v", s.Best)
	testkit.Check(t, s.Finish == Waiting && s.Active() && s.Silent == "", "finish %q, silent %q", s.Finish, s.Silent)
	c := s.Chunks[3]
	testkit.Check(t, c.Job == "12_3" && c.Node == "n1" && c.OutOfTime, "chunk 4 is %+v", c)
	slurmtest.Says(t, dir, "queue", run, "13|N/A|RUNNING|0:01|5:00|2026-01-02T03:04:05|n1|NAME.1.finish|None")
	late := look(t, run).Chunks[7]
	testkit.Check(t, late.State == Waiting && late.Why == "is sent by the job that merges, which runs", "chunk 8 is %+v", late)
	lines := testkit.Must(LastLines(s.Chunks[3].Log, 2))
	testkit.Check(t, slices.Equal(lines, []string{"two", "three"}), "its log ends with %q", lines)
}

// Journals alone say what is done; without Slurm nothing else is claimed.
func TestStatusWithoutSlurm(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.StatusRun(t)
	s := look(t, run)
	testkit.Equal(t, states(s), "done unclear unclear unclear unclear unclear unclear unclear unclear", "chunks")
	testkit.Check(t, s.Trials.Done == 10 && s.Counts.Done == 1 && strings.Contains(s.Silent, "no answer") && s.Active(),
		"status %+v", s)
	// A controller that has forgotten all, and no accounting.
	slurmtest.Says(t, dir, "queue", run)
	s = look(t, run)
	testkit.Equal(t, states(s), "done ended ended ended ended ended ended never unclear", "chunks")
	testkit.Check(t, s.Silent == "" && s.Chunks[3].Why == "ended, and Slurm no longer knows how: ended by SIGTERM",
		"silent %q, chunk 4 %q", s.Silent, s.Chunks[3].Why)
}

// Why a task ended is said in Slurm's words, where these are all that is known, and
// one that never ran did not end.
func TestStatusSaysWhyTasksFailed(t *testing.T) {
	dir := slurmlab.Fake(t, slurmlab.FakeQueue)
	run := slurmtest.StatusRun(t)
	slurmtest.Says(t, dir, "queue", run,
		"12|1|FAILED|0:07|5:00|2026-01-02T03:04:05|n2|NAME.1.0|JobLaunchFailure", // it has a journal
		"12|2|FAILED|0:00|20:00|N/A||NAME.1.0|BadConstraints",
		"12|3|FAILED|0:07|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NonZeroExitCode",
		"12|4|FAILED|0:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|JobLaunchFailure",
		"12|5|CANCELLED|0:00|5:00|2026-01-02T03:04:05||NAME.1.0|PartitionTimeLimit",
		"12|6|DEADLINE|0:00|5:00|N/A||NAME.1.0|DeadLine")
	s := look(t, run)
	testkit.Equal(t, states(s), "done ended never ended ended never never never unclear", "chunks")
	for i, want := range map[int]string{
		1: "was killed by a signal, such as that of kill -9 (JobLaunchFailure)",
		2: "asked for something that no node has (BadConstraints), and never started",
		3: "failed: ended by SIGTERM",
		4: "was killed by a signal, or could not be started on its node (JobLaunchFailure), and left neither a log nor a " +
			"journal: does its node see " + run.Dir + "?",
		5: "was cancelled before it started: it asks for more time than the partition allows (PartitionTimeLimit)",
		6: "could not end before its deadline (DeadLine), and never started",
	} {
		testkit.Equal(t, s.Chunks[i].Why, want, "chunk %d", i+1)
	}
	testkit.Equal(t, s.Chunks[2].Reason, "BadConstraints", "chunk 3 is %+v", s.Chunks[2])
}

// A tracker reads on where it stopped, and a line only once it is whole.
func TestTrackerReadsOn(t *testing.T) {
	run := slurmtest.NewRun(t, 2)
	w := slurmtest.Write(t, run, 0, "1_0", 0, 3)
	tracker := NewTracker(run)
	done := func() slurm.Trials {
		t.Helper()
		testkit.Succeed(t, tracker.read(t.Context()))
		return tracker.Status(View{}).Trials
	}
	testkit.Equal(t, done().Done, 3, "trials done")
	testkit.Succeed(t, w.Record(t.Context(), slurmtest.TestTrial("m1", 3)))
	path := w.Path()
	data := slurmlab.Read(t, path)
	cut := len(data) - 20
	testkit.Succeed(t, os.WriteFile(path, []byte(data[:cut]), 0o666))
	testkit.Equal(t, done().Done, 3, "half a line counts")
	slurmtest.AppendTo(t, path, string(data[cut:]))
	failed := slurmtest.TestTrial("m1", 4)
	failed.Status = trial.Fault
	testkit.Succeed(t, w.Record(t.Context(), failed))
	testkit.Equal(t, done(), slurm.Trials{Done: 5, Of: 2 * 500, OK: 4, Failed: 1}, "with one that failed")
	// Another attempt at the same trials: one is new, one ends better than before.
	again := slurmtest.Write(t, run, 0, "1_0", 3, 6)
	testkit.Equal(t, done(), slurm.Trials{Done: 6, Of: 2 * 500, OK: 6}, "with another attempt")
	slurmtest.End(t, again, "m1", trial.Part{Of: 1}, "")
	testkit.Equal(t, done(), slurm.Trials{Done: 6, Of: 6 + 500, OK: 6}, "with its end")
}

func TestPace(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	type trials struct {
		n          int
		began, ago time.Duration
	}
	for _, c := range []struct {
		name   string
		trials []trials
		want   float64 // per second
	}{
		{"nothing", nil, 0},
		{"long ago", []trials{{1, time.Hour, time.Hour}}, 0},
		{"began a minute ago", []trials{{120, time.Minute, 30 * time.Second}}, 2},
		{"goes on", []trials{{1, time.Hour, time.Hour}, {300, time.Hour, time.Minute}}, 0.5},
		{"several at once", []trials{{300, time.Hour, time.Minute}, {300, 2 * time.Minute, time.Second}}, 1},
		{"after a long pause", []trials{{5000, time.Hour, 50 * time.Minute}, {120, time.Minute, time.Second}}, 2},
		{"a clock is ahead", []trials{{1, -time.Minute, -time.Minute}}, 1},
	} {
		p := pace{}
		for _, trials := range c.trials {
			for range trials.n {
				p.add(now.Add(-trials.began), now.Add(-trials.ago))
			}
		}
		testkit.Equal(t, fmt.Sprintf("%.3f", p.rate(now)), fmt.Sprintf("%.3f", c.want), "%s", c.name)
	}
}

func TestExplainPending(t *testing.T) {
	for reason, want := range map[string]string{
		"Priority":                 "waits for its turn",
		"Resources":                "waits for a node to become free",
		"JobArrayTaskLimit":        "throttle",
		"PartitionTimeLimit":       "more time than the partition allows, so it will never start",
		"DependencyNeverSatisfied": "will never start",
		"ReqNodeNotAvail, UnavailableNodes:n[1-2]": "down, drained or reserved (UnavailableNodes:n[1-2])",
		"QOSMaxJobsPerUserLimit":                   "a limit of your account or QOS is reached (QOSMaxJobsPerUserLimit)",
		"launch failed requeued held":              "is held: scontrol release lets it go",
		"AssocGrpGRES":                             "is reached (AssocGrpGRES)",
		"QOSMaxWallDurationPerJobLimit":            "(QOSMaxWallDurationPerJobLimit), so it will never start",
		"QOSMinGRES":                               "(QOSMinGRES), so it will never start",
		"":                                         "waits for Slurm to look at it",
		"SomethingNew2031":                         "waits: SomethingNew2031",
		"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions": "waits: Nodes required for job are DOWN, DRAINED or reserved",
	} {
		got := explainPending(sbatch.Job{State: sbatch.Pending, Reason: reason})
		testkit.Check(t, strings.Contains(got, want), "%q is explained as %q, want %q", reason, got, want)
	}
	at := time.Date(2026, 1, 2, 13, 14, 15, 0, time.Local)
	if got := explainPending(sbatch.Job{State: sbatch.Pending, Reason: "BeginTime", Start: at}); !strings.HasPrefix(got, "must not start before 2026-01-02 13:14:15: the sweep asked for that, or") {
		t.Errorf("a job with a time to begin is explained as %q", got)
	}
}

func TestExplainEnd(t *testing.T) {
	for _, c := range []struct {
		job           *sbatch.Job
		journal, said string
		want          string
	}{
		{nil, "", "", "ended, and Slurm no longer knows how"},
		{nil, "j", "", "ended, and Slurm no longer knows how: journal j breaks off, as it does when a process is killed"},
		{nil, "j", "a signal came", "ended, and Slurm no longer knows how: a signal came"},
		{&sbatch.Job{State: sbatch.TimedOut, Reason: "TimeLimit"}, "j", "", "reached its time limit"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "7:0"}, "j", "no GPU", "failed with exit code 7: no GPU"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "0:9"}, "", "", "failed by signal 9"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "RaisedSignal:9(Killed)"}, "", "", "failed by signal 9(Killed)"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "JobLaunchFailure"}, "", "", "was killed by a signal, or could not be started on its node (JobLaunchFailure)"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "JobLaunchFailure"}, "j", "", "was killed by a signal, such as that of kill -9 (JobLaunchFailure)"},
		{&sbatch.Job{State: sbatch.Failed}, "j", "", "failed: journal j breaks off, as it does when a process is killed"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "NonZeroExitCode"}, "j", "no GPU", "failed: no GPU"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "NonZeroExitCode"}, "j", "",
			"failed: journal j breaks off, as it does where the disk is full or a quota is used up"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "1:0"}, "j", "",
			"failed with exit code 1: journal j breaks off, as it does where the disk is full or a quota is used up"},
		{&sbatch.Job{State: sbatch.Failed, Exit: "137:0"}, "j", "",
			"failed with exit code 137: journal j breaks off, as it does when a process is killed"},
		{&sbatch.Job{State: sbatch.Failed, Reason: "BadConstraints"}, "", "", "asked for something that no node has (BadConstraints)"},
		{&sbatch.Job{State: sbatch.NodeFail, Reason: "SomethingNew2031"}, "", "", "lost its node, which failed (SomethingNew2031)"},
		{&sbatch.Job{State: sbatch.Failed}, "", "", "failed"},
		{&sbatch.Job{State: sbatch.Completed}, "j", "", "ended: journal j breaks off, as it does where it was cut"},
		{&sbatch.Job{State: sbatch.Completed}, "", "", "ended, and its journal is not there: it was deleted"},
		{&sbatch.Job{State: sbatch.Unknown}, "", "", "ended, and Slurm no longer knows how"},
	} {
		testkit.Equal(t, explainEnd(c.job, slurm.Missing{Journal: c.journal, Reason: c.said}), c.want, "%+v, %q, %q", c.job, c.journal, c.said)
	}
}

// A run is merged if its database is there as the merge left it, and its report is named if it is there.
func TestStatusLooksAtWhatIsThere(t *testing.T) {
	slurmtest.Says(t, slurmlab.Fake(t, slurmlab.FakeQueue), "queue", slurmtest.NewRun(t, 0))
	for what, damage := range map[string]func(database string) error{
		"merged":   func(string) error { return nil },
		"deleted":  os.Remove,
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
		"cut":      func(path string) error { return os.Truncate(path, 4096) },
		"cut late": func(path string) error { return os.Truncate(path, int64(len(slurmlab.Read(t, path))-1)) },
		"replaced": func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o666) },
		"of another program": func(path string) error {
			return os.WriteFile(path, []byte(strings.Replace(slurmlab.Read(t, path), "SpMV", "Else", 1)), 0o666)
		},
		"a folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) },
		"new":       func(path string) error { os.Remove(path); return testkit.Must(store.Open(path)).Close() },
		"no report": func(path string) error { return os.Remove(filepath.Join(filepath.Dir(path), "report.html")) },
		"moved": func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved")
		},
	} {
		run := slurmtest.NewRun(t, 1)
		slurmtest.EndAll(t, slurmtest.Write(t, run, 0, "1_0", 0, 30), "m1", 30)
		testkit.Must(Merge(t.Context(), run, 0, func(m *slurm.Merge) error {
			m.Report = run.Path("report.html")
			return os.WriteFile(m.Report, nil, 0o666)
		}))
		testkit.Succeed(t, damage(run.Path(slurm.DatabaseFile)))
		if what == "moved" {
			run = slurmtest.Opened(t, run.Dir+".moved")
		}
		s, report := look(t, run), run.Path("report.html")
		if what == "no report" {
			report = ""
		}
		is := what == "merged" || what == "no report" || what == "moved"
		testkit.Check(t, s.Counts.Done == 1 && (s.Merged != nil) == is && (!is || s.Merged.Report == report), "%s: %+v, merged %+v",
			what, s, s.Merged)
	}
}

// Of a damaged journal its name is said, and what is missing by that. Garbage behind the end, and a line twice, take
// nothing away.
func TestStatusOfDamagedJournals(t *testing.T) {
	queue := slurmlab.Fake(t, slurmlab.FakeQueue)
	lines := func(data string, from, to int) string {
		return strings.Join(strings.SplitAfter(data, "\n")[from:to], "")
	}
	with := func(change func(data string) string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(change(slurmlab.Read(t, path))), 0o666) }
	}
	for what, c := range map[string]struct {
		damage func(path string) error
		state  State
		why    string
		faulty string
	}{
		"garbage behind": {with(func(d string) string { return d + "garbage\nmore\n" }), Done, "", "line 7: not a line"},
		"torn behind":    {with(func(d string) string { return d + "garbage" }), Done, "", "line 7: the line ends after 7 bytes"},
		"zeros behind":   {with(func(d string) string { return d + strings.Repeat("\x00", 99) }), Done, "", "line 7: the line ends"},
		"the end twice":  {with(func(d string) string { return d + lines(d, 5, 6) }), Done, "", "line 7: it was written as line 6"},
		"a trial twice":  {with(func(d string) string { return lines(d, 0, 4) + lines(d, 3, 6) }), Done, "", "line 5: it was written as line 4"},
		"no end":         {with(func(d string) string { return lines(d, 0, 5) }), Ended, "ended: journal FILE breaks off", ""},
		"half an end":    {with(func(d string) string { return d[:len(d)-9] }), Ended, "ended: journal FILE breaks off", ""},
		"emptied":        {with(func(d string) string { return "" }), Ended, "ended: journal FILE breaks off", ""},
		"a trial gone": {with(func(d string) string { return lines(d, 0, 4) + lines(d, 5, 6) }), Ended,
			"can be read: journal FILE: line 5: lines missing", "line 5: lines missing before it: 1"},
		"noise":    {with(func(d string) string { return lines(d, 0, 3) + "noise\n" + lines(d, 4, 6) }), Ended, "FILE: line 4: not", "line 4: not"},
		"deleted":  {os.Remove, Ended, "ended, and its journal is not there: it was deleted", ""},
		"a folder": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) }, Ended, "", "a folder"},
		"a pipe":   {func(path string) error { return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o666)) }, Ended, "", "not a regular file"},
		"a link":   {func(path string) error { return errors.Join(os.Remove(path), os.Symlink("nowhere", path)) }, Ended, "", "no such file"},
		"renamed":  {func(path string) error { return os.Rename(path, path+".bak.jsonl") }, Ended, "", "its name is not that of a journal"},
	} {
		run := slurmtest.NewRun(t, 1)
		slurmtest.Send(t, run, 1, 1, "1")
		slurmtest.Says(t, queue, "queue", run, "1|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None")
		w := slurmtest.Write(t, run, 0, "1_0", 0, 3)
		slurmtest.EndAll(t, w, "m1", 3)
		testkit.Check(t, states(look(t, run)) == "done" && len(look(t, run).Faulty) == 0, "at first: %+v", look(t, run))
		testkit.Succeed(t, c.damage(w.Path()))
		s, file := look(t, run), filepath.Base(w.Path())
		why := strings.ReplaceAll(s.Chunks[0].Why, file, "FILE")
		testkit.Check(t, s.Chunks[0].State == c.state && strings.Contains(why, c.why) && !strings.Contains(why, "complete"),
			"%s: chunk %+v", what, s.Chunks[0])
		testkit.Check(t, (len(s.Faulty) == 1) == (c.faulty != ""), "%s: faulty are %+v", what, s.Faulty)
		for _, f := range s.Faulty {
			testkit.Check(t, strings.HasPrefix(f.File, file) && strings.Contains(f.First, c.faulty) &&
				(f.Again == (c.state != Done) || what == "renamed"), "%s: faulty is %+v", what, f)
		}
		m := testkit.Must(mergeOnly(t.Context(), run))
		testkit.Check(t, len(m.Missing) == s.Counts.Ended && (c.state != Done || m.New == 3) &&
			len(m.Faulty) == len(s.Faulty), "%s: merged %+v", what, m)
	}
}

// Whether a run is over is not known where its claims or its journals can't be read.
func TestStatusNeedsTheFolder(t *testing.T) {
	slurmtest.Says(t, slurmlab.Fake(t, slurmlab.FakeQueue), "queue", slurmtest.NewRun(t, 0))
	for folder, wrong := range map[string]string{"claims": "listing the claims", slurm.JournalsDir: "listing journals"} {
		run := slurmtest.NewRun(t, 1)
		testkit.Check(t, !testkit.Must(Of(t.Context(), slurmtest.Hasty, run)).Active(), "of a run that nobody measures")
		testkit.Succeed(t, os.RemoveAll(run.Path(folder)))
		testkit.Succeed(t, os.WriteFile(run.Path(folder), nil, 0o666))
		testkit.Fails(t, testkit.Err(Of(t.Context(), slurmtest.Hasty, run)), wrong, "where %s is no folder", folder)
		testkit.Succeed(t, os.Remove(run.Path(folder)))
		if folder == slurm.JournalsDir {
			testkit.Fails(t, testkit.Err(Of(t.Context(), slurmtest.Hasty, run)), "make that folder", "without journals/")
		}
	}
}
