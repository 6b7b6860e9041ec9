// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

var _ tuner.Recorder = (*Writer)(nil)

// Facts return what to record of a run besides the run itself: the attempt, the device's clocks, … They may be nil.
type Facts func(tuner.RunInfo) map[string]string

// A Writer writes a journal. A record is on the disk when the method that writes it returns
// nil. After an error the Writer writes no more: what is in the file by then is whole. Its
// methods may be called from several goroutines.
type Writer struct {
	path  string
	facts Facts

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
func Create(ctx context.Context, dir, chunk, job string, attempt int, facts Facts) (*Writer, error) {
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

	return &Writer{path: f.Name(), facts: facts, file: f, recorded: recorded, runOf: map[string]int{}}, nil
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
	began := Run{RunInfo: run, At: time.Now().UTC()}
	if w.facts != nil {
		began.Facts = w.facts(run)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.append(runKind, encodeRun(w.runs+1, &began)); err != nil {
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
	w.broken = cmp.Or(w.broken, fs.ErrClosed)
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}

// Write makes a journal of trials that were recorded elsewhere, with their runs and matrices. It appears
// whole or not at all.
func Write(dir string, name Name, trials []Trial, end End) (failed error) {
	defer func() {
		if failed != nil {
			failed = fmt.Errorf("writing a journal: %w", failed)
		}
	}()
	if err := name.check(); err != nil {
		return err
	}
	var text bytes.Buffer
	lines := 0
	add := func(kind string, record any) {
		line, err := seal(lines+1, kind, record)
		text.Write(line)
		lines, failed = lines+1, cmp.Or(failed, err)
	}

	runs, matrices := map[*Run]int{}, map[*trial.Matrix]bool{}
	for _, t := range trials {
		if runs[t.Run] == 0 {
			runs[t.Run] = len(runs) + 1
			add(runKind, encodeRun(runs[t.Run], t.Run))
		}
		if !matrices[t.Matrix] {
			matrices[t.Matrix] = true
			add(matrixKind, encodeMatrix(*t.Matrix))
		}
		add(trialKind, encodeTrial(runs[t.Run], t.Result))
	}
	add(endKind, end)
	if failed != nil {
		return failed
	}
	return files.Create(filepath.Join(dir, name.String()), text.Bytes())
}

// recordedIn returns what the other journals of the family of one say of trials. A
// journal that can't be read is left out, and so is a line that can't.
func recordedIn(ctx context.Context, dir string, own Name) (map[string]trial.Record, error) {
	names, err := List(dir)
	if err != nil {
		return nil, err
	}

	recorded := map[string]trial.Record{}
	for _, name := range names {
		if name.Family() != own.Family() || name == own {
			continue
		}
		for rec, err := range Read(ctx, filepath.Join(dir, name.String())) {
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				break // the file was removed, or is out of reach
			}
			if rec.Trial != nil {
				note(recorded, rec.Trial.Result)
			}
		}
	}

	return recorded, nil
}

// note adds a result, without what only the journal needs. A repeat measurement is kept
// beside the result of its trial.
func note(recorded map[string]trial.Record, r trial.Result) {
	r.Properties, r.Warnings, r.Telemetry = nil, nil, nil
	old, is := recorded[r.ID]
	switch {
	case r.IsRerun() && old.Status == trial.OK:
		r.Samples = nil
		old.Reruns = append(old.Reruns, r)
		recorded[r.ID] = old
	case !r.IsRerun() && (!is || r.Precedence().Replaces(old.Precedence())):
		recorded[r.ID] = trial.Record{Result: r, Reruns: old.Reruns}
	}
}

// Current processors have an instruction for the polynomial castagnoli.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lineNo comes before the number of a line.
const lineNo = `"n":`

// maxLine bounds the length of a line, and so what a reader holds of a file that has lost its
// line ends. A million samples fit.
const maxLine = 32 << 20

// seal returns line number n, from 1, with its end.
func seal(n int, kind string, record any) ([]byte, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	body := fmt.Appendf(nil, `%s%d,"%s":%s}`, lineNo, n, kind, data)
	if len(body)+64 >= maxLine {
		return nil, fmt.Errorf("a record of %d bytes is too long", len(body))
	}
	return Checksummed(body), nil
}

// Checksummed returns the line of a body, which is a JSON object without its opening brace.
func Checksummed(body []byte) []byte {
	return slices.Concat(head(body), body, []byte("\n"))
}

// head is what a line starts with before its body: the checksum, in eight hexadecimal digits.
func head(body []byte) []byte {
	return fmt.Appendf(nil, `{"crc":"%08x",`, crc32.Checksum(body, castagnoli))
}

var headForm = regexp.MustCompile(`^{"crc":"[0-9a-f]{8}",`)

var errForm = errors.New("not a line of a journal")

// Checked returns the body of a line, without its end, whose checksum is right.
func Checked(line []byte) (body []byte, err error) {
	was := headForm.Find(line)
	if was == nil {
		return nil, errForm
	}
	body = line[len(was):]
	if is := head(body); !bytes.Equal(is, was) {
		return nil, fmt.Errorf("its checksum is %s, but %s was written", is[8:16], was[8:16])
	}
	return body, nil
}

// unseal parses a line without its end.
func unseal(line []byte) (n int, kind string, record []byte, err error) {
	body, err := Checked(line)
	if err != nil {
		return 0, "", nil, err
	}
	body, numbered := bytes.CutPrefix(body, []byte(lineNo))
	digits, rest, _ := bytes.Cut(body, []byte(`,"`))
	n, err = strconv.Atoi(string(digits))
	name, rest, found := bytes.Cut(rest, []byte(`":`))
	record, closed := bytes.CutSuffix(rest, []byte("}"))
	if !numbered || err != nil || n < 1 || !found || !closed {
		return 0, "", nil, errForm
	}
	return n, string(name), record, nil
}
