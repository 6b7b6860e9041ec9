package status

import (
	"time"

	"spmvtune/slurm/merge"
	"spmvtune/slurm/sbatch"
)

// A Status says how far a run is. Journals say what is done; Slurm explains the
// rest, where it answers.
type Status struct {
	Name    string       `json:"name"` // of the folder and of the jobs
	Dir     string       `json:"dir"`
	Created time.Time    `json:"created"` // UTC
	Counts  Counts       `json:"counts"`
	Trials  merge.Trials `json:"trials"`
	Rate    float64      `json:"rate"` // trials per second of the last minutes; 0: none
	Left    float64      `json:"left"` // seconds, at this rate; 0: not known, or nothing is left
	Best    []Best       `json:"best,omitempty"`
	Chunks  []Chunk      `json:"chunks"`            // of a chunk that was split, its halves
	Finish  State        `json:"finish,omitempty"`  // of the last round's job that merges; "" if there is none
	Waits   string       `json:"waits,omitempty"`   // why that job waits, in plain words
	Damaged int          `json:"damaged,omitempty"` // lines of journals that can't be used
	Merged  *merge.Last  `json:"merged,omitempty"`  // nil: not merged yet
	Silent  string       `json:"silent,omitempty"`  // why Slurm does not answer; "": it does, or was not asked
	Fault   string       `json:"fault,omitempty"`   // why the folder can't be read; nothing else is known then
}

// Counts are the chunks by their state.
type Counts struct {
	Done    int `json:"done"`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Ended   int `json:"ended"`
	Never   int `json:"never"`
	Unclear int `json:"unclear"`
	All     int `json:"all"`
}

// A ChunkState says how far a chunk is.
type State string

const (
	Done    State = "done"    // its journals hold every trial
	Running State = "running" // a task is at it
	Waiting State = "waiting" // Slurm is to start its task, perhaps again
	Ended   State = "ended"   // its task ended without completing it
	Never   State = "never"   // no task of it ever started, and none waits
	Unclear State = "unclear" // not done, and Slurm does not say whether it has a task
)

// A ChunkStatus is how far a chunk is.
type Chunk struct {
	Chunk    string       `json:"chunk"`
	Matrices []string     `json:"matrices"`
	State    State        `json:"state"`
	Why      string       `json:"why,omitempty"`    // what can be said of its task while it is not done, in plain words
	Job      string       `json:"job,omitempty"`    // its last task: "12_3"
	Slurm    sbatch.State `json:"slurm,omitempty"`  // that task's last state; "": Slurm knows none
	Reason   string       `json:"reason,omitempty"` // in Slurm's words, why that task waits or failed
	Node     string       `json:"node,omitempty"`
	Attempts int          `json:"attempts"` // journals of it
	// OutOfTime says that its last task ended because its time limit was near.
	OutOfTime bool   `json:"out_of_time,omitempty"`
	Log       string `json:"log,omitempty"` // path of that task's
}

// Active reports whether something of the run may still happen by itself.
func (s Status) Active() bool {
	return s.Counts.Running+s.Counts.Waiting+s.Counts.Unclear > 0 ||
		s.Finish == Running || s.Finish == Waiting || s.Finish == Unclear
}

// Status puts together what was read last and what Slurm says.
func (t *Tracker) Status(v View) Status {
	s := Status{
		Name: t.Run.JobName(), Dir: t.Run.Dir, Created: t.Run.Created,
		Trials: t.trials(), Best: t.bests(), Chunks: t.chunks(v), Merged: t.merged, Silent: v.Silent,
	}
	for _, c := range s.Chunks {
		s.Counts.All++
		switch c.State {
		case Done:
			s.Counts.Done++
		case Running:
			s.Counts.Running++
		case Waiting:
			s.Counts.Waiting++
		case Ended:
			s.Counts.Ended++
		case Never:
			s.Counts.Never++
		default:
			s.Counts.Unclear++
		}
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
