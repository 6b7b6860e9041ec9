// Package merge brings the journals of a run into its database, and finds out which chunks are
// missing. A merge may run at any time, also while tasks write: what is there already stays.
package merge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/slurm"
	"spmvtune/store"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// DatabaseFile is the file that a merge writes.
const DatabaseFile = "results.db"

// Merged says what a merge did and what it found.
type Merged struct {
	Database string `json:"database"` // Database is the path.
	Journals int    `json:"journals"`
	New      int    `json:"new"`   // New trials were not in the database.
	Known    int    `json:"known"` // Known trials were in the database, or in several journals.
	// Faulty are the journals that could not be used in full.
	Faulty []Fault `json:"faulty,omitempty"`
	// Complete is the number of chunks that are complete. The halves of a split chunk count
	// in its place.
	Complete int       `json:"complete"`
	Missing  []Missing `json:"missing,omitempty"`
	// Unsure is the number of complete chunks whose journals of an early version can't tell whether
	// one of them is gone.
	Unsure int `json:"unsure,omitempty"`
	// Skipped says why tasks have left out all configurations.
	Skipped []string `json:"skipped,omitempty"`
}

// Run brings what the journals of a run hold into its database. Then report makes what there
// is to make of the database, and a record of the merge is kept for ReadLast. round is the
// round that ends with this merge, 0 for none.
//
// Other merges wait until report is done, so that a report never replaces one that began later
// and saw more. Problems with a journal are in Last. An error means that the database can't be
// written, or that ctx has ended; what was committed before stays.
func Run(ctx context.Context, run *slurm.Run, round int, report func(*Last) error) (m Last, err error) {
	unlock, err := run.LockMerges(ctx)
	if err != nil {
		return m, err
	}
	defer unlock()

	m.Round = round
	m.Merged, err = importJournals(ctx, run)
	if store.Damaged(err) {
		return m, fmt.Errorf("database %s is damaged: delete it and merge again: the journals say what was in it",
			run.Path(DatabaseFile))
	}
	if err != nil {
		return m, err
	}
	if err := report(&m); err != nil {
		return m, err
	}
	return m, noteLast(run, &m)
}

// importJournals writes what the journals hold into the database.
func importJournals(ctx context.Context, run *slurm.Run) (m Merged, err error) {
	plan, err := run.Plan()
	if err != nil {
		return m, err
	}
	journal.Refresh(run.Path(slurm.JournalsDir))
	names, err := journal.List(run.Path(slurm.JournalsDir))
	if err != nil {
		return m, err
	}

	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{Name: name, Path: run.Path(slurm.JournalsDir, name.String())}
	}

	db, err := store.Open(run.Path(DatabaseFile))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	imported, err := db.Import(ctx, readJournals(ctx, files))
	m = Merged{Database: db.Path(), Journals: len(files), New: imported.New, Known: imported.Known}
	if err != nil {
		return m, err
	}

	for _, f := range files {
		if f.Fault != (Fault{}) {
			f.Fault.File = f.Name.String()
			m.Faulty = append(m.Faulty, f.Fault)
		}
	}

	for _, f := range files {
		for _, end := range f.ends {
			m.Skipped = append(m.Skipped, end.Skipped...)
		}
	}
	slices.Sort(m.Skipped)
	m.Skipped = slices.Compact(m.Skipped)
	m.Complete, m.Missing, m.Unsure = Incomplete(plan, files)
	return m, nil
}

// mergedFile keeps what the last merge did.
const mergedFile = "merged.json"

// Last is what the last merge of a run did, report included.
type Last struct {
	At time.Time `json:"at"` // At is when it was finished, in UTC.
	// Round is the last round whose own merge is finished; 0 if there is none.
	Round int `json:"round"`
	// Trials are those in the database. Of is Done.
	Trials Trials `json:"trials"`
	// Report is the path of the report; "" if no trial is good.
	Report string `json:"report,omitempty"`
	Merged
}

// ReadLast reads what the last merge of a run did. It returns nil if there was none.
func ReadLast(r *slurm.Run) (*Last, error) {
	data, err := r.Read(mergedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was merged: %w", err)
	}
	m := new(Last)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("reading %s: %w: it was damaged; spmvtune merge %s writes it again",
			r.Path(mergedFile), err, term.Shell(r.Dir))
	}

	return m, nil
}

// noteLast keeps what a merge did. m.Round is 0 for a merge by hand. The caller holds the lock of
// merges.
func noteLast(r *slurm.Run, m *Last) error {
	if before, err := ReadLast(r); err == nil && before != nil {
		m.Round = max(m.Round, before.Round)
	}
	m.At = time.Now().UTC()
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := files.Write(r.Path(mergedFile), append(data, '\n')); err != nil {
		return fmt.Errorf("noting the merge: %w", err)
	}

	return nil
}

// Trials counts the trials of a run.
type Trials struct {
	// Done is the number of trials in the journals, however they ended.
	Done int `json:"done"`
	// Of is the number of all trials. It is an estimate until all chunks are complete.
	Of int `json:"of"`
	// OK, Invalid and Failed say how those that are done ended. The device can't launch an
	// invalid configuration. A wrong result, a fault, a time-out and lack of memory are failures.
	OK      int `json:"ok"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
}

// Add counts n more trials that ended with a status.
func (t *Trials) Add(status trial.Status, n int) {
	t.Done += n
	switch status {
	case trial.OK:
		t.OK += n
	case trial.Invalid:
		t.Invalid += n
	default:
		t.Failed += n
	}
}
