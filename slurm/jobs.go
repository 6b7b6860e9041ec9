package slurm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"spmvtune/slurm/sbatch"
	"spmvtune/tuner/journal"
)

// A Batch is what one sbatch sends: an array of tasks, or the job that ends a round.
type Batch struct {
	// Name is the job's unique name: NAME-ID.ROUND.N or NAME-ID.ROUND.finish.
	Name  string `json:"name"`
	Round int    `json:"round"`          // Round is the round's number, from 1.
	Base  int    `json:"base"`           // Base is the index in the round of the chunk of task 0.
	Kind  int    `json:"kind,omitempty"` // Kind is that of its tasks.
	Tasks int    `json:"tasks"`          // Tasks is the number of tasks; 0 for the job that ends the round.
}

// Finish reports whether b is the job that ends its round.
func (b Batch) Finish() bool { return b.Tasks == 0 }

// A Sent is a batch with what became of its submission.
type Sent struct {
	Batch
	sbatch.JobID           // Its ID is "" until sbatch has answered.
	Outcome      Outcome   `json:"outcome"`
	At           time.Time `json:"at"` // At is the time of the outcome, in UTC.
	// Said has the words of Slurm's refusal.
	Said string `json:"said,omitempty"`
	// User is who ran sbatch; "" in runs of early versions.
	User string `json:"user,omitempty"`
	// Args are the arguments of sbatch.
	Args []string `json:"-"`
}

// An Outcome says how far a submission got.
type Outcome string

const (
	Intended  Outcome = "intended"  // sbatch was about to run; whether there is a job is not known
	Submitted Outcome = "submitted" // there is a job
	Refused   Outcome = "refused"   // there is no job: sbatch was refused, or could not run
	Lost      Outcome = "lost"      // there is no job: Slurm knows none with this name
)

// A jobLine is a line of jobs.jsonl.
type jobLine struct {
	At time.Time `json:"at"`
	Batch
	Outcome Outcome `json:"outcome"`
	ID      string  `json:"id,omitempty"`
	// Cluster is the cluster that is asked for, and later the one that took the job.
	Cluster string   `json:"cluster,omitempty"`
	Args    []string `json:"args,omitempty"` // Args are the arguments of sbatch.
	Said    string   `json:"said,omitempty"`
	User    string   `json:"user,omitempty"`
}

// Jobs returns the submissions of the run, in their order, as far as jobs.jsonl can be read.
// Uncovered finds out of which chunks it says nothing.
func (r *Run) Jobs() ([]Sent, error) {
	all, _, err := r.ReadJobs()
	return all, err
}

// ReadJobs is Jobs, and counts the lines that can't be used. Most are torn or damaged.
func (r *Run) ReadJobs() (all []Sent, damaged int, err error) {
	data, err := r.Read(JobsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the jobs of the run: %w", err)
	}

	at := map[string]int{}
	for line := range bytes.Lines(data) {
		// A torn line is an intention before sbatch ran, or an answer of sbatch. Recovering
		// asks for the answer again.
		l, err := parseJob(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			damaged++
			continue
		}
		i, ok := at[l.Name]
		if !ok {
			i = len(all)
			at[l.Name] = i
			all = append(all, Sent{})
		}
		id, args := sbatch.JobID{ID: l.ID, Cluster: l.Cluster}, l.Args
		if args == nil {
			args = all[i].Args
		}
		all[i] = Sent{Batch: l.Batch, JobID: id, Outcome: l.Outcome, At: l.At, Said: l.Said, User: l.User, Args: args}
	}

	return all, damaged, nil
}

// parseJob reads a line. Those of early versions have no checksum.
func parseJob(line []byte) (l jobLine, err error) {
	if !bytes.HasPrefix(line, []byte(`{"at":`)) {
		body, err := journal.Checked(line)
		if err != nil {
			return l, err
		}
		line = append([]byte("{"), body...)
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return l, err
	}
	if l.Name == "" {
		return l, errors.New("it names no job")
	}
	return l, nil
}

// Note adds what became of a submission to jobs.jsonl. args are the arguments of sbatch,
// where it is about to run. When Note returns nil, the line is on disk.
func (r *Run) Note(s Sent, args []string) (err error) {
	l := jobLine{
		At: time.Now().UTC(), Batch: s.Batch, Outcome: s.Outcome, ID: s.ID, Cluster: s.Cluster, Args: args,
		Said: s.Said, User: cmp.Or(s.User, Me()),
	}
	object, err := json.Marshal(l)
	if err != nil {
		return err
	}
	line := journal.Checksummed(object[1:])
	f, err := os.OpenFile(r.Path(JobsFile), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	// End a line that was torn by a crash or a full disk.
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}

	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}

// JobIDs returns the ids of the submissions that made a job.
func JobIDs(jobs []Sent) []sbatch.JobID {
	var ids []sbatch.JobID
	for _, j := range jobs {
		if j.ID != "" {
			ids = append(ids, j.JobID)
		}
	}
	return ids
}
