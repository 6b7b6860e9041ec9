package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
)

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
