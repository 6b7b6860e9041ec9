package merge

import (
	"context"
	"errors"
	"time"

	"spmvtune/slurm"
	"spmvtune/store"
	"spmvtune/tuner/journal"
)

// databaseFile is what a merge makes.
const databaseFile = "results.db"

// Merged says what a merge did and what it found.
type Merged struct {
	Database string    `json:"database"` // path
	Journals int       `json:"journals"`
	New      int       `json:"new"`   // trials that the database did not have
	Known    int       `json:"known"` // trials that it had, or that several journals have
	Faulty   []Fault   `json:"faulty,omitempty"`
	Complete int       `json:"complete"` // chunks; one that was split counts as its halves
	Missing  []Missing `json:"missing,omitempty"`
}

// A FaultyJournal is a journal that not all could be taken from. The rest of it
// was.
type Fault struct {
	File    string `json:"file"`
	Unread  bool   `json:"unread,omitempty"`  // it could not be read, or not to its end
	Torn    bool   `json:"torn,omitempty"`    // its last line has no end: it is being written, or its writer died
	Damaged int    `json:"damaged,omitempty"` // lines that are not what was written
	Orphans int    `json:"orphans,omitempty"` // trials whose run or matrix was on a damaged line
	Unknown int    `json:"unknown,omitempty"` // lines that only a newer program knows
	First   string `json:"first"`             // the first of these problems, with its line, or why the file can't be read
}

// Lost are the lines that can't be used.
func (f *Fault) Lost() int { return f.Damaged + f.Orphans + f.Unknown }

// loses reports whether trials may be lost, so that what the journal says of its
// pieces can't be relied on. A torn line is none that was recorded.
func (f *Fault) loses() bool { return f.Unread || f.Lost() > 0 }

// A Missing is a chunk that is not complete.
type Missing struct {
	Chunk    string `json:"chunk"`
	Attempts int    `json:"attempts"`      // journals of it; 0: it never started
	Job      string `json:"job,omitempty"` // the task of the last attempt, "12_3"; what follows is of that
	Reason   string `json:"reason"`        // what it said when it stopped, or why it does not count; "": it said nothing, as one that was killed
	// OutOfTime says that it stopped since its time limit was near.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// At is when it said so, by its node's clock; zero if it said nothing.
	At time.Time `json:"at,omitzero"`
}

// MergeAndReport brings what the journals of a run hold into its database; report then makes
// what there is to make of it, and what was done is kept for ReadLast. It may be called
// again at any time, also while tasks write: what is there already stays. round is the
// round that ends with this merge, 0 for none.
//
// Other merges wait, so that none replaces by its own what one has made that began later
// and saw more. What is wrong with a journal is in LastMerge. An error means that the database
// can't be written, or that ctx has ended; what was committed by then is kept.
func Run(ctx context.Context, run *slurm.Run, round int, report func(*Last) error) (m Last, err error) {
	unlock, err := run.LockMerges(ctx)
	if err != nil {
		return m, err
	}
	defer unlock()
	m.Round = round
	if m.Merged, err = importJournals(ctx, run); err != nil {
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
	db, err := store.Open(run.Path(databaseFile))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{Name: name, Path: run.Path(slurm.JournalsDir, name.String())}
	}
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
	m.Complete, m.Missing = Incomplete(plan, files)
	return m, nil
}
