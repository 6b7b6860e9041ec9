package status

import (
	"fmt"

	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/sbatch"
)

// A place is where a chunk was submitted: a task of an array.
type place struct {
	sent slurm.Sent
	task int
}

func (p place) id() taskID { return taskID{p.sent.JobID, p.sent.Name, p.task} }

// job names a task as Slurm does: "12_3".
func (p place) job() string { return fmt.Sprintf("%s_%d", p.sent.ID, p.task) }

// places finds where each chunk was submitted, the latest last. Submissions that
// were refused or got lost made no job.
func (t *Tracker) places() map[string][]place {
	all := map[string][]place{}
	for _, j := range t.jobs {
		if j.Outcome != slurm.Submitted && j.Outcome != slurm.Intended {
			continue
		}
		chunks := t.rounds[j.Round]
		for i := range j.Tasks {
			if at := j.Base + i; at < len(chunks) {
				all[chunks[at]] = append(all[chunks[at]], place{j, i})
			}
		}
	}
	return all
}

// forgotten are the arrays with a task that left a chunk undone, and that squeue does
// not know any more.
func (t *Tracker) forgotten(v View) []sbatch.JobID {
	places := t.places()
	seen := map[sbatch.JobID]bool{}
	var ids []sbatch.JobID
	for _, m := range t.missing {
		for _, p := range places[m.Chunk] {
			if _, known := v.jobs[p.id()]; !known && p.sent.ID != "" && !seen[p.sent.JobID] {
				seen[p.sent.JobID] = true
				ids = append(ids, p.sent.JobID)
			}
		}
	}
	return ids
}

// chunks are all chunks of the plan, less those that were split.
func (t *Tracker) chunks(v View) []Chunk {
	lacks := map[string]merge.Missing{}
	for _, m := range t.missing {
		lacks[m.Chunk] = m
	}
	places := t.places()
	var list []Chunk
	for _, c := range t.plan.Current() {
		s := Chunk{Chunk: c.ID, State: Done}
		for _, p := range c.Pieces {
			if n := len(s.Matrices); n == 0 || s.Matrices[n-1] != p.Matrix {
				s.Matrices = append(s.Matrices, p.Matrix)
			}
		}
		if m, open := lacks[c.ID]; open {
			s.Attempts = m.Attempts
			t.explain(&s, places[c.ID], v, m)
		}
		list = append(list, s)
	}
	return list
}

// explain says why a chunk is not done: as far as its journals know, that is in m.
func (t *Tracker) explain(s *Chunk, places []place, v View, m merge.Missing) {
	if len(places) == 0 {
		s.State, s.Why = Never, "was never submitted"
		return
	}
	at := len(places) - 1
	job, known := v.jobs[places[at].id()]
	for i := at - 1; i >= 0 && (!known || job.State.Terminal()); i-- {
		// An earlier task that is not over counts more than a later one that is.
		if j, ok := v.jobs[places[i].id()]; ok && !j.State.Terminal() {
			at, job, known = i, j, true
		}
	}
	last := places[at]
	if last.sent.Outcome == slurm.Intended {
		s.State, s.Why = Unclear, "may have been submitted or not: spmvtune retry finds out"
		return
	}
	s.Job, s.Log = last.job(), t.Run.Path(slurm.LogsDir, last.job()+".log")
	if !known {
		if v.Silent != "" {
			s.State, s.Why = Unclear, "may run, wait or have ended: Slurm does not answer"
			return
		}
		if job, known = v.past[last.id()]; known && !job.State.Terminal() {
			known = false // squeue has forgotten it, so it is over
		}
	}
	// What an attempt before the last one said does not explain how that ended.
	own := m.Job == s.Job && (!known || m.At.IsZero() || !m.At.Before(job.Start))
	said := merge.Missing{}
	if own {
		said = m
	}
	if !known {
		s.State, s.Why, s.OutOfTime = Ended, explainEnd(nil, own, said.Reason), said.OutOfTime
		return
	}
	s.Slurm, s.Reason, s.Node = job.State, job.Reason, job.Nodes
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
		s.State, s.Why = Ended, explainEnd(&job, own, said.Reason)
		s.OutOfTime = job.State == sbatch.TimedOut || said.OutOfTime && (job.State == sbatch.Failed || job.State == sbatch.Completed)
	}
}

// neverRan reports whether a job that has ended was never started.
func neverRan(j sbatch.Job) bool {
	return j.Ran == 0 && (j.Nodes == "" || j.State == sbatch.Cancelled || j.State == sbatch.BootFail || j.State == sbatch.LaunchFailed)
}

// waits reports whether a job in this state has no processes yet, or none any more
// until it is started again.
func waits(s sbatch.State) bool {
	switch s {
	case sbatch.Pending, sbatch.Requeued, sbatch.RequeueFed, sbatch.RequeueHold, sbatch.SpecialExit, sbatch.ResvDelHold:
		return true
	}
	return false
}

// finish says how far the job is that ends the last round, and why it waits.
func (t *Tracker) finish(v View) (State, string) {
	var last *slurm.Sent
	for i, j := range t.jobs {
		if j.Finish() && (j.Outcome == slurm.Submitted || j.Outcome == slurm.Intended) {
			last = &t.jobs[i]
		}
	}
	if last == nil {
		return "", ""
	}
	job, known := v.jobs[taskID{last.JobID, last.Name, -1}]
	switch {
	case t.merged != nil && t.merged.Round >= last.Round:
		return Done, ""
	case last.Outcome == slurm.Intended, !known && v.Silent != "", known && job.State == sbatch.Unknown:
		return Unclear, ""
	case known && waits(job.State):
		return Waiting, explainPending(job)
	case known && job.State.Active():
		return Running, ""
	}
	return Ended, ""
}
