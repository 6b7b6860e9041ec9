package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

var _ tuner.Recorder = (*Writer)(nil)

// Options are the choices of a writer.
type Options struct {
	// Facts returns what to record of a run besides the run itself: the attempt, the device's
	// clocks, … May be nil.
	Facts func(tuner.RunInfo) map[string]string
}

// A Writer writes a journal. A record is on the disk when the method that writes it returns
// nil. After an error the Writer writes no more: what is in the file by then is whole. Its
// methods may be called from several goroutines.
type Writer struct {
	path string
	opt  Options

	mu       sync.Mutex
	file     *os.File
	lines    int   // number of whole lines
	size     int64 // bytes in whole lines
	runs     int
	runOf    map[string]int // number of the last run on each device, by its UUID
	recorded map[string]trial.Record
	broken   error // the first thing that went wrong with the file
}

// Create starts the journal of an attempt, from 0, of a job at a chunk of the plan, in the
// folder dir. It never touches a file that is there. What the journals of the chunk's family
// hold by now counts as recorded. What is in a journal that can't be read is measured again.
func Create(ctx context.Context, dir, chunk, job string, attempt int, opt Options) (*Writer, error) {
	name := Name{Chunk: chunk, Job: job, Attempt: attempt}
	if err := name.check(); err != nil {
		return nil, fmt.Errorf("starting a journal: %w", err)
	}

	// The file comes first: making it also updates the listing of the folder on a network
	// file system (see Refresh).
	f, err := createNew(dir, &name)
	if err != nil {
		return nil, fmt.Errorf("starting a journal: %w", err)
	}
	recorded, err := recordedIn(ctx, dir, name)
	if err != nil {
		f.Close()
		os.Remove(f.Name()) // nothing is in it
		return nil, fmt.Errorf("reading what is recorded already: %w", err)
	}

	return &Writer{path: f.Name(), opt: opt, file: f, recorded: recorded, runOf: map[string]int{}}, nil
}

// createNew makes a file under the first name that is free.
func createNew(dir string, name *Name) (*os.File, error) {
	for {
		f, err := os.OpenFile(filepath.Join(dir, name.String()), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			syncFolder(dir)
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
		name.Again++
	}
}

// syncFolder puts the name of a new file on the disk, on file systems that need it.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// Path returns the path of the file.
func (w *Writer) Path() string { return w.path }

// Begin names the run that the following results of its device belong to.
func (w *Writer) Begin(_ context.Context, run tuner.RunInfo) error {
	var facts map[string]string
	if w.opt.Facts != nil {
		facts = w.opt.Facts(run)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.append(runKind, encodeRun(w.runs+1, run, facts, time.Now().UTC())); err != nil {
		return err
	}

	w.runs++
	w.runOf[run.Origin.UUID] = w.runs
	return nil
}

// run is the number of the run that results of a device belong to.
func (w *Writer) run(uuid string) int {
	if n := w.runOf[uuid]; uuid != "" && n > 0 {
		return n
	}
	return w.runs
}

// Matrix records m.
func (w *Writer) Matrix(_ context.Context, m trial.Matrix) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.append(matrixKind, encodeMatrix(m))
}

// Recorded returns what is in a journal of the trials with these identities: what was
// there when the writer was made, and what it has written itself.
func (w *Writer) Recorded(_ context.Context, ids []string, _ trial.Detail) (map[string]trial.Record, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	found := map[string]trial.Record{}
	for _, id := range ids {
		if r, is := w.recorded[id]; is {
			found[id] = r
		}
	}

	return found, nil
}

// Ask does nothing: a journal is of one run, in which a configuration has one identity.
func (w *Writer) Ask(context.Context, []string) error { return nil }

// Record keeps r. When it returns nil, r survives the death of the process and of the
// machine.
func (w *Writer) Record(_ context.Context, r trial.Result) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs == 0 {
		return errors.New("no run has begun")
	}
	if err := w.append(trialKind, encodeTrial(w.run(r.UUID), r)); err != nil {
		return err
	}

	note(w.recorded, r)
	return nil
}

// End says why the task stops and which of its pieces are complete. Only Close follows.
func (w *Writer) End(e End) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.append(endKind, e)
}

// append writes a line and waits until it is on the disk. A line that did not get there
// whole is cut off again.
//
// After a failed fsync the system may count the lost pages as written (Rebello et al., Can
// Applications Recover from fsync Failures?, USENIX ATC 2020). Trying again proves nothing,
// so the writer stays broken.
func (w *Writer) append(kind string, record any) error {
	if w.broken != nil {
		return w.broken
	}
	line, err := seal(w.lines+1, kind, record)
	if err != nil {
		return fmt.Errorf("writing to %s: %w", w.path, err)
	}
	if _, err = w.file.Write(line); err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.file.Truncate(w.size) // if that fails, too, readers see a torn line
		w.broken = fmt.Errorf("writing to the journal: %w (what it says so far is kept)", err)
		return w.broken
	}

	w.lines++
	w.size += int64(len(line))
	return nil
}

// Close closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.broken = fs.ErrClosed
	}
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}
