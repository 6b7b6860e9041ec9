// SPDX-License-Identifier: Apache-2.0

// Package slurmtest makes runs and journals for the tests of slurm's rooms.
package slurmtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// Hasty is a client that does not wait for long.
var Hasty = &sbatch.Client{Timeout: time.Second, Pause: 10 * time.Millisecond, Patience: 5 * time.Second}

// NewRun makes a run of some chunks, "0001" and so on. Each is all of a matrix, "m1" and so on, with the trials of a
// generated journal.
func NewRun(tb testing.TB, chunks int) *slurm.Run {
	tb.Helper()
	run := Created(tb, tb.TempDir(), configs.Slurm{}, chunks, "exit 0")
	SetPlan(tb, run, planOf(chunks, 500))
	return run
}

// planOf is a plan of chunks with a matrix and some trials each.
func planOf(chunks, trials int) (plan slurm.Plan) {
	for i := range chunks {
		whole := []trial.Piece{{Matrix: MatrixName(i), Part: trial.Part{Of: 1}}}
		plan.Chunks = append(plan.Chunks, slurm.Chunk{ID: ChunkID(i), Pieces: whole, Trials: trials})
	}
	return plan
}

// SetPlan gives a run another plan.
func SetPlan(tb testing.TB, run *slurm.Run, plan slurm.Plan) {
	tb.Helper()
	data := testkit.Must(json.Marshal(plan))
	testkit.Succeed(tb, os.WriteFile(run.Path("plan.json"), data, 0o666))
}

func ChunkID(i int) string    { return fmt.Sprintf("%04d", i+1) }
func MatrixName(i int) string { return fmt.Sprintf("m%d", i+1) }

// Opened opens the folder of a run.
func Opened(tb testing.TB, dir string) *slurm.Run {
	tb.Helper()
	return testkit.Must(slurm.Open(dir))
}

// Made makes a run of a sweep below root. Its program is this test.
func Made(tb testing.TB, root string, sweep *configs.Sweep, plan slurm.Plan) *slurm.Run {
	tb.Helper()
	program := testkit.Must(os.Executable())
	return testkit.Must(slurm.Create(root, sweep, plan, program, "test"))
}

// Parsed is the sweep of a text, whose paths are relative to a folder.
func Parsed(tb testing.TB, dir, text string) *configs.Sweep {
	tb.Helper()
	return testkit.Must(configs.Parse(filepath.Join(dir, "small.toml"), []byte(text)))
}

// Jobs are the submissions of a run.
func Jobs(tb testing.TB, run *slurm.Run) []slurm.Sent {
	tb.Helper()
	ledger := testkit.Must(run.Ledger())
	return ledger.Jobs
}

// Chunks are the first n chunks of a run's plan.
func Chunks(tb testing.TB, run *slurm.Run, n int) []slurm.Chunk {
	tb.Helper()
	plan := testkit.Must(run.Plan())
	return plan.Chunks[:n]
}

// Send notes a round of the first n chunks of a run, which was sent as an array.
func Send(tb testing.TB, run *slurm.Run, round, n int, id string) {
	tb.Helper()
	testkit.Succeed(tb, run.WriteRound(round, ChunkIDs(n)))
	b := slurm.Batch{Name: fmt.Sprintf("%s.%d.0", run.JobName(), round), Round: round, Tasks: n}
	testkit.Succeed(tb, run.Note(slurm.Sent{Batch: b, Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: id}}))
}

// SmallSweep is a sweep for tests of jobs.
func SmallSweep(s configs.Slurm) *configs.Sweep {
	return &configs.Sweep{Name: "small", Path: "small.toml", Text: []byte("name = \"small\"\n"), Slurm: s}
}

// Created makes a run in a folder below root. Its tasks run a script instead of the program.
func Created(tb testing.TB, root string, s configs.Slurm, chunks int, script string) *slurm.Run {
	tb.Helper()
	program := filepath.Join(tb.TempDir(), "program")
	testkit.Succeed(tb, os.WriteFile(program, []byte("#!/bin/bash\n"+script+"\n"), 0o777))
	return testkit.Must(slurm.Create(root, SmallSweep(s), planOf(chunks, 1), program, "test"))
}

// ChunkIDs are the ids of the first n chunks.
func ChunkIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = ChunkID(i)
	}
	return ids
}

// Says writes the answer of a fake command. NAME stands for the run's name.
func Says(t *testing.T, dir, file string, run *slurm.Run, lines ...string) {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "NAME", run.JobName())
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o666))
}

// StatusRun makes a run of nine chunks. The first seven were submitted as array 12, which job 13
// follows. The eighth was refused, and nobody knows what became of the ninth. Chunk 1 is
// complete; 2 and 4 have journals.
func StatusRun(t *testing.T) *slurm.Run {
	t.Helper()
	run := Created(t, t.TempDir(), configs.Slurm{}, 9, "exit 0")
	for _, b := range []struct {
		slurm.Batch
		outcome slurm.Outcome
		id      string
	}{
		{slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Base: 0, Tasks: 7}, slurm.Submitted, "12"},
		{slurm.Batch{Name: run.JobName() + ".1.1", Round: 1, Base: 7, Tasks: 1}, slurm.Refused, ""},
		{slurm.Batch{Name: run.JobName() + ".1.2", Round: 1, Base: 8, Tasks: 1}, slurm.Intended, ""},
		{slurm.Batch{Name: run.JobName() + ".1.finish", Round: 1}, slurm.Submitted, "13"},
	} {
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: b.Batch, Outcome: b.outcome, JobID: sbatch.JobID{ID: b.id}}))
	}
	testkit.Succeed(t, run.WriteRound(1, ChunkIDs(9)))
	done := Write(t, run, 0, "12_0", 0, 5)
	End(t, done, "m1", trial.Part{Of: 1}, "")
	Write(t, run, 1, "12_1", 0, 3)
	late := Write(t, run, 3, "12_3", 0, 2)
	End(t, late, "m4", trial.Part{Of: 1}, "ended by SIGTERM")
	testkit.Succeed(t, os.WriteFile(run.Path(slurm.LogsDir, "12_3.log"), []byte("one\n\ntwo\nthree\n"), 0o666))
	Age(t, run)
	return run
}

func TestRun() tuner.RunInfo {
	sources := map[string]string{}
	for _, name := range benchKernels {
		sources[name] = "1"
	}
	return tuner.RunInfo{
		Sweep:   &configs.Sweep{Name: "quick", Text: []byte("name = \"quick\"\n")},
		Device:  kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "go1.26", Units: 2},
		Roof:    kernels.Roof{Read: 10, Copy: 20, Triad: 16},
		Sources: sources, Protocol: "warmup=3", Version: "test",
	}
}

func TestMatrix(name string) trial.Matrix {
	return trial.Matrix{Name: name, Source: "grid", Class: "grid", Hash: "hash-of-" + name, Field: "real",
		Symmetry: "general",
		Features: sparse.Features{Rows: 1000, Cols: 900, Nonzeros: 5000, RowMean: 5}}
}

var benchKernels = []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell", "coo_atomic"}

// TestTrial is the n-th trial on a matrix.
func TestTrial(matrix string, n int) trial.Result {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	r := trial.Result{
		Trial: trial.Trial{Matrix: "hash-of-" + matrix, Cache: trial.Cold,
			Config: kernels.Config{Kernel: benchKernels[n%5], Precision: kernels.Float32, Block: 32 * (1 + n/5%32),
				Grid: 1 << (n / 160)}},
		Status: trial.OK, Batch: 1, Stop: trial.StopTarget, Prepare: rng.Float64(), MaxError: rng.Float64(),
		WorstRow: rng.IntN(1000),
		BytesMin: 10_000, BytesOwn: 12_000,
		Properties: map[string]float64{"registers": 32, "occupancy": 0.75, "shared_bytes": 4096, "local_bytes": 0},
		At:         time.Date(2026, 1, 2, 3, 4, 5, n*1000, time.UTC),
	}
	r.Median = 1e-3 * (1 + rng.Float64())
	r.WithinLow, r.WithinHigh = 0.99*r.Median, 1.01*r.Median
	for range 20 {
		r.Samples = append(r.Samples, r.Median*(1+0.01*rng.NormFloat64()))
	}
	sum := sha256.Sum256(fmt.Append(nil, matrix, r.Config))
	r.ID = hex.EncodeToString(sum[:16])
	return r
}

// writer starts a journal of the run.
func writer(tb testing.TB, run *slurm.Run, chunk, job string) *journal.Writer {
	tb.Helper()
	w := testkit.Must(journal.Create(tb.Context(), run.Path(slurm.JournalsDir), chunk, job, 0, nil))
	tb.Cleanup(func() { w.Close() })
	return w
}

// Lines yields what the journals of a run hold, in their order.
func Lines(tb testing.TB, run *slurm.Run) iter.Seq2[journal.Name, journal.Line] {
	tb.Helper()
	names := testkit.Must(journal.List(run.Path(slurm.JournalsDir)))
	return func(yield func(journal.Name, journal.Line) bool) {
		for _, name := range names {
			for line, err := range journal.Read(context.Background(), run.Path(slurm.JournalsDir, name.String())) {
				if testkit.Succeed(tb, err); !yield(name, line) {
					return
				}
			}
		}
	}
}

// Database makes an empty database in the folder of a run.
func Database(tb testing.TB, dir string) {
	tb.Helper()
	testkit.Succeed(tb, testkit.Must(store.Open(filepath.Join(dir, slurm.DatabaseFile))).Close())
}

// Age makes the journals of a run as old as those of jobs are that Slurm has forgotten.
func Age(tb testing.TB, run *slurm.Run) {
	tb.Helper()
	old := time.Now().Add(-5 * time.Minute)
	for _, name := range testkit.Must(journal.List(run.Path(slurm.JournalsDir))) {
		os.Chtimes(run.Path(slurm.JournalsDir, name.String()), old, old)
	}
}

func AppendTo(tb testing.TB, path, text string) {
	tb.Helper()
	f := testkit.Must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	testkit.Must(f.WriteString(text))
	testkit.Succeed(tb, f.Close())
}

// Write starts a journal of a chunk with trials from, …, to-1 on its matrix.
func Write(tb testing.TB, run *slurm.Run, chunk int, job string, from, to int) *journal.Writer {
	tb.Helper()
	w := writer(tb, run, ChunkID(chunk), job)
	testkit.Succeed(tb, w.Matrix(tb.Context(), TestMatrix(MatrixName(chunk))))
	testkit.Succeed(tb, w.Begin(tb.Context(), TestRun()))
	for n := from; n < to; n++ {
		testkit.Succeed(tb, w.Record(tb.Context(), TestTrial(MatrixName(chunk), n)))
	}
	return w
}

// End writes that the chunk's only piece is complete, or why it is not.
func End(tb testing.TB, w *journal.Writer, matrix string, part trial.Part, reason string) {
	tb.Helper()
	testkit.Succeed(tb, w.End(journal.End{Reason: reason, At: time.Now(),
		Pieces: []trial.Piece{{Matrix: matrix, Part: part, Complete: reason == ""}}}))
}

// EndAll writes that all of a matrix is complete, which has n trials.
func EndAll(tb testing.TB, w *journal.Writer, matrix string, n int) {
	tb.Helper()
	ids := trial.ListOf(func(yield func(trial.Key) bool) {
		for i := range n {
			if !yield(trial.KeyOf(TestTrial(matrix, i).ID)) {
				return
			}
		}
	})
	testkit.Succeed(tb, w.End(journal.End{Reason: "complete", At: time.Now(),
		Pieces: []trial.Piece{{Matrix: matrix, Part: trial.Part{Of: 1}, Complete: true, IDs: ids}}}))
}
