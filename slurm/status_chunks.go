package slurm

import (
	"fmt"
	"strings"
)

// A place is where a chunk was submitted: a task of an array.
type place struct {
	sent Sent
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
		if j.Outcome != Submitted && j.Outcome != Intended {
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
func (t *Tracker) forgotten(v View) []JobID {
	places := t.places()
	seen := map[JobID]bool{}
	var ids []JobID
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
func (t *Tracker) chunks(v View) []ChunkStatus {
	lacks := map[string]Missing{}
	for _, m := range t.missing {
		lacks[m.Chunk] = m
	}
	split := map[string]bool{}
	for _, c := range t.plan.Chunks {
		if i := strings.LastIndexByte(c.ID, '.'); i > 0 {
			split[c.ID[:i]] = true
		}
	}
	places := t.places()
	var list []ChunkStatus
	for _, c := range t.plan.Chunks {
		if split[c.ID] {
			continue
		}
		s := ChunkStatus{Chunk: c.ID, State: ChunkDone}
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
func (t *Tracker) explain(s *ChunkStatus, places []place, v View, m Missing) {
	if len(places) == 0 {
		s.State, s.Why = ChunkNever, "was never submitted"
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
	if last.sent.Outcome == Intended {
		s.State, s.Why = ChunkUnclear, "may have been submitted or not: spmvtune retry finds out"
		return
	}
	s.Job, s.Log = last.job(), t.Run.Path(logsDir, last.job()+".log")
	if !known {
		if v.Silent != "" {
			s.State, s.Why = ChunkUnclear, "may run, wait or have ended: Slurm does not answer"
			return
		}
		if job, known = v.past[last.id()]; known && !job.State.Terminal() {
			known = false // squeue has forgotten it, so it is over
		}
	}
	// What an attempt before the last one said does not explain how that ended.
	own := m.Job == s.Job && (!known || m.At.IsZero() || !m.At.Before(job.Start))
	said := Missing{}
	if own {
		said = m
	}
	if !known {
		s.State, s.Why, s.OutOfTime = ChunkEnded, explainEnd(nil, own, said.Reason), said.OutOfTime
		return
	}
	s.Slurm, s.Reason, s.Node = job.State, job.Reason, job.Nodes
	switch {
	case job.State == Unknown:
		s.State, s.Why = ChunkUnclear, "is in a state of Slurm's that this program does not know"
	case waits(job.State):
		s.State, s.Why = ChunkWaiting, explainPending(job)
	case job.State.Active():
		s.State = ChunkRunning
	case s.Attempts == 0 && neverRan(job):
		s.State, s.Why = ChunkNever, explainNever(job)
	default:
		s.State, s.Why = ChunkEnded, explainEnd(&job, own, said.Reason)
		s.OutOfTime = job.State == TimedOut || said.OutOfTime && (job.State == Failed || job.State == Completed)
	}
}

// neverRan reports whether a job that has ended was never started.
func neverRan(j Job) bool {
	return j.Ran == 0 && (j.Nodes == "" || j.State == Cancelled || j.State == BootFail || j.State == LaunchFailed)
}

// waits reports whether a job in this state has no processes yet, or none any more
// until it is started again.
func waits(s State) bool {
	switch s {
	case Pending, Requeued, RequeueFed, RequeueHold, SpecialExit, ResvDelHold:
		return true
	}
	return false
}

// finish says how far the job is that ends the last round, and why it waits.
func (t *Tracker) finish(v View) (ChunkState, string) {
	var last *Sent
	for i, j := range t.jobs {
		if j.Finish() && (j.Outcome == Submitted || j.Outcome == Intended) {
			last = &t.jobs[i]
		}
	}
	if last == nil {
		return "", ""
	}
	job, known := v.jobs[taskID{last.JobID, last.Name, -1}]
	switch {
	case t.merged != nil && t.merged.Round >= last.Round:
		return ChunkDone, ""
	case last.Outcome == Intended, !known && v.Silent != "", known && job.State == Unknown:
		return ChunkUnclear, ""
	case known && waits(job.State):
		return ChunkWaiting, explainPending(job)
	case known && job.State.Active():
		return ChunkRunning, ""
	}
	return ChunkEnded, ""
}
