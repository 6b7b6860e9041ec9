// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/journal"
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
	At           time.Time `json:"at"`             // At is the time of the outcome, in UTC.
	Said         string    `json:"said,omitempty"` // Said has the words of Slurm's refusal.
	User         string    `json:"user,omitempty"` // User is who ran sbatch.
	Args         []string  `json:"args,omitempty"` // Args are the arguments of sbatch, where it is about to run.
}

// Exists reports whether there is a job, or may be one.
func (s *Sent) Exists() bool { return s.Outcome == Submitted || s.Outcome == Intended }

// Option is the last value of an option of sbatch among the arguments; "" if it has none.
func (s *Sent) Option(name string) (value string) {
	for _, a := range s.Args {
		if v, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			value = v
		}
	}
	return value
}

// An Outcome says how far a submission got.
type Outcome string

const (
	Intended  Outcome = "intended"  // sbatch was about to run; whether there is a job is not known
	Submitted Outcome = "submitted" // there is a job
	Refused   Outcome = "refused"   // there is no job: sbatch was refused, or could not run
	Lost      Outcome = "lost"      // there is no job: Slurm knows none with this name
)

// Settings are what tasks ask for in another way than the sweep says.
type Settings struct {
	Set      map[string]string `json:"set,omitempty"`      // Set are keys of [slurm] that retry was told.
	Exclude  []string          `json:"exclude,omitempty"`  // Exclude are the nodes that retry avoids.
	Throttle *int              `json:"throttle,omitempty"` // Throttle is what throttle was told; nil: nothing.
}

// A Ledger is what happened to a run since it was made, as its folder says it: what was decided to be sent,
// what became of that, what commands were told, and what the last merge did.
//
// Note: what those who hold the Lock say one after the other is a line of the ledger's file. What several processes
// may decide at once, of which one must win, is a file of its own: the chunks of a round, the claim of a chunk, the
// devices, the content of a matrix. Some file systems have no locks, or locks that other nodes don't see, and there
// two lines may meet; but on all of them only one process can create a file. Merges have files, too, which the next
// ones replace: whoever may write to the folder may merge, also beside a submission.
type Ledger struct {
	Jobs     []Sent           // Jobs are the submissions in their order.
	Rounds   map[int][]string // Rounds are the chunks of each round, in the order of their tasks.
	Settings Settings
	Merge    *Merge // Merge is what the last merge did; nil before the first one.
	Damaged  int    // Damaged is the number of lines that can't be used: torn or damaged ones.
	// Unsettled says that one of these, after the last Settings, may have had others.
	Unsettled bool
	// Forgetful says that the folder has lost the record of which jobs were sent: there is no round, but there are
	// logs of tasks.
	Forgetful bool

	run  *Run
	lost error // lost says which round can't be read.
}

// An entry is a line of the ledger. One of its pointers says what it is about.
type entry struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"` // By is who wrote the line.
	Job      *Sent     `json:"job,omitempty"`
	Settings *Settings `json:"settings,omitempty"`
}

// Ledger reads the ledger as it is now, as far as it can be read. A torn line is an intention before sbatch ran,
// or an answer of sbatch, which retry asks for again.
func (r *Run) Ledger() (*Ledger, error) {
	data, err := r.Read(LedgerFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the ledger of the run: %w", err)
	}
	l := &Ledger{Rounds: map[int][]string{}, run: r}
	at := map[string]int{} // by the names of jobs
	for line := range bytes.Lines(data) {
		var e entry
		body, err := journal.Checked(bytes.TrimSuffix(line, []byte("\n")))
		if err == nil {
			err = json.Unmarshal(append([]byte("{"), body...), &e)
		}
		switch {
		case err != nil, e.Job != nil && !e.Job.Valid():
			l.Damaged++
			l.Unsettled = l.Unsettled || !bytes.Contains(line, []byte(`"job":`))
		case e.Job != nil:
			i, known := at[e.Job.Name]
			if !known {
				i, at[e.Job.Name] = len(l.Jobs), len(l.Jobs)
				l.Jobs = append(l.Jobs, Sent{})
			}
			if e.Job.Args == nil {
				e.Job.Args = l.Jobs[i].Args
			}
			l.Jobs[i] = *e.Job
		case e.Settings != nil:
			l.Settings, l.Unsettled = *e.Settings, false
		}
	}
	l.Merge = r.LastMerge()
	l.readRounds()
	return l, nil
}

// LastMerge says what the last merge did; nil before the first one, and where its database is not there as the merge
// left it. Its Round is the last one whose own merge is finished. Its Report is "" where that is gone. What can't be
// read, the next merge writes anew.
func (r *Run) LastMerge() (last *Merge) {
	round := 0
	names, _ := fs.Glob(os.DirFS(r.Dir), "merged*.json")
	for _, name := range names {
		m, err := readJSON[*Merge](r.Path(name))
		if err != nil || m == nil {
			continue
		}
		if round = max(round, m.Round); last == nil || m.At.After(last.At) {
			last = m
		}
	}
	if size := store.Size(r.Path(DatabaseFile)); last == nil || size == 0 || size < last.Size {
		return nil
	}
	last.Round, last.Database = round, r.Path(DatabaseFile)
	if report := r.Path(filepath.Base(last.Report)); isFile(report) { // the folder may have been moved
		last.Report = report
	} else {
		last.Report = ""
	}
	return last
}

// readRounds reads the rounds that have begun, and those of which there are jobs.
func (l *Ledger) readRounds() {
	numbers := append(l.run.rounds(), lists.Of(l.Jobs, func(j Sent) int { return j.Round })...)
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		chunks, err := l.run.Round(n)
		if err != nil && l.lost == nil {
			l.lost = err
		}
		l.Rounds[n] = chunks
	}
	logs, err := os.ReadDir(l.run.Path(LogsDir))
	l.Forgetful = err == nil && len(logs) > 0 && len(l.run.rounds()) == 0
}

// LastRound is the last round that has begun, as far as the folder says so; 0 if there is none.
func (l *Ledger) LastRound() int { return slices.Max(slices.AppendSeq([]int{0}, maps.Keys(l.Rounds))) }

// A Slot is the task of an array that a chunk was given.
type Slot struct {
	Round int
	Job   *Sent // Job is nil if the ledger says nothing about it: it was never sent, or the line is lost.
	Task  int   // Task is the index in the array.
}

// Name is Slurm's name for the task, "12_3".
func (s Slot) Name() string { return fmt.Sprintf("%s_%d", s.Job.ID, s.Task) }

// MayExist reports whether the task exists, or may do so.
func (s Slot) MayExist() bool { return s.Job == nil || s.Job.Exists() }

// Slots returns the slots of each chunk, the latest last. It fails if the chunks of a round are lost.
func (l *Ledger) Slots() (map[string][]Slot, error) {
	if l.lost != nil {
		return nil, l.lost
	}
	slots := map[string][]Slot{}
	for _, number := range slices.Sorted(maps.Keys(l.Rounds)) {
		list := make([]Slot, len(l.Rounds[number]))
		for i := range l.Jobs {
			j := &l.Jobs[i]
			for task := range j.Tasks {
				if at := j.Base + task; j.Round == number && at < len(list) && (list[at].Job == nil || j.Exists()) {
					list[at] = Slot{number, j, task}
				}
			}
		}
		for i, id := range l.Rounds[number] {
			list[i].Round = number
			slots[id] = append(slots[id], list[i])
		}
	}
	return slots, nil
}

// SentChunks are the chunks that were sent, or may have been.
func (r *Run) SentChunks() (map[string]bool, error) {
	l, err := r.Ledger()
	if err != nil {
		return nil, err
	}
	slots, err := l.Slots()
	if err == nil && l.Forgetful {
		err = fmt.Errorf("run %s has lost the record of which chunks were submitted: spmvtune retry %s asks "+
			"Slurm, and sends those that have no job", r.Dir, term.Shell(r.Dir))
	}
	sent := map[string]bool{}
	for id, list := range slots {
		sent[id] = slices.ContainsFunc(list, Slot.MayExist)
	}
	return sent, err
}

// Unsent are the chunks that a limit of submitted jobs, or the end of a submission, left over: the last round
// that names them has no job for them.
func (r *Run) Unsent() (map[string]bool, error) {
	l, err := r.Ledger()
	if err != nil {
		return nil, err
	}
	slots, err := l.Slots()
	unsent := map[string]bool{}
	for id, list := range slots {
		if last := list[len(list)-1]; last.Job == nil || !last.Job.Exists() {
			unsent[id] = true
		}
	}
	return unsent, err
}

// JobIDs returns the ids of the submissions that made a job.
func JobIDs(jobs []Sent) []sbatch.JobID {
	made := lists.Where(jobs, func(s Sent) bool { return s.ID != "" })
	return lists.Of(made, func(s Sent) sbatch.JobID { return s.JobID })
}

// Note adds what became of a submission to the ledger. When it returns nil, the line is on disk.
func (r *Run) Note(s Sent) error {
	s.At, s.User = time.Now().UTC(), cmp.Or(s.User, Me())
	return r.add(entry{Job: &s})
}

// NoteSettings adds what tasks ask for from now on to the ledger.
func (r *Run) NoteSettings(s Settings) error {
	if err := r.add(entry{Settings: &s}); err != nil {
		return fmt.Errorf("keeping it for later submissions: %w", err)
	}
	return nil
}

// NoteMerge keeps what a merge did. The merge that ends a round has a file of its own, which no other replaces.
func (r *Run) NoteMerge(m *Merge) error {
	m.Size = store.Size(r.Path(DatabaseFile))
	if err := writeJSON(files.Write, r.Path(numbered("merged", 3, m.Round)), m); err != nil {
		return fmt.Errorf("noting the merge: %w", err)
	}
	return nil
}

// numbered names the n-th file of a kind, with so many digits: that of a merge by the round that it ends, 0 for any
// other merge, and that of devices by the kind of tasks.
func numbered(name string, digits, n int) string {
	if n == 0 {
		return name + ".json"
	}
	return fmt.Sprintf("%s-%0*d.json", name, digits, n)
}

// add adds a line to the ledger's file. The caller holds the Lock.
func (r *Run) add(e entry) error {
	e.At, e.By = time.Now().UTC(), Me()
	object, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line := journal.Checksummed(object[1:])
	before, err := r.Read(LedgerFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) { // a crash or a full disk has torn a line
		line = append([]byte("\n"), line...)
	}
	f, err := os.OpenFile(r.Path(LedgerFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Sync(), f.Close())
}

// errUnderWay says that two submissions of a run meet.
var errUnderWay = errors.New("another submission of the run is under way")

// NextRound is the number of the next round. Whoever decides what to submit by the state of
// the run asks for the number first: see WriteRound.
func (r *Run) NextRound() int { return slices.Max(append(r.rounds(), 0)) + 1 }

// rounds are the numbers of the rounds that have begun. Any problem with their folder shows when a
// round is read or written.
func (r *Run) rounds() (numbers []int) {
	entries, _ := os.ReadDir(r.Path(roundsDir))
	for _, e := range entries {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json")); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// WriteRound writes the file of a round, which claims it for this process. It fails if another
// process was faster, because the decision did not know what that process sends.
func (r *Run) WriteRound(number int, chunks []string) error {
	if err := r.makeFolder(roundsDir); err != nil { // it may have been lost
		return err
	}
	err := writeJSON(files.Create, r.Path(roundFile(number)), chunks)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: spmvtune status %s shows what it sends", errUnderWay, term.Shell(r.Dir))
	}
	if err != nil {
		return fmt.Errorf("writing the round: %w", err)
	}
	return nil
}

// Round reads which chunks a round has, in the order of their tasks.
func (r *Run) Round(number int) (chunks []string, err error) {
	chunks, err = readJSON[[]string](r.Path(roundFile(number)))
	if err != nil {
		err = fmt.Errorf("the record of submitted chunks can't be read: %w; spmvtune merge %s brings what is measured "+
			"into the database; for the rest copy the file back, or submit the sweep again", err, term.Shell(r.Dir))
	}
	return chunks, err
}

// roundFile is the path of a round's file in the folder of the run.
func roundFile(number int) string { return fmt.Sprintf("%s/%03d.json", roundsDir, number) }
