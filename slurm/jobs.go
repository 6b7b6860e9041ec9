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
	"strconv"
	"strings"
	"time"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
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

// errUnderWay says that two submissions of a run meet.
var errUnderWay = errors.New("another submission of the run is under way")

// NextRound is the number of the next round. Whoever decides what to submit by the state of
// the run asks for the number first: see WriteRound.
func (r *Run) NextRound() int {
	last := 0
	for _, n := range r.Rounds() {
		last = max(last, n)
	}
	return last + 1
}

// Rounds are the numbers of the rounds that have begun. Any problem with their folder shows when a
// round is read or written.
func (r *Run) Rounds() (numbers []int) {
	entries, err := os.ReadDir(r.Path(roundsDir))
	if err != nil {
		return nil // no rounds yet
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json")); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// Forgetful reports whether the folder has lost what says which jobs were sent: there is no round, but there
// are logs of tasks.
func (r *Run) Forgetful() bool {
	logs, err := os.ReadDir(r.Path(LogsDir))
	return err == nil && len(logs) > 0 && len(r.Rounds()) == 0
}

// Uncovered returns the chunks of rounds about which jobs say nothing, with the numbers of these
// rounds. They were never sent, or jobs.jsonl has lost the lines about them.
func Uncovered(rounds map[int][]string, jobs []Sent) map[string][]int {
	covered := map[int][]bool{}
	for number, chunks := range rounds {
		covered[number] = make([]bool, len(chunks))
	}
	for _, j := range jobs {
		for i := range j.Tasks {
			if c := covered[j.Round]; j.Base+i < len(c) {
				c[j.Base+i] = true
			}
		}
	}

	open := map[string][]int{}
	for number, list := range covered {
		for i, is := range list {
			if !is {
				open[rounds[number][i]] = append(open[rounds[number][i]], number)
			}
		}
	}
	return open
}

// SentChunks are the chunks that were sent, or may have been.
func (r *Run) SentChunks() (map[string]bool, error) {
	jobs, err := r.Jobs()
	if err != nil {
		return nil, err
	}
	rounds := map[int][]string{}
	for _, number := range r.Rounds() {
		if rounds[number], err = r.Round(number); err != nil {
			return nil, err
		}
	}
	if r.Forgetful() {
		return nil, fmt.Errorf("run %s has lost what says which of its chunks were submitted: spmvtune retry %s asks "+
			"Slurm, and sends those that have no job", r.Dir, term.Shell(r.Dir))
	}
	sent := map[string]bool{}
	for id := range Uncovered(rounds, jobs) {
		sent[id] = true
	}
	for _, j := range jobs {
		if j.Outcome == Refused || j.Outcome == Lost {
			continue
		}
		for i := range j.Tasks {
			if at := j.Base + i; at < len(rounds[j.Round]) {
				sent[rounds[j.Round][at]] = true
			}
		}
	}
	return sent, nil
}

// WriteRound writes the file of a round, which claims it for this process. It fails if another
// process was faster, because the decision did not know what that process sends. Some file
// systems have no locks, or locks that other nodes don't see; but on all of them only one
// process can create a file.
func (r *Run) WriteRound(number int, chunks []string) error {
	data, err := json.Marshal(chunks)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Path(roundsDir), 0o777); err != nil { // it may have been lost
		return fmt.Errorf("making the folder of rounds: %w", err)
	}
	err = files.Create(r.Path(roundFile(number)), data)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: spmvtune status %s shows what it sends", errUnderWay, term.Shell(r.Dir))
	}
	if err != nil {
		return fmt.Errorf("writing the round: %w", err)
	}

	return nil
}

// Round reads which chunks a round has, in the order of their tasks.
func (r *Run) Round(number int) ([]string, error) {
	data, err := r.Read(roundFile(number))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.lost(roundFile(number))
	}
	if err != nil {
		return nil, fmt.Errorf("reading round %d: %w", number, err)
	}
	var chunks []string
	if err := json.Unmarshal(data, &chunks); err != nil {
		return nil, fmt.Errorf("%w (it can't be read: %w)", r.lost(roundFile(number)), err)
	}

	return chunks, nil
}

// roundFile is the path of a round's file in the folder of the run.
func roundFile(number int) string { return fmt.Sprintf("%s/%03d.json", roundsDir, number) }

// lost says that a file is gone, and that nothing else says what was submitted.
func (r *Run) lost(file string) error {
	return fmt.Errorf("run %s has lost its %s, which says what was submitted: spmvtune merge %s brings what is measured "+
		"into the database; for the rest copy the file back, or submit the sweep again", r.Dir, file, term.Shell(r.Dir))
}
