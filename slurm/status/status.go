package status

import (
	"time"

	"spmvtune/slurm/merge"
	"spmvtune/slurm/sbatch"
)

// A Status says how far a run is.
type Status struct {
	Name    string       `json:"name"` // Name is the name of the folder and of the jobs.
	Dir     string       `json:"dir"`
	Created time.Time    `json:"created"` // Created is in UTC.
	Counts  Counts       `json:"counts"`
	Trials  merge.Trials `json:"trials"`
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
	// Damaged is the number of lines in journals that can't be used.
	Damaged int `json:"damaged,omitempty"`
	// DamagedJobs is the number of lines in jobs.jsonl that can't be used.
	DamagedJobs int         `json:"damaged_jobs,omitempty"`
	Merged      *merge.Last `json:"merged,omitempty"` // Merged is nil before the first merge.
	// Silent says why Slurm does not answer; "" if it does, or was not asked.
	Silent string `json:"silent,omitempty"`
	// Fault says why the folder can't be read. Nothing else is known then.
	Fault string `json:"fault,omitempty"`
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
	switch s {
	case Done:
		c.Done++
	case Running:
		c.Running++
	case Waiting:
		c.Waiting++
	case Ended:
		c.Ended++
	case Never:
		c.Never++
	default:
		c.Unclear++
	}
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
	// OutOfMemory says that its last task was killed for its use of memory.
	OutOfMemory bool   `json:"out_of_memory,omitempty"`
	Log         string `json:"log,omitempty"` // Log is the path of that task's log.
}

// Active reports whether anything about the run may still happen by itself.
func (s Status) Active() bool {
	return s.Counts.Running+s.Counts.Waiting+s.Counts.Unclear > 0 ||
		s.Finish == Running || s.Finish == Waiting || s.Finish == Unclear
}

// Status combines what was read last with what Slurm says.
func (t *Tracker) Status(v View) Status {
	s := Status{
		Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created,
		Trials: t.trials(), Best: t.bests(), Chunks: t.chunks(v), Merged: t.merged, Silent: v.Silent,
		DamagedJobs: t.damaged,
	}

	s.Gathered = t.gather(s.Chunks)
	for _, c := range s.Chunks {
		s.Counts.add(c.State)
	}
	s.Finish, s.Waits = t.finish(v)
	s.Rate = t.pace.rate(time.Now())
	if left := s.Trials.Of - s.Trials.Done; s.Rate > 0 && left > 0 {
		s.Left = float64(left) / s.Rate
	}

	for _, j := range t.journals {
		s.Damaged += j.Fault.Lost()
	}
	return s
}
