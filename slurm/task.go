package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"spmvtune/configs"
	"spmvtune/tuner/journal"
)

// A Task is what one task of an array is to do, and which attempt at it this is.
type Task struct {
	Chunk   Chunk
	Job     string // the array's id and the index in it, "12_3": Slurm's name for the task, and the journals'
	Attempt int    // from 0: how often Slurm has restarted the task
	Node    string // its name, as Slurm has it
}

// Task finds what this process is to do: Slurm's variables, which getenv gives,
// say which task it is of an array of a round, whose first task has the place base
// in the round.
func (r *Run) Task(round, base int, getenv func(string) string) (Task, error) {
	t := Task{Node: getenv("SLURMD_NODENAME")}
	if t.Node == "" {
		t.Node, _ = os.Hostname() // "" says nothing, and nothing depends on it
	}
	array, index := getenv("SLURM_ARRAY_JOB_ID"), getenv("SLURM_ARRAY_TASK_ID")
	i, err := strconv.Atoi(index)
	if err != nil || array == "" {
		return t, errors.New("not inside a Slurm array task: SLURM_ARRAY_TASK_ID is not set; `spmvtune submit` starts tasks")
	}
	t.Job = array + "_" + index
	if restarts := getenv("SLURM_RESTART_COUNT"); restarts != "" {
		if t.Attempt, err = strconv.Atoi(restarts); err != nil || t.Attempt < 0 {
			return t, fmt.Errorf("SLURM_RESTART_COUNT is %q, not a number of restarts", restarts)
		}
	}
	chunks, err := r.Round(round)
	if err != nil {
		return t, err
	}
	if i += base; base < 0 || i < 0 || i >= len(chunks) {
		return t, fmt.Errorf("round %d has %d chunks, and task %s asks for number %d of them, from 0", round, len(chunks), t.Job, i)
	}
	plan, err := r.Plan()
	if err != nil {
		return t, err
	}
	at := slices.IndexFunc(plan.Chunks, func(c Chunk) bool { return c.ID == chunks[i] })
	if at < 0 {
		return t, fmt.Errorf("round %d has the chunk %s, which is not in %s: submit the sweep again", round, chunks[i], r.Path(planFile))
	}
	t.Chunk = plan.Chunks[at]
	return t, nil
}

// TaskSweep reads the run's copy of the sweep for a task. Where a file is missing, its
// matrix can't be loaded; the others can be measured.
func (r *Run) TaskSweep() (*configs.Sweep, error) {
	text, err := os.ReadFile(r.Path(sweepFile))
	if err != nil {
		return nil, fmt.Errorf("reading the sweep of the run: %w", err)
	}
	// A sweep that does not say its name has that of its file.
	sweep, err := configs.ParseOnNode(filepath.Join(r.Base, r.Sweep+".toml"), r.Base, text)
	if err != nil {
		return nil, err
	}
	for i, m := range sweep.Matrices {
		sweep.Matrices[i] = r.settled(m)
	}
	return sweep, nil
}

// settled returns m as it was settled when the run was submitted.
func (r *Run) settled(m configs.Matrix) configs.Matrix {
	switch path, known := r.Downloads[m.SuiteSparse]; {
	case !known:
		return m
	case path == "":
		return m.AsTwin()
	default:
		return m.Downloaded(path)
	}
}

// Journal starts a journal of an attempt at a task.
func (r *Run) Journal(ctx context.Context, t Task, opt journal.Options) (*journal.Writer, error) {
	return journal.Create(ctx, r.Path(JournalsDir), t.Chunk.ID, t.Job, t.Attempt, opt)
}
