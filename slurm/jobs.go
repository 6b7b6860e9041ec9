package slurm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A Sent is a batch with what became of its submission.
type Sent struct {
	Batch
	JobID             // ID is "" until sbatch has answered
	Outcome Outcome   `json:"outcome"`
	At      time.Time `json:"at"`             // of the outcome, UTC
	Said    string    `json:"said,omitempty"` // by Slurm, refusing
}

// An Outcome says how far a submission got.
type Outcome string

const (
	Intended  Outcome = "intended"  // sbatch was about to run; whether there is a job is not known
	Submitted Outcome = "submitted" // there is a job
	Refused   Outcome = "refused"   // there is none: sbatch was refused, or could not run
	Lost      Outcome = "lost"      // Slurm knows no job of its name
)

// A jobLine is a line of jobs.jsonl.
type jobLine struct {
	At time.Time `json:"at"` // UTC
	Batch
	Outcome Outcome  `json:"outcome"`
	ID      string   `json:"id,omitempty"`
	Cluster string   `json:"cluster,omitempty"` // asked for, and then the one that took it
	Args    []string `json:"args,omitempty"`    // of sbatch
	Said    string   `json:"said,omitempty"`
}

// Lock waits until no other process submits jobs of the run or repairs what is known
// of them. Who decides by the state of the run what to submit holds it from before
// that until Submit has returned. Where the file system has no locks, it does not
// wait: the error says who submits.
func (r *Run) Lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = flock(ctx, r.Path(".submit.lock"))
	if errors.Is(err, errNoLocks) {
		return take(r.Path(".submit.taken"))
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for another submission of the run: %w", err)
	}
	return unlock, nil
}

// Jobs are the submissions of the run, in their order.
func (r *Run) Jobs() ([]Sent, error) {
	data, err := os.ReadFile(r.Path(jobsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.lost(jobsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the jobs of the run: %w", err)
	}
	var all []Sent
	at := map[string]int{}
	for line := range bytes.Lines(data) {
		var l jobLine
		// A torn line is of an intention, before sbatch ran, or of its answer, which
		// Recover then asks for again.
		if json.Unmarshal(line, &l) != nil || l.Name == "" {
			continue
		}
		i, ok := at[l.Name]
		if !ok {
			i = len(all)
			at[l.Name] = i
			all = append(all, Sent{})
		}
		all[i] = Sent{Batch: l.Batch, JobID: JobID{l.ID, l.Cluster}, Outcome: l.Outcome, At: l.At, Said: l.Said}
	}
	return all, nil
}

// note adds a line to jobs.jsonl. When it returns nil, the line is on disk.
func (r *Run) note(l jobLine) (err error) {
	l.At = time.Now().UTC()
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.Path(jobsFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	// A line that was torn by a crash or a full disk ends here.
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Sync()
}
