package slurmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/trial"
)

// Hasty is a client that does not wait for long.
var Hasty = &sbatch.Client{Timeout: time.Second, Pause: 10 * time.Millisecond, Patience: 5 * time.Second}

// NewRun makes the folder of a run with a plan of some chunks, "0001" and so on. Each is all of a
// matrix, "m1" and so on.
func NewRun(tb testing.TB, chunks int) *slurm.Run {
	tb.Helper()
	run := &slurm.Run{Dir: tb.TempDir(), Info: slurm.Info{Sweep: "quick", ID: "20260102-abcd", Base: "/",
		Version: "test",
		Created: time.Now().UTC()}}
	slurmlab.Must(tb, os.Mkdir(run.Path(slurm.JournalsDir), 0o777))
	var plan slurm.Plan
	for i := range chunks {
		plan.Chunks = append(plan.Chunks,
			slurm.Chunk{ID: ChunkID(i), Pieces: []slurm.Piece{{Matrix: MatrixName(i), Part: trial.Part{Of: 1}}},
				Trials: PerJournal})
	}
	writePlan(tb, run, plan)
	data, err := json.Marshal(run.Info)
	slurmlab.Must(tb, err)
	slurmlab.Must(tb, os.WriteFile(run.Path("run.json"), data, 0o666))
	return run
}

func writePlan(tb testing.TB, run *slurm.Run, plan slurm.Plan) {
	tb.Helper()
	data, err := json.Marshal(plan)
	slurmlab.Must(tb, err)
	slurmlab.Must(tb, os.WriteFile(run.Path("plan.json"), data, 0o666))
}

func ChunkID(i int) string    { return fmt.Sprintf("%04d", i+1) }
func MatrixName(i int) string { return fmt.Sprintf("m%d", i+1) }

// SmallSweep is a sweep for tests of jobs.
func SmallSweep(s configs.Slurm) *configs.Sweep {
	return &configs.Sweep{Name: "small", Path: "small.toml", Text: []byte("name = \"small\"\n"), Slurm: s}
}

// Created makes a run in a folder below root. Its tasks run a script instead of the program.
func Created(t *testing.T, root string, s configs.Slurm, chunks int, script string) *slurm.Run {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	slurmlab.Must(t, os.WriteFile(program, []byte("#!/bin/bash\n"+script+"\n"), 0o777))
	var plan slurm.Plan
	for i := range chunks {
		plan.Chunks = append(plan.Chunks,
			slurm.Chunk{ID: ChunkID(i), Pieces: []slurm.Piece{{Matrix: MatrixName(i), Part: trial.Part{Of: 1}}},
				Trials: 1})
	}
	run, err := slurm.Create(root, SmallSweep(s), plan, program, "test")
	slurmlab.Must(t, err)
	return run
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
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o666))
}

// StatusRun makes a run of nine chunks. The first seven were submitted as array 12, which job 13
// follows. The eighth was refused, and nobody knows what became of the ninth. Chunk 1 is
// complete; 2 and 4 have journals.
func StatusRun(t *testing.T) *slurm.Run {
	t.Helper()
	run := Created(t, t.TempDir(), configs.Slurm{}, 9, "exit 0")
	var ids []string
	for i := range 9 {
		ids = append(ids, ChunkID(i))
	}
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
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: b.Batch, Outcome: b.outcome, JobID: sbatch.JobID{ID: b.id}}, nil))
	}
	slurmlab.Must(t, run.WriteRound(1, ids))
	done := Write(t, run, 0, "12_0", 0, 5)
	End(t, done, "m1", trial.Part{Of: 1}, "")
	Write(t, run, 1, "12_1", 0, 3)
	late := Write(t, run, 3, "12_3", 0, 2)
	End(t, late, "m4", trial.Part{Of: 1}, "ended by SIGTERM")
	slurmlab.Must(t, os.WriteFile(run.Path(slurm.LogsDir, "12_3.log"), []byte("one\n\ntwo\nthree\n"), 0o666))
	return run
}
