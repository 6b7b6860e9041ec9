package slurmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// PerJournal is the number of trials in a generated journal.
const PerJournal = 500

// Generate writes the journal of a chunk. It does not wait for the disk after every line.
func Generate(tb testing.TB, run *slurm.Run, chunk int) {
	tb.Helper()
	name := MatrixName(chunk)
	w := writer(tb, run, ChunkID(chunk), "1_"+fmt.Sprint(chunk))
	slurmlab.Must(tb, w.Matrix(tb.Context(), TestMatrix(name)))
	slurmlab.Must(tb, w.Begin(tb.Context(), TestRun()))
	slurmlab.Must(tb, w.Close())
	var lines bytes.Buffer
	line := func(kind string, record any) {
		data, err := json.Marshal(record)
		slurmlab.Must(tb, err)
		lines.Write(journal.Checksummed(fmt.Appendf(nil, "%q:%s}", kind, data)))
	}
	for n := range PerJournal {
		line("trial", struct {
			Run int `json:"run"`
			trial.Result
		}{1, TestTrial(name, n)})
	}
	line("end", endOfAll(name, PerJournal))
	AppendTo(tb, w.Path(), lines.String())
}

// writer starts a journal of the run.
func writer(tb testing.TB, run *slurm.Run, chunk, job string) *journal.Writer {
	tb.Helper()
	w, err := journal.Create(tb.Context(), run.Path(slurm.JournalsDir), chunk, job, 0, journal.Options{})
	slurmlab.Must(tb, err)
	tb.Cleanup(func() { w.Close() })
	return w
}

func AppendTo(tb testing.TB, path, text string) {
	tb.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	slurmlab.Must(tb, err)
	_, err = f.WriteString(text)
	slurmlab.Must(tb, err)
	slurmlab.Must(tb, f.Close())
}

// Write starts a journal of a chunk with trials from, …, to-1 on its matrix.
func Write(tb testing.TB, run *slurm.Run, chunk int, job string, from, to int) *journal.Writer {
	tb.Helper()
	w := writer(tb, run, ChunkID(chunk), job)
	slurmlab.Must(tb, w.Matrix(tb.Context(), TestMatrix(MatrixName(chunk))))
	slurmlab.Must(tb, w.Begin(tb.Context(), TestRun()))
	for n := from; n < to; n++ {
		slurmlab.Must(tb, w.Record(tb.Context(), TestTrial(MatrixName(chunk), n)))
	}
	return w
}

// End writes that the chunk's only piece is complete, or why it is not.
func End(tb testing.TB, w *journal.Writer, matrix string, part trial.Part, reason string) {
	tb.Helper()
	slurmlab.Must(tb, w.End(journal.End{Reason: reason, At: time.Now(),
		Pieces: []trial.Piece{{Matrix: matrix, Part: part, Complete: reason == ""}}}))
}

// EndAll writes that all of a matrix is complete, which has n trials.
func EndAll(tb testing.TB, w *journal.Writer, matrix string, n int) {
	tb.Helper()
	slurmlab.Must(tb, w.End(endOfAll(matrix, n)))
}

// endOfAll says that all of a matrix is complete, which has n trials.
func endOfAll(matrix string, n int) journal.End {
	ids := trial.ListOf(func(yield func(trial.Key) bool) {
		for i := range n {
			if !yield(trial.KeyOf(TestTrial(matrix, i).ID)) {
				return
			}
		}
	})
	return journal.End{Reason: "complete", At: time.Now(),
		Pieces: []trial.Piece{{Matrix: matrix, Part: trial.Part{Of: 1}, Complete: true, IDs: ids}}}
}
