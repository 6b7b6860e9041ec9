// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

func idOf(s slurm.Slot) taskID { return taskID{s.Job.JobID, s.Job.Name, s.Task} }

// tasks returns the slots of a chunk that are tasks, or may be, and the rounds about which the ledger does not say
// whether there is a task of it.
func (t *Tracker) tasks(chunk string) (tasks []slurm.Slot, unknown []int) {
	for _, s := range t.slots[chunk] {
		switch {
		case s.Job == nil:
			unknown = append(unknown, s.Round)
		case s.Job.Exists():
			tasks = append(tasks, s)
		}
	}
	return tasks, unknown
}

// forgotten returns the arrays with a task that left a chunk undone and that squeue no longer
// knows.
func (t *Tracker) forgotten(v View) (ids []sbatch.JobID) {
	for _, m := range t.missing {
		tasks, _ := t.tasks(m.Chunk)
		for _, s := range tasks {
			_, known := v.jobs[idOf(s)]
			if !known && s.Job.ID != "" && !slices.Contains(ids, s.Job.JobID) {
				ids = append(ids, s.Job.JobID)
			}
		}
	}
	return ids
}

// chunks returns the state of all current chunks of the plan.
func (t *Tracker) chunks(v View) []Chunk {
	missing := lists.Keyed(t.missing, func(m slurm.Missing) (string, slurm.Missing) { return m.Chunk, m })

	var list []Chunk
	for _, c := range t.plan.Current() {
		s := Chunk{Chunk: c.ID, State: Done}
		for _, p := range c.Pieces {
			if n := len(s.Matrices); n == 0 || s.Matrices[n-1] != p.Matrix {
				s.Matrices = append(s.Matrices, p.Matrix)
			}
		}
		if m, open := missing[c.ID]; open {
			s.Attempts = m.Attempts
			t.explain(&s, v, m)
			s.blameMemory()
		}
		list = append(list, s)
	}

	return list
}

// unsaid is why nothing is known of a task.
const unsaid = "Slurm does not say"

// justWritten is how long a journal tells of a task. Slurm forgets jobs after more, MinJobAge.
const justWritten = 2 * time.Minute

// contradicted says which journal was written to by a task of which Slurm knows nothing; "" if there is none.
func (t *Tracker) contradicted(v View) string {
	all := slices.Concat(v.stray, slices.Collect(maps.Values(v.jobs)), slices.Collect(maps.Values(v.past)))
	known := lists.Keyed(all, func(j sbatch.Job) (string, bool) { return fmt.Sprintf("%s_%d", j.ID, j.Task), true })
	for _, m := range t.missing {
		info, err := os.Stat(t.Run.Path(slurm.JournalsDir, m.Journal))
		if strings.Contains(m.Job, "_") && !known[m.Job] && m.At.IsZero() && err == nil && info.Mode().IsRegular() &&
			t.now.Sub(info.ModTime()) < justWritten {
			return fmt.Sprintf("Slurm knows no job %s, which has just written to journal %s: try again in some minutes",
				m.Job, m.Journal)
		}
	}
	return ""
}

// explain says why a chunk is not done. m is what its journals know.
func (t *Tracker) explain(s *Chunk, v View, m slurm.Missing) {
	claim, claimed := t.claims[s.Chunk]
	tasks, unknown := t.tasks(s.Chunk)
	if claim.Live || claimed && len(tasks)+len(unknown) == 0 {
		s.explainClaim(claim, m)
		return
	}
	if t.explainUnlisted(s, unknown, v) {
		return
	}
	if len(tasks) == 0 {
		t.explainUnsent(s, v, len(unknown) > 0)
		return
	}

	last, job := decisive(tasks, v)
	if last.Job.Outcome == slurm.Intended {
		s.State, s.Why = Unclear, "may or may not have been submitted: spmvtune retry finds out"
		return
	}

	s.Mem = last.Job.Option("mem")
	s.Job, s.Log = last.Name(), t.Run.Path(slurm.LogsDir, last.Name()+".log")
	if job == nil && v.Silent != "" {
		s.State, s.Why = Unclear, "may run, wait or have ended: "+unsaid
		return
	}

	if past, known := v.past[idOf(last)]; job == nil && known && past.State.Terminal() {
		job = &past // what squeue has forgotten is over
	}

	if job == nil && s.hiddenFrom(last.Job.User, v) {
		return
	}

	// Only the last attempt can say how it ended.
	own := m.Job == s.Job && (job == nil || m.At.IsZero() || !m.At.Before(job.Start))
	said := slurm.Missing{}
	if own {
		said = m
	}
	if job == nil {
		s.State, s.Why, s.OutOfTime = Ended, explainEnd(nil, said), said.OutOfTime
		return
	}

	s.Slurm, s.Reason, s.Node = job.State, job.Reason, job.Nodes
	s.explainJob(*job, said)
	if _, err := os.Stat(s.Log); s.State == Ended && !own && s.Node != "" && errors.Is(err, fs.ErrNotExist) {
		s.Why += ", and left neither a log nor a journal: does its node see " + t.Run.Dir + "?"
	}
}

// explainClaim says why a chunk is not done that a process outside of arrays has claimed.
func (s *Chunk) explainClaim(c slurm.Claim, m slurm.Missing) {
	s.Job, s.Node = c.Job(), c.Node
	switch {
	case c.Live:
		s.State = Running
	case !c.Ended:
		s.State, s.Why = Ended, "was killed, or its machine failed"
	default:
		s.State, s.Why, s.OutOfTime = Ended, explainEnd(&sbatch.Job{State: sbatch.Completed}, m), m.OutOfTime
	}
}

// explainUnsent says why a chunk is not done for which the ledger has no job. lost says that it may have lost
// the line about it.
func (t *Tracker) explainUnsent(s *Chunk, v View, lost bool) {
	forgetful := t.ledger.Forgetful
	switch {
	case (lost || forgetful) && v.Silent != "":
		s.State, s.Why = Unclear, "may run, wait or have ended: "+unsaid
	case s.Attempts > 0:
		s.State, s.Why = Ended, "ended, and "+slurm.LedgerFile+" has lost the line about it"
	case forgetful:
		s.State, s.Why = Never, "has no job, and the run has lost the record of whether it had one"
	default:
		s.State, s.Why, s.Unsent = Never, "was never submitted", t.ledger.LastRound() > 0
	}
}

// decisive returns the slot that decides about a chunk, and what squeue says about it, nil for
// nothing. It is the last one, unless that is over and an earlier one is not.
func decisive(slots []slurm.Slot, v View) (slurm.Slot, *sbatch.Job) {
	var last *sbatch.Job
	for i, s := range slices.Backward(slots) {
		job, known := v.jobs[idOf(s)]
		if known && !job.State.Terminal() {
			return s, &job
		}
		if known && i == len(slots)-1 {
			last = &job
		}
	}

	return slots[len(slots)-1], last
}

// explainJob says why a chunk is not done by the state of its last task, and by what its journal says, if it left one.
func (s *Chunk) explainJob(job sbatch.Job, said slurm.Missing) {
	switch {
	case job.State == sbatch.Unknown:
		s.State, s.Why = Unclear, "is in a state of Slurm's that this program does not know"
	case waits(job.State):
		s.State, s.Why = Waiting, explainPending(job)
	case job.State.Active():
		s.State = Running
	case s.Attempts == 0 && neverRan(job):
		s.State, s.Why = Never, explainNever(job)
	default:
		s.State, s.Why = Ended, explainEnd(&job, said)
		s.OutOfTime = job.State == sbatch.TimedOut ||
			said.OutOfTime && (job.State == sbatch.Failed || job.State == sbatch.Completed)
	}
}

// neverRan reports whether a job that has ended was never started.
func neverRan(j sbatch.Job) bool {
	unstarted := []sbatch.State{sbatch.Cancelled, sbatch.BootFail, sbatch.LaunchFailed}
	return j.Ran == 0 && (j.Nodes == "" || slices.Contains(unstarted, j.State))
}

// waits reports whether a job in this state has no processes until Slurm starts it, perhaps
// again.
func waits(s sbatch.State) bool {
	return slices.Contains([]sbatch.State{sbatch.Pending, sbatch.Requeued, sbatch.RequeueFed, sbatch.RequeueHold,
		sbatch.SpecialExit, sbatch.ResvDelHold}, s)
}

// finish says in what state the job is that ends the last round, and why it waits.
func (s *Status) finish(t *Tracker, v View) {
	jobs := lists.Where(t.ledger.Jobs, func(j slurm.Sent) bool { return j.Finish() && j.Exists() })
	if len(jobs) == 0 {
		return
	}
	last := jobs[len(jobs)-1]
	job, known := v.jobs[taskID{last.JobID, last.Name, -1}]
	switch hidden := !known && v.hides(last.User); {
	case t.ledger.Merge != nil && t.ledger.Merge.Round >= last.Round:
		s.Finish = Done
	case hidden:
		s.Finish = Unclear
		s.hide(last.User, last.ID)
	case last.Outcome == slurm.Intended, !known && v.Silent != "", known && job.State == sbatch.Unknown:
		s.Finish = Unclear
	case known && waits(job.State):
		s.Finish, s.Waits = Waiting, explainPending(job)
	case known && job.State.Active():
		s.Finish = Running
	default:
		s.Finish = Ended
	}
}
