// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
)

// A Merge is what a merge of a run did and found, report included.
type Merge struct {
	At time.Time `json:"at"` // At is when it began to read the journals, in UTC.
	// Round is the last round whose own merge is finished; 0 if there is none.
	Round int `json:"round"`
	// Trials are those in the database. Of is Done.
	Trials Trials `json:"trials"`
	// Report is the path of the report; "" if no trial is good.
	Report   string `json:"report,omitempty"`
	Database string `json:"database"` // Database is the path.
	// Size is that of the database in bytes.
	Size     int64 `json:"size,omitempty"`
	Journals int   `json:"journals"`
	New      int   `json:"new"`   // New trials were not in the database.
	Known    int   `json:"known"` // Known trials were in the database, or in several journals.
	// Faulty are the journals that could not be used in full.
	Faulty []Fault `json:"faulty,omitempty"`
	// Complete is the number of chunks that are complete. The halves of a split chunk count
	// in its place.
	Complete int       `json:"complete"`
	Missing  []Missing `json:"missing,omitempty"`
	// Skipped says why tasks have left out all configurations.
	Skipped []string `json:"skipped,omitempty"`
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

// A Missing is a chunk that is not complete.
type Missing struct {
	Chunk string `json:"chunk"`
	// Attempts is the number of its journals; 0 if it never started.
	Attempts int `json:"attempts"`
	// Job is the task of the last attempt, "12_3". The other fields speak about that attempt.
	Job string `json:"job,omitempty"`
	// Journal is a journal of it; "" if there is none.
	Journal string `json:"journal,omitempty"`
	// Reason is what it said when it stopped, or why that does not count. It is "" if the journal
	// breaks off, as when the task is killed.
	Reason string `json:"reason"`
	// OutOfTime says that it stopped because its time limit was near.
	OutOfTime bool `json:"out_of_time,omitempty"`
	// Lost is the number of trials that attempts had counted and that no journal has any more.
	Lost int `json:"lost,omitempty"`
	// At is when it said so, by the clock of its node; zero if it said nothing.
	At time.Time `json:"at,omitzero"`
}

// A File is a journal, with what was found in it besides results.
type File struct {
	Name  journal.Name
	Fault Fault
	Ends  []journal.End
	// trials has a key for each trial in it, repeat measurements left out.
	trials []trial.Key
	reader *journal.Reader
}

// Files lists the journals of the run, of which nothing is read yet.
func (r *Run) Files() ([]*File, error) {
	journal.Refresh(r.Path(JournalsDir))
	names, err := journal.List(r.Path(JournalsDir))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: copy %s of the run back, or make that folder, and everything is measured again", err,
			JournalsDir)
	}
	files := make([]*File, len(names))
	for i, name := range names {
		files[i] = &File{Name: name, Fault: Fault{File: name.String()}, reader: journal.NewReader(r.Path(JournalsDir, name.String()))}
	}
	return files, err
}

// Missing finds what is missing, as the journals are now, and writes nothing.
func (r *Run) Missing(ctx context.Context) ([]Missing, error) {
	plan, err := r.Plan()
	if err != nil {
		return nil, err
	}
	files, err := r.Files()
	if err != nil {
		return nil, err
	}
	for i := range files {
		for range files[i].Lines(ctx) {
		}
	}
	return Incomplete(plan, files), ctx.Err()
}

// Lines yields the runs, matrices and trials that were added to the journal since the last call. It keeps what else is
// said: how attempts ended, which trials there are, and what is wrong with the journal. It ends early with ctx.
func (f *File) Lines(ctx context.Context) iter.Seq[journal.Line] {
	return func(yield func(journal.Line) bool) {
		f.Fault.renew()
		for line, err := range f.reader.Records(ctx) {
			switch {
			case err != nil && ctx.Err() == nil:
				f.Fault.unread(err)
			case err != nil:
			case line.End != nil:
				f.Ends = append(f.Ends, *line.End)
			case line.Problem != nil:
				f.Fault.note(*line.Problem, len(f.Ends) > 0)
			default:
				if line.Trial != nil && !line.Trial.IsRerun() {
					f.trials = append(f.trials, trial.KeyOf(line.Trial.ID))
				}
				if !yield(line) {
					return
				}
			}
		}
	}
}

// Incomplete finds the chunks of the plan that are not complete, by what the journals hold and say
// at their ends. A split chunk is represented by its halves.
//
// A piece is complete if an attempt says so and every trial that the attempt lists is in a journal.
// An attempt whose journals have lost trials completes nothing. The next attempt measures what
// it does not find, so its own word counts.
func Incomplete(plan Plan, files []*File) (missing []Missing) {
	a := newAccount(files)
	for _, f := range files {
		a.hear(f)
	}
	for _, c := range plan.Current() {
		lacks := func(p trial.Piece) bool {
			return !p.Part.CoveredBy(a.done[familyMatrix{journal.Family(c.ID), p.Matrix}])
		}
		if !slices.ContainsFunc(c.Pieces, lacks) {
			continue
		}
		w := a.of(c.ID)
		w.Lost = len(w.lost)
		missing = append(missing, w.Missing)
	}
	return missing
}

// A familyMatrix names a matrix in a family of chunks: one and the halves that it was split into.
type familyMatrix struct{ family, matrix string }

// An account is what journals say about the work of a run.
type account struct {
	lossy map[journal.Name]*File // lossy has a journal that lost trials, for attempts that have one.
	there []trial.Key            // there are the trials in journals, sorted.
	done  map[familyMatrix][]trial.Part
	told  map[string]*told // by chunk
}

// told is what journals say of a chunk: in the words of Missing, whether or not it is complete.
type told struct {
	Missing
	last journal.Name       // last is the last attempt.
	lost map[trial.Key]bool // lost has the trials that are not there.
}

// of returns what was said of a chunk so far.
func (a *account) of(chunk string) *told {
	if a.told[chunk] == nil {
		a.told[chunk] = &told{Missing: Missing{Chunk: chunk}, lost: map[trial.Key]bool{}}
	}
	return a.told[chunk]
}

func newAccount(files []*File) account {
	a := account{lossy: map[journal.Name]*File{}, done: map[familyMatrix][]trial.Part{}, told: map[string]*told{}}
	all := make([][]trial.Key, len(files))
	for i, f := range files {
		all[i] = f.trials
		if at := attemptOf(f.Name); f.Fault.Loses() && a.lossy[at] == nil {
			a.lossy[at] = f
		}
	}
	a.there = slices.Concat(all...)
	slices.Sort(a.there)
	return a
}

// hear takes in what a journal says at its ends. What an earlier run has measured is no attempt of this one.
func (a *account) hear(f *File) {
	at := attemptOf(f.Name)
	adopted := f.Name.Job == AdoptedJob
	w, loser, ends := a.of(at.Chunk), a.lossy[at], f.Ends
	if !adopted {
		if w.Attempts++; w.Attempts == 1 {
			w.last = at
		}
		if len(ends) == 0 {
			ends = []journal.End{{}} // killed, still running, or not readable
		}
	}

	for _, end := range ends {
		lost := 0
		for _, p := range end.Pieces {
			if p.Complete {
				lost += a.take(f.Name, p, loser == nil)
			}
		}
		if adopted {
			continue
		}
		claims := !slices.ContainsFunc(end.Pieces, func(p trial.Piece) bool { return !p.Complete })
		switch {
		case loser != nil && claims && (f.Fault.Unread || len(f.Ends) > 0):
			end.Reason = fmt.Sprintf("not all that it measured can be read: journal %s: %s", loser.Name,
				loser.Fault.First)
		case lost > 0:
			end.Reason = fmt.Sprintf("%d trials that it had counted are in no journal any more: journals were deleted, "+
				"cut or damaged", lost)
		}
		w.hear(at, f.Name.String(), end)
	}
}

// take takes in that a piece is complete, unless trials are lost, and returns their number. The word
// of the attempt may be unreliable otherwise.
func (a *account) take(name journal.Name, p trial.Piece, reliable bool) (lost int) {
	for _, k := range p.IDs.Keys() {
		if _, is := slices.BinarySearch(a.there, k); !is {
			lost++
			a.of(name.Chunk).lost[k] = true
		}
	}
	if lost == 0 && reliable {
		key := familyMatrix{journal.Family(name.Chunk), p.Matrix}
		a.done[key] = append(a.done[key], p.Part)
	}
	return lost
}

// attemptOf names the attempt of a journal. Its journals speak together, if it began anew.
func attemptOf(n journal.Name) journal.Name {
	n.Again = 0
	return n
}

// compareAttempts orders attempts at a chunk by when they began. It goes by the numbers of their jobs,
// because the clocks of nodes differ and a lost task may write on. Those outside of arrays come first,
// in the order of their claims.
func compareAttempts(a, b journal.Name) int {
	number := func(job string) uint64 {
		id, _, _ := strings.Cut(job, "_")
		n, _ := strconv.ParseUint(id, 10, 64) // 0 if it is no job of Slurm's
		return n
	}
	return cmp.Or(cmp.Compare(number(a.Job), number(b.Job)),
		cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Job, b.Job))
}

// hear takes in how a journal of an attempt ended. Among those of one attempt the latest counts. The end is zero if it
// did not say.
func (w *told) hear(a journal.Name, journal string, end journal.End) {
	if c := compareAttempts(a, w.last); c > 0 || c == 0 && !end.At.Before(w.At) {
		w.last, w.Job, w.Journal = a, a.Job, journal
		w.Reason, w.OutOfTime, w.At = end.Reason, end.OutOfTime, end.At
	}
}

// A Fault says why a journal could not be used in full. The rest of it was used.
type Fault struct {
	File string `json:"file"`
	// Unread says that the journal could not be read to its end.
	Unread bool `json:"unread,omitempty"`
	// Lost is the number of lines that can't be used: what was written to them is not there, or only a newer
	// program knows it.
	Lost int `json:"lost,omitempty"`
	// First is the first problem with its line, or why the file can't be read.
	First string `json:"first"`
	// Again says that its chunk is not complete, so that what is lost is measured again.
	Again bool `json:"again,omitempty"`
}

// Faults are the faults of journals of the run, by the names of the files. missing are the chunks that are not
// complete. That a task was killed in the middle of a line, or writes one, is no fault.
func (r *Run) Faults(files []*File, missing []Missing) (faults []Fault) {
	for _, f := range files {
		is := func(m Missing) bool { return journal.Family(m.Chunk) == f.Name.Family() }
		f.Fault.Again = slices.ContainsFunc(missing, is)
		if f.Fault.Loses() || f.Fault.First != "" && len(f.Ends) > 0 {
			faults = append(faults, f.Fault)
		}
	}
	for _, name := range journal.Others(r.Path(JournalsDir)) {
		faults = append(faults, Fault{File: name, Unread: true, First: "its name is not that of a journal"})
	}
	return faults
}

// Loses reports whether trials may be lost, so that what the journal says about its pieces is
// unreliable. A torn line was never recorded, and no task writes behind its end.
func (f *Fault) Loses() bool { return f.Unread || f.Lost > 0 }

// renew forgets what may have changed when the journal is read further.
func (f *Fault) renew() {
	if f.Unread = false; f.Lost == 0 {
		f.First = ""
	}
}

// unread notes that reading broke off.
func (f *Fault) unread(err error) {
	f.Unread = true
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // the name of the journal is known
	}
	if f.First == "" {
		f.First = err.Error()
	}
}

// note counts a problem, before the journal's end or behind it.
func (f *Fault) note(p journal.Problem, behind bool) {
	if f.First == "" {
		f.First = fmt.Sprintf("line %d: %v", p.Line, p.Err)
	}
	if p.Kind != journal.Torn && p.Kind != journal.Strayed && !behind {
		f.Lost++
	}
}
