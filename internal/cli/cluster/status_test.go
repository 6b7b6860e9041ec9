// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/slurm/submit"
)

// That a run is being merged is said only where Slurm says so.
func TestWhatIsKnownOfAMerge(t *testing.T) {
	for finish, want := range map[status.State]string{
		status.Running: "is being merged",
		status.Waiting: "waits to be merged",
		status.Unclear: "complete; whether it is being merged is not known",
		status.Ended:   "complete, but not merged",
	} {
		s := status.Status{Finish: finish, Counts: status.Counts{Done: 2, All: 2}}
		testkit.Equal(t, inAWord(s), want, "%s", finish)
	}
}

// A hook calls f at the first write.
type hook struct {
	bytes.Buffer
	f func()
}

func (h *hook) Write(p []byte) (int, error) {
	if h.f != nil {
		h.f()
		h.f = nil
	}
	return h.Buffer.Write(p)
}

// What is missing is what the merge did not find, even if the plan has changed by the time
// the reasons are asked for.
func TestMergeWhilePlanChanges(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Slurm
	run := slurmtest.NewRun(t, 1)
	slurmtest.Write(t, run, 0, "7_0", 0, 1)
	split := func() {
		halves := `{"chunks": [{"id": "0001", "pieces": [{"matrix": "m1", "index": 0, "of": 1}]},
			{"id": "0001.1", "pieces": [{"matrix": "m1", "index": 0, "of": 2}]},
			{"id": "0001.2", "pieces": [{"matrix": "m1", "index": 1, "of": 2}]}]}`
		testkit.Succeed(t, os.WriteFile(run.Path("plan.json"), []byte(halves), 0o666))
	}
	var out bytes.Buffer
	c := mergeCommand{runCommand: runCommand{run: run, w: &hook{f: split}}, json: &out}
	c.output.Format = "json"
	err := c.merge(t.Context())
	var exit *command.Error
	testkit.Check(t, errors.As(err, &exit) && exit.Code == command.ExitSomeFailed &&
		strings.Contains(err.Error(), "1 chunk not complete"), "the merge ends with %v", err)
	testkit.Check(t, strings.Contains(out.String(), `"chunk": "0001"`), "its JSON is\n%s", out.String())
}

// What the commands on a run say fits a terminal of 80 columns, and notes about the cluster are said once.
func TestLinesFit(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Slurm
	run := slurmtest.NewRun(t, 3)
	root := filepath.Dir(run.Dir)
	t.Chdir(root)
	page := &term.Page{Width: 80}
	c := runCommand{run: run, w: page}
	c.output.Format = "table"
	chunk := func(state status.State, why string) status.Chunk {
		return status.Chunk{Chunk: "0001", Matrices: []string{"a-matrix-with-a-name", "another"}, State: state, Why: why, Node: "n1", Mem: "3G"}
	}
	full := chunk(status.Ended, "failed with exit code 1: journal 0001.12_0.0.jsonl breaks off, as it does where the disk is full or a quota is used up")
	memory := chunk(status.Ended, "used more memory than allowed")
	memory.OutOfMemory = true
	told := []string{
		"this cluster does not confine jobs to their processors (TaskPlugin): other jobs on a node disturb measurements",
		"the largest task may need 480M, and a task would get 100M on this cluster (DefMemPerCPU): it is asked for"}
	round := submit.Round{Number: 2, Rest: 36, Limit: "AssocMaxSubmitJobLimit", Jobs: []slurm.Sent{{Batch: slurm.Batch{Tasks: 12345}}, {}}}
	s := status.Status{Dir: run.Dir, Finish: status.Ended, Silent: "squeue: no answer from slurm's controller within 20s: try again later",
		Counts: status.Counts{Ended: 2, Running: 100, Never: 1000, Unclear: 1000, Waiting: 1000, All: 9999},
		Faulty: []slurm.Fault{{File: "0001.12_0.0.jsonl", Unread: true, First: "not a regular file: save its content to a file first, and name that"}},
		Best:   []status.Best{{Device: "d", Matrix: "a-matrix-with-a-name", Precision: "float64", Cache: "warm", Kernel: "cpu_csr_rows", Setting: "block 1024 grid 1024", Seconds: 1e-6, GFLOPS: 1}},
		Chunks: []status.Chunk{full, memory, chunk(status.Waiting, "is sent by the job that merges, which waits for other jobs of the run to end")}}
	printStatus(t.Context(), page, run, s)
	s.Counts.Ended, s.Counts.Never, s.Chunks = 1, 0, []status.Chunk{memory}
	printStatus(t.Context(), page, run, s)
	s.Counts.Ended, s.Chunks = 0, nil
	printStatus(t.Context(), page, run, s)
	for range 2 {
		(&retryCommand{runCommand: c}).print(submit.Retried{Round: &round, Recovered: round.Jobs, Again: slurmtest.ChunkIDs(900), More: []string{`mem = "8G"`},
			Split: []submit.SplitChunk{{Chunk: "0001", Into: []string{"0001.1", "0001.2"}}}, OutOfMemory: []status.Chunk{memory}, Notes: told,
			Active: s.Chunks, Avoided: []status.Gathering{{Node: "n1", Why: full.Why, Chunks: slurmtest.ChunkIDs(2)}}})
	}
	submitted{Dir: run.Dir, Plan: planSummary{Chunks: 9999, Trials: 9999999, Seconds: 1e7, Longest: 1e4}, Round: round, Notes: told}.print(page, &configs.Sweep{Name: "s"}, run)
	testkit.Succeed(t, (&cancelCommand{c}).print(submit.Cancelled{Jobs: []sbatch.Job{{Task: 1}}}))
	testkit.Succeed(t, (&throttleCommand{c}).print(nil, 1))
	printAdopted(page, &submit.Match{From: run.Dir, Devices: []string{"a processor with a rather long name (go1.26)"}, Others: []submit.Other{{Trials: 12, Why: full.Why}}})
	text := page.String()
	for line := range strings.Lines(text) {
		testkit.Check(t, utf8.RuneCountInString(strings.TrimSpace(line)) <= 80, "a line is too long: %s", line)
	}
	for _, n := range told {
		testkit.Equal(t, strings.Count(strings.Join(strings.Fields(text), " "), n), 1, "%q is said", n)
	}
	testkit.Says(t, "the pages", strings.Join(strings.Fields(text), " "), "first make room in "+filepath.Base(run.Dir), "--set mem=6144M",
		"the job that merges has ended before the tasks", "fastest before repeats", "it holds for what retry sends")
}
