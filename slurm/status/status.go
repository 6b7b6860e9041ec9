// SPDX-License-Identifier: Apache-2.0

// Package status says how far a run is. The journals say what is done, and Slurm, where it
// answers, explains the rest.
//
// A Tracker reads the folder of a run, and an Observer asks Slurm about the jobs of several
// runs. Together they give a Status.
package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// A Status says how far a run is.
type Status struct {
	Name    string       `json:"name"` // Name is the name of the folder and of the jobs.
	Dir     string       `json:"dir"`
	Created time.Time    `json:"created"` // Created is in UTC.
	Counts  Counts       `json:"counts"`
	Trials  slurm.Trials `json:"trials"`
	// Rate is the number of trials per second in the last minutes; 0 if there were none.
	Rate float64 `json:"rate"`
	// Left is the remaining time in seconds at this rate; 0 if it is not known.
	Left   float64 `json:"left"`
	Best   []Best  `json:"best,omitempty"`
	Chunks []Chunk `json:"chunks"`
	// Gathered are the nodes on which tasks failed alike; retry avoids them.
	Gathered []Gathering `json:"gathered,omitempty"`
	// Finish is the state of the last round's job that merges; "" if there is none.
	Finish State `json:"finish,omitempty"`
	// Waits says in plain words why that job waits.
	Waits string `json:"waits,omitempty"`
	// Faulty are the journals of which something can't be used.
	Faulty []slurm.Fault `json:"faulty,omitempty"`
	// DamagedJobs is the number of lines in the ledger that can't be used.
	DamagedJobs int          `json:"damaged_jobs,omitempty"`
	Merged      *slurm.Merge `json:"merged,omitempty"` // Merged is nil before the first merge.
	// Silent says why Slurm does not answer, or is not believed; "" if it does, or was not asked.
	Silent string `json:"silent,omitempty"`
	// Fault says why the folder can't be read. Nothing else is known then.
	Fault string `json:"fault,omitempty"`
	// Plan is the plan that the chunks are of.
	Plan slurm.Plan `json:"-"`
	// Hidden are the ids of jobs that may run and that Slurm does not show, as far as they are known, by the user who
	// sent them.
	Hidden map[string][]string `json:"-"`
}

// Counts are the numbers of chunks in each state.
type Counts struct {
	Done    int `json:"done"`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Ended   int `json:"ended"`
	Never   int `json:"never"`
	Unclear int `json:"unclear"`
	All     int `json:"all"`
}

func (c *Counts) add(s State) {
	c.All++
	*map[State]*int{
		Done: &c.Done, Running: &c.Running, Waiting: &c.Waiting, Ended: &c.Ended, Never: &c.Never, Unclear: &c.Unclear,
	}[s]++
}

// A State says how far a chunk is.
type State string

const (
	Done    State = "done"    // its journals hold every trial
	Running State = "running" // a task measures it
	Waiting State = "waiting" // Slurm will start its task, perhaps again
	Ended   State = "ended"   // its task ended without completing it
	Never   State = "never"   // no task of it ever started, and none waits
	Unclear State = "unclear" // it is not done, and Slurm does not say whether it has a task
)

// A Chunk says how far a chunk of the plan is.
type Chunk struct {
	Chunk    string   `json:"chunk"` // Chunk is the ID in the plan.
	Matrices []string `json:"matrices"`
	State    State    `json:"state"`
	// Why says in plain words what is known about its task, while it is not done.
	Why string `json:"why,omitempty"`
	Job string `json:"job,omitempty"` // Job is its last task: "12_3".
	// Slurm is the last state of that task; "" if Slurm does not know it.
	Slurm sbatch.State `json:"slurm,omitempty"`
	// Reason says in Slurm's words why that task waits or failed.
	Reason   string `json:"reason,omitempty"`
	Node     string `json:"node,omitempty"`
	Attempts int    `json:"attempts"` // Attempts is the number of its journals.
	// OutOfTime says that its last task ended because its time limit was near.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// OutOfMemory says that its last task was killed for its use of memory, of which it had asked for Mem.
	OutOfMemory bool   `json:"out_of_memory,omitempty"`
	Mem         string `json:"mem,omitempty"`
	Log         string `json:"log,omitempty"` // Log is the path of that task's log.
	// Unsent says that no submission has reached it yet.
	Unsent bool   `json:"-"`
	hidden string // hidden is another user whose job may measure it, which Slurm does not show.
}

// Active reports whether anything about the run may still happen by itself.
func (s Status) Active() bool {
	return s.Counts.Running+s.Counts.Waiting+s.Counts.Unclear > 0 ||
		s.Finish == Running || s.Finish == Waiting || s.Finish == Unclear
}

// Status combines what was read last with what Slurm says.
func (t *Tracker) Status(v View) Status {
	if t.err != nil {
		return Status{Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created, Fault: t.err.Error()}
	}
	if v.Silent == "" {
		v.Silent = t.contradicted(v)
	}
	s := Status{
		Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created,
		Trials: t.trials(), Best: t.bests(), Chunks: t.chunks(v), Merged: t.ledger.Merge, Silent: v.Silent,
		DamagedJobs: t.ledger.Damaged, Plan: t.plan, Hidden: map[string][]string{},
	}

	s.Gathered = t.gather(s.Chunks)
	s.finish(t, v)
	for i := range s.Chunks {
		c := &s.Chunks[i]
		switch {
		case !c.Unsent:
		case s.Finish == Waiting && !strings.HasSuffix(s.Waits, never), s.Finish == Running:
			c.State, c.Why = Waiting, "is sent by the job that merges, which "+cmp.Or(s.Waits, "runs")
		case s.Finish == Unclear:
			c.State, c.Why = Unclear, "may have been sent by the job that merges: "+unsaid
		}
		s.Counts.add(c.State)
		id, _, _ := strings.Cut(c.Job, "_")
		s.hide(c.hidden, id)
	}
	s.Rate = t.pace.rate(time.Now())
	if left := s.Trials.Of - s.Trials.Done; s.Rate > 0 && left > 0 {
		s.Left = float64(left) / s.Rate
	}

	s.Faulty = t.Run.Faults(slices.SortedFunc(maps.Values(t.journals), func(a, b *slurm.File) int {
		return cmp.Compare(a.Name.String(), b.Name.String())
	}), t.missing)
	return s
}

// hide notes a job of a user, if one is hidden. Its id may be unknown.
func (s *Status) hide(user, id string) {
	if user != "" {
		ids := s.Hidden[user]
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		s.Hidden[user] = ids
	}
}

// Best is the fastest trial so far in one place.
type Best struct {
	Device    string            `json:"device"`
	Matrix    string            `json:"matrix"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
	Kernel    string            `json:"kernel"`
	Setting   string            `json:"setting"` // Setting is the rest of the configuration.
	Seconds   float64           `json:"seconds"` // Seconds is the time of one product.
	GFLOPS    float64           `json:"gflops"`
}

// count takes in a trial of a journal. A trial that several journals have counts once.
//
// One program measures a run, under one protocol, so that a configuration has one identity in
// each place, and all its results are of one measurement version.
func (t *Tracker) count(family string, line *journal.Trial) {
	if line.IsRerun() {
		return
	}
	key := trial.KeyOf(line.ID)
	precedence := line.Precedence()

	t.mu.Lock()
	defer t.mu.Unlock()
	before, known := t.ended[key]
	if !known {
		t.families[family]++
		t.pace.add(line.Run.At, line.At)
	}

	if !known || precedence.Replaces(trial.Precedence{Status: before}) {
		t.ended[key] = line.Status
	}
	if !precedence.Good() || line.Median <= 0 {
		return
	}
	t.measured[line.Run.Origin.Node] = true
	at := trial.Case{
		Device: line.Run.Device.Name, Matrix: line.Matrix.Name, Precision: line.Precision, Cache: line.Cache,
	}
	if best, ok := t.best[at]; !ok || line.Median < best.Seconds {
		t.best[at] = Best{
			Device: at.Device, Matrix: at.Matrix, Precision: at.Precision, Cache: at.Cache,
			Kernel: line.Kernel, Setting: strings.Join(line.Settings(), " "),
			Seconds: line.Median, GFLOPS: 2e-9 * float64(line.Matrix.Features.Nonzeros) / line.Median,
		}
	}
}

// trials counts the trials that are done, and estimates how many there are. The journals know
// that of a family of chunks that is complete; otherwise the plan has an estimate.
func (t *Tracker) trials() slurm.Trials {
	if t.glance {
		return t.ledger.Merge.Trials
	}
	var n slurm.Trials
	for _, status := range t.ended {
		n.Add(status, 1)
	}

	open := lists.Keyed(t.missing, func(m slurm.Missing) (string, bool) { return journal.Family(m.Chunk), true })
	for _, c := range t.plan.Chunks {
		if journal.Family(c.ID) != c.ID {
			continue // a half, which the whole chunk already counts
		}
		n.Of += t.families[c.ID]
		if open[c.ID] {
			n.Of += max(0, c.Trials-t.families[c.ID])
		}
	}

	return n
}

// bests returns the fastest trials by device, matrix, precision and cache state.
func (t *Tracker) bests() []Best {
	return slices.SortedFunc(maps.Values(t.best), func(a, b Best) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
			cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache))
	})
}

// A pace says how many trials ended in each interval of paceStep, and when the first attempt at one of these began.
type pace map[int64]struct {
	trials int
	began  time.Time
}

const (
	paceStep   = 10 * time.Second
	paceWindow = 10 * time.Minute // long enough for a few of the slowest trials
)

// add counts a trial that ended at a time. Its attempt began at another.
func (p pace) add(began, at time.Time) {
	i := at.UnixNano() / int64(paceStep)
	s := p[i]
	if s.trials++; s.trials == 1 || began.Before(s.began) {
		s.began = began
	}
	p[i] = s
}

// rate returns the number of trials per second in the last minutes, 0 if there were none.
// The time before the first attempt, as after a long pause, does not count.
func (p pace) rate(now time.Time) float64 {
	first, began, n := now.Add(-paceWindow), now, 0
	for step, s := range p {
		if step < first.UnixNano()/int64(paceStep) {
			continue
		}
		if n += s.trials; s.began.Before(began) {
			began = s.began
		}
	}
	if began.Before(first) {
		began = first
	}
	return float64(n) / max(now.Sub(began), time.Second).Seconds()
}

// A Gathering says that tasks failed alike on a node, and that the node is to blame.
type Gathering struct {
	Node string `json:"node"`
	// Why is what became of each task, as in Chunk.
	Why    string   `json:"why"`
	Chunks []string `json:"chunks"`
}

// gather finds nodes on which two tasks or more failed alike, if tasks did not fail so on others, or
// others have measured something and these have not.
func (t *Tracker) gather(chunks []Chunk) []Gathering {
	type kind struct{ node, why string }
	found := map[kind]*Gathering{}
	nodes := map[string]int{} // nodes are the numbers of nodes by why.
	for _, c := range chunks {
		if c.State != Ended && c.State != Never || c.Node == "" || c.OutOfMemory || !nodesFault(c.Slurm) {
			continue
		}
		at := kind{c.Node, strings.ReplaceAll(strings.ReplaceAll(c.Why, t.Run.Dir, "RUN"), c.Node, "its node")}
		if found[at] == nil {
			found[at] = &Gathering{Node: c.Node, Why: c.Why}
			nodes[at.why]++
		}
		found[at].Chunks = append(found[at].Chunks, c.Chunk)
	}

	var all []Gathering
	for at, g := range found {
		others := len(t.measured) > 0 && !t.measured[at.node]
		if len(g.Chunks) > 1 && (nodes[at.why] == 1 || others) {
			all = append(all, *g)
		}
	}
	slices.SortFunc(all, func(a, b Gathering) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Why, b.Why))
	})
	return slices.CompactFunc(all, func(a, b Gathering) bool { return a.Node == b.Node })
}

// nodesFault reports whether a job may have ended in a state because of its node.
func nodesFault(s sbatch.State) bool {
	return slices.Contains([]sbatch.State{sbatch.Failed, sbatch.NodeFail, sbatch.BootFail, sbatch.LaunchFailed}, s)
}

// Nodes returns the names of the nodes of chunks, sorted.
func Nodes(chunks []Chunk) []string {
	nodes := lists.Distinct(chunks, func(c Chunk) string { return c.Node })
	slices.Sort(nodes)
	return slices.DeleteFunc(nodes, func(name string) bool { return name == "" })
}
