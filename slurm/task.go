// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/journal"
)

// A Task is the work of one task of an array, and the attempt at it.
type Task struct {
	Chunk Chunk
	// Job is Slurm's name for the task, the array's id and the index in it: "12_3". The
	// journals have it, too. That of a process that Slurm did not start is its Claim's.
	Job     string
	Attempt int    // Attempt counts from 0 how often Slurm has restarted the task.
	Node    string // Node is Slurm's name of the node.
	Claim   *Claim // Claim is nil for a task of an array.
}

// AdoptedJob stands for a job in the names of journals that a run has from an earlier one.
const AdoptedJob = "adopted"

// adoptedChunks are the chunks of which an earlier run has measured something.
func (r *Run) adoptedChunks() (map[string]bool, error) {
	names, err := journal.List(r.Path(JournalsDir))
	chunks := map[string]bool{}
	for _, n := range names {
		if n.Job == AdoptedJob {
			chunks[n.Chunk] = true
		}
	}
	return chunks, err
}

// Task finds out what this process has to do. Slurm's variables, which getenv returns, say
// which task of an array it is. base is the index in the round of the array's first task.
func (r *Run) Task(round, base int, getenv func(string) string) (t Task, err error) {
	t.Node = nodeName(getenv)
	array, index := getenv("SLURM_ARRAY_JOB_ID"), getenv("SLURM_ARRAY_TASK_ID")
	i, err := strconv.Atoi(index)
	if err != nil || array == "" {
		return t, errors.New("not inside a Slurm array task: SLURM_ARRAY_TASK_ID is not set; `spmvtune submit` " +
			"starts tasks, and --next or --chunk measures without them")
	}
	t.Job = array + "_" + index
	if restarts := getenv("SLURM_RESTART_COUNT"); restarts != "" {
		if t.Attempt, err = strconv.Atoi(restarts); err != nil || t.Attempt < 0 {
			return t, fmt.Errorf("SLURM_RESTART_COUNT is %q, not a number of restarts", restarts)
		}
	}
	t.Chunk, err = r.chunk(round, base, i, t.Job)
	return t, err
}

// chunk returns the chunk of task i of an array. task is the task's name.
func (r *Run) chunk(round, base, i int, task string) (Chunk, error) {
	chunks, err := r.Round(round)
	if err != nil {
		return Chunk{}, err
	}
	if i += base; base < 0 || i < 0 || i >= len(chunks) {
		return Chunk{}, fmt.Errorf("round %d has %d chunks, and task %s asks for number %d of them, from 0",
			round, len(chunks), task, i)
	}

	plan, err := r.Plan()
	if err != nil {
		return Chunk{}, err
	}
	c := plan.Chunk(chunks[i])
	if c == nil {
		return Chunk{}, fmt.Errorf("round %d has the chunk %s, which is not in %s: submit the sweep again",
			round, chunks[i], r.Path(planFile))
	}
	return *c, nil
}

// TaskSweep reads the run's copy of the sweep for a task. It refuses one that was edited. A matrix
// whose file is missing can't be loaded, but the others can be measured.
func (r *Run) TaskSweep() (*configs.Sweep, error) {
	text, err := r.asSubmitted(sweepFile)
	if err != nil {
		return nil, err
	}
	// A sweep that does not say its name has the name of its file.
	sweep, err := configs.ParseOnNode(filepath.Join(r.Base, r.Sweep+".toml"), r.Base, text)
	if err != nil {
		return nil, err
	}
	if err := r.useOwn(sweep); err != nil {
		return nil, err
	}
	sweep.Slurm = WithEnvironment(sweep.Slurm, func(name string) string { return r.Environment[name] })
	for i, m := range sweep.Matrices {
		switch path, known := r.Downloads[m.SuiteSparse]; {
		case !known:
		case path == "":
			sweep.Matrices[i] = m.AsTwin()
		default:
			sweep.Matrices[i] = m.Downloaded(path)
		}
	}

	return sweep, nil
}

// useOwn gives the sweep its own kernels as they were when it was submitted.
func (r *Run) useOwn(sweep *configs.Sweep) error {
	if len(sweep.Custom()) == 0 {
		return nil
	}
	text, err := r.asSubmitted(ownFile)
	if err != nil {
		return err
	}
	var list []kernels.Custom
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("reading %s: %w: %w; submit the sweep again", r.Path(ownFile), err, errDamaged)
	}
	return sweep.Use(list)
}
