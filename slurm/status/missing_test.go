// SPDX-License-Identifier: Apache-2.0

package status

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

func TestMissing(t *testing.T) {
	done := func(matrix string, part trial.Part) trial.Piece {
		return trial.Piece{Matrix: matrix, Part: part, Complete: true}
	}
	p := func(index, of int) trial.Part { return trial.Part{Index: index, Of: of} }
	whole := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: []trial.Piece{{Matrix: "a", Part: p(1, 3)},
		{Matrix: "b", Part: trial.Part{Of: 1}}}}}}
	split := slurm.Plan{Chunks: append(whole.Chunks,
		slurm.Chunk{ID: "0001.1", Pieces: []trial.Piece{{Matrix: "a", Part: p(1, 3)}}},
		slurm.Chunk{ID: "0001.2", Pieces: []trial.Piece{{Matrix: "b", Part: trial.Part{Of: 1}}}})}
	for _, tt := range []struct {
		name     string
		plan     slurm.Plan
		ended    map[string][]trial.Piece // by chunk
		complete int
		missing  string
	}{
		{"nothing", whole, nil, 0, "0001"},
		{"all", whole, map[string][]trial.Piece{"0001": {done("a", p(1, 3)), done("b", trial.Part{Of: 1})}}, 1, ""},
		{"one piece", whole, map[string][]trial.Piece{"0001": {done("a", p(1, 3)), {Matrix: "b", Part: trial.Part{Of: 1}}}},
			0, "0001"},
		{"another's", whole, map[string][]trial.Piece{"0002": {done("a", p(1, 3)), done("b", trial.Part{Of: 1})}}, 0, "0001"},
		{"another part", whole, map[string][]trial.Piece{"0001": {done("a", p(0, 3)), done("b", trial.Part{Of: 1})}}, 0,
			"0001"},
		{"several journals", whole,
			map[string][]trial.Piece{"0001": {done("a", p(3, 6)), done("a", p(2, 6)), done("b", p(0, 2)), done("b", p(1, 2))}},
			1, ""},
		{"a part is missing", whole,
			map[string][]trial.Piece{"0001": {done("a", p(1, 3)), done("b", p(0, 3)), done("b", p(2, 3))}}, 0, "0001"},
		{"halves", split, map[string][]trial.Piece{"0001.1": {done("a", p(1, 3))}}, 1, "0001.2"},
		{"halves, and a late end of the whole", split,
			map[string][]trial.Piece{"0001": {done("a", p(0, 1)), done("b", p(0, 0))}}, 1, "0001.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files []*slurm.File
			for chunk, pieces := range tt.ended {
				files = append(files, &slurm.File{Name: journal.Name{Chunk: chunk, Job: "1_1"}, Ends: []journal.End{{Pieces: pieces}}})
			}
			list := slurm.Incomplete(tt.plan, files)
			complete := len(tt.plan.Current()) - len(list)
			var ids []string
			for _, m := range list {
				ids = append(ids, m.Chunk)
			}
			testkit.Check(t, complete == tt.complete && strings.Join(ids, " ") == tt.missing,
				"%d complete, missing %v; want %d, %q", complete, ids, tt.complete, tt.missing)
		})
	}
}

// Why a chunk is not complete is for the last task of it to say, whatever the clocks
// of the nodes: not for one before it that writes on, or that said more.
func TestMissingHasLastAttemptsWord(t *testing.T) {
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Of: 1}}}}}}
	word := func(job string, attempt, again int, reason string, at int64) *slurm.File {
		f := &slurm.File{Name: journal.Name{Chunk: "0001", Job: job, Attempt: attempt, Again: again}}
		if reason != "" {
			f.Ends = []journal.End{{Reason: reason, OutOfTime: reason == "late", At: time.UnixMilli(at),
				Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Of: 1}}}}}
		}
		return f
	}
	for _, tt := range []struct {
		name        string
		files       []*slurm.File
		job, reason string
		outOfTime   bool
	}{
		{"a later job", []*slurm.File{word("9_3", 0, 0, "late", 5), word("12_0", 0, 0, "no GPU", 1)}, "12_0", "no GPU", false},
		{"a later job that was killed", []*slurm.File{word("12_0", 0, 0, "", 0), word("9_3", 0, 0, "late", 5)}, "12_0", "", false},
		{"a later attempt", []*slurm.File{word("9_3", 1, 0, "no GPU", 1), word("9_3", 0, 0, "late", 5)}, "9_3", "no GPU", false},
		{"a later attempt that was killed", []*slurm.File{word("9_3", 0, 0, "late", 5), word("9_3", 10, 0, "", 0),
			word("9_3", 2, 0, "no GPU", 6)}, "9_3", "", false},
		{"the last word of an attempt", []*slurm.File{word("9_3", 0, 1, "late", 7), word("9_3", 0, 0, "no GPU", 5),
			word("9_3", 0, 2, "", 0)}, "9_3", "late", true},
	} {
		list := slurm.Incomplete(plan, tt.files)
		testkit.Check(t, len(list) == 1 && list[0].Job == tt.job && list[0].Reason == tt.reason &&
			list[0].OutOfTime == tt.outOfTime, "%s: %+v", tt.name, list)
	}
}

// The last attempt at a chunk counts what earlier ones measured. A journal of those that is gone, was
// cut at the end of a line or was overwritten is missed, and only what it held is measured again.
func TestEarlierJournalIsLost(t *testing.T) {
	for name, lose := range map[string]func(path string, data []byte) error{
		"deleted": func(path string, _ []byte) error { return os.Remove(path) },
		"emptied": func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"cut": func(path string, data []byte) error {
			return os.Truncate(path, int64(bytes.LastIndexByte(data[:len(data)-1], '\n')+1))
		},
		"noise": func(path string, data []byte) error {
			return os.WriteFile(path, bytes.Repeat([]byte{0xa5}, len(data)), 0o666)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := slurmtest.NewRun(t, 1)
			first := slurmtest.Write(t, run, 0, "1_0", 0, 3)
			slurmtest.EndAll(t, slurmtest.Write(t, run, 0, "1_0b", 3, 8), "m1", 8)
			if m := mergeRun(t, run); m.Complete != 1 {
				t.Fatalf("before: %+v", m)
			}
			data := slurmlab.Read(t, first.Path())
			testkit.Succeed(t, lose(first.Path(), []byte(data)))
			testkit.Succeed(t, os.Remove(run.Path(slurm.DatabaseFile)))
			lost := 3
			if name == "cut" {
				lost = 1
			}
			m := mergeRun(t, run)
			testkit.Require(t, m.Complete == 0 && len(m.Missing) == 1 && m.Missing[0].Lost == lost &&
				strings.HasPrefix(m.Missing[0].Reason, fmt.Sprintf("%d trials that it had counted are in no journal", lost)),
				"after: %+v", m)
			slurmtest.EndAll(t, slurmtest.Write(t, run, 0, "2_0", 3-lost, 3), "m1", 8)
			if m := mergeRun(t, run); m.Complete != 1 || m.New != lost || count(t, run) != 8 {
				t.Errorf("measured again: %+v", m)
			}
		})
	}
}

// slowQueue is fakeQueue, but while squeue answers, the files below late get into the
// folder of the run: what happens between the question and the end of the answer.
func slowQueue() map[string]string {
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["squeue"] = `[ -e "$FAKE/late" ] && cp -r "$FAKE/late/." "$LATE_INTO"; ` + slurmlab.FakeQueue["squeue"]
	return commands
}

// lateRun is a run of one chunk whose task ends, and is merged, while Slurm is asked.
func lateRun(t *testing.T) *slurm.Run {
	t.Helper()
	dir := slurmlab.Fake(t, slowQueue())
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 1, "exit 0")
	slurmtest.Send(t, run, 1, 1, "12")
	testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.finish", Round: 1},
		Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "13"}}))
	slurmtest.Says(t, dir, "queue", run,
		"12|0|COMPLETED|1:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None",
		"13|N/A|COMPLETED|0:00|5:00|2026-01-02T03:04:05|n1|NAME.1.finish|None")
	late := filepath.Join(dir, "late")
	testkit.Succeed(t, os.MkdirAll(filepath.Join(late, slurm.JournalsDir), 0o777))
	slurmtest.End(t, slurmtest.Write(t, run, 0, "12_0", 0, 3), "m1", trial.Part{Of: 1}, "")
	testkit.Succeed(t, os.Rename(run.Path(slurm.JournalsDir, "0001.12_0.0.jsonl"),
		filepath.Join(late, slurm.JournalsDir, "0001.12_0.0.jsonl")))
	later := *run
	later.Dir = late
	slurmtest.Database(t, run.Dir)
	slurmtest.Database(t, late)
	testkit.Succeed(t, later.NoteMerge(&slurm.Merge{Round: 1, Complete: 1}))
	t.Setenv("LATE_INTO", run.Dir)
	return run
}

// What a task has written before Slurm said that it ended counts.
func TestStatusOfTaskThatJustEnded(t *testing.T) {
	s := look(t, lateRun(t))
	testkit.Check(t, s.Chunks[0].State == Done && s.Finish == Done,
		"chunk %+v, the job that merges is %s", s.Chunks[0], s.Finish)
	testkit.Equal(t, testkit.Must(Certain(t.Context(), slurmtest.Hasty, lateRun(t))).Chunks[0].State, Done, "for a retry it is")
}

// A chunk was completed by a merge by hand, while the round's own job still waits: it
// is asked for.
func TestStatusAfterMergeByHand(t *testing.T) {
	run := lateRun(t)
	testkit.Succeed(t, run.NoteMerge(&slurm.Merge{Complete: 1}))
	testkit.Succeed(t, os.RemoveAll(filepath.Join(os.Getenv("FAKE"), "late", "merged-001.json")))
	slurmtest.Says(t, os.Getenv("FAKE"), "queue", run, "13|N/A|PENDING|0:00|5:00|N/A||NAME.1.finish|Priority")
	testkit.Equal(t, look(t, run).Finish, Waiting, "the job that merges")
}

// Listings are brought up to date before they are read, so that a network file
// system's old ones don't hide what a task has written.
func TestListingsAreRefreshed(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	refreshed := func(t *testing.T, f func(*slurm.Run), folders ...string) {
		t.Helper()
		run := lateRun(t)
		t.Setenv("LATE_INTO", t.TempDir())
		for _, dir := range folders {
			testkit.Succeed(t, os.Chtimes(run.Path(dir), old, old))
		}
		f(run)
		for _, dir := range folders {
			info := testkit.Must(os.Stat(run.Path(dir)))
			if !info.ModTime().After(old) {
				t.Errorf("%s is as it was", run.Path(dir))
			}
			left, _ := filepath.Glob(run.Path(dir, ".refresh*"))
			testkit.Check(t, len(left) == 0, "left are %v", left)
		}
	}
	refreshed(t, func(run *slurm.Run) { look(t, run) }, "", slurm.JournalsDir)
	refreshed(t, func(run *slurm.Run) {
		testkit.Must(Merge(t.Context(), run, 0, func(*slurm.Merge) error { return nil }))
	}, slurm.JournalsDir)
}
