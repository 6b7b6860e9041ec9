// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/tuner/trial"
)

// A Reader reads a journal, and reads on where it stopped when the journal has
// grown. It is used by one goroutine at a time.
type Reader struct {
	path     string
	offset   int64 // where the first line begins that was not read whole
	line     int   // number of lines read whole
	sequence sequence
	runs     map[int]*Run
	matrices map[string]*trial.Matrix
}

// NewReader makes a reader of the journal at path. Nothing is opened yet.
func NewReader(path string) *Reader {
	return &Reader{path: path, runs: map[int]*Run{}, matrices: map[string]*trial.Matrix{}}
}

// Read reads a journal once.
func Read(ctx context.Context, path string) iter.Seq2[Line, error] {
	return NewReader(path).Records(ctx)
}

// Records yields what was added to the journal since the last call. The first call yields all
// of it. A line with something wrong comes as a Problem. An error comes last: the file can't be
// read, or ctx has ended.
//
// A last line without its end is a Problem each time, until it is whole. Missing lines are
// one Problem, before the line after them.
func (r *Reader) Records(ctx context.Context) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		if err := r.records(ctx, func(line Line) bool { return yield(line, nil) }); err != nil {
			yield(Line{}, fmt.Errorf("reading journal %s: %w", r.path, err))
		}
	}
}

func (r *Reader) records(ctx context.Context, yield func(Line) bool) error {
	f, err := files.Open(r.path)
	if err != nil {
		return plain(err)
	}
	defer f.Close()
	if _, err := f.Seek(r.offset, io.SeekStart); err != nil {
		return plain(err)
	}
	return r.scan(ctx, f, yield)
}

// scan reads lines until the end of f.
func (r *Reader) scan(ctx context.Context, f io.Reader, yield func(Line) bool) error {
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, length, err := nextLine(lines)
		if err == io.EOF {
			if length > 0 {
				yield(Line{Problem: &Problem{r.line + 1, Torn, fmt.Errorf("the line ends after %d bytes", length)}})
			}
			return nil
		}
		if err != nil {
			return plain(err)
		}
		r.offset += length
		r.line++
		if !r.take(line, length, yield) {
			return nil
		}
	}
}

// plain removes the path from an error, because it is said already.
func plain(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// nextLine returns the next line without its end, and its length in the file. It returns
// only the length of a line that is longer than maxLine.
func nextLine(lines *bufio.Reader) (line []byte, length int64, err error) {
	part, err := lines.ReadSlice('\n')
	length = int64(len(part))
	if err == nil {
		return part[:len(part)-1], length, nil
	}

	line = bytes.Clone(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = lines.ReadSlice('\n')
		if length += int64(len(part)); length > maxLine {
			line = nil
			continue
		}
		line = append(line, part...)
	}

	return bytes.TrimSuffix(line, []byte("\n")), length, err
}

// take yields what a line says, after a Problem if lines are missing before it.
func (r *Reader) take(line []byte, length int64, yield func(Line) bool) bool {
	damaged := func(err error) bool { return yield(Line{Problem: &Problem{r.line, Damaged, err}}) }
	if length > maxLine {
		r.sequence.unknown++
		return damaged(fmt.Errorf("a line of %d bytes is not from a journal", length))
	}

	n, kind, data, err := unseal(line)
	if err != nil {
		r.sequence.unknown++
		return damaged(err)
	}

	lost, misplaced := r.sequence.next(n)
	switch {
	case misplaced:
		return yield(Line{Problem: &Problem{r.line, Strayed, fmt.Errorf("it was written as line %d, but comes later", n)}})
	case lost > 0:
		if !yield(Line{Problem: &Problem{r.line, Missing, fmt.Errorf("lines missing before it: %d", lost)}}) {
			return false
		}
	}

	said, trouble, err := r.parse(kind, data)
	if err != nil {
		said = Line{Problem: &Problem{r.line, trouble, err}}
	}
	return yield(said)
}

// parse reads what a line says. Of an error, trouble says how the line is wrong.
func (r *Reader) parse(kind string, data []byte) (line Line, trouble Trouble, err error) {
	switch kind {
	case runKind:
		l := runLine{Run: new(Run)}
		if line.Run, err = decoded(data, &l, l.decode); err == nil {
			r.runs[l.Number] = line.Run
		}
		return line, Damaged, err
	case matrixKind:
		var l matrixLine
		if line.Matrix, err = decoded(data, &l, l.decode); err == nil {
			r.matrices[l.Hash] = line.Matrix
		}
		return line, Damaged, err
	case trialKind:
		var l trialLine
		result, err := decoded(data, &l, l.decode)
		if err != nil {
			return line, Damaged, err
		}
		line.Trial = &Trial{r.runs[l.Run], r.matrices[l.Matrix], result}
		switch {
		case line.Trial.Run == nil:
			err = fmt.Errorf("the record of its run, number %d, is not in the journal", l.Run)
		case line.Trial.Matrix == nil:
			err = fmt.Errorf("the record of its matrix, %s, is not in the journal", l.Matrix)
		}
		return line, Orphan, err
	case endKind:
		line.End = new(End)
		return line, Damaged, json.Unmarshal(data, line.End)
	}
	return line, Unknown, fmt.Errorf("a newer version of this program wrote a record %q", kind)
}

// Refresh makes the next listing of a folder show what is in it now, as far as possible. A
// client of a network file system caches listings for up to a minute, and also that a file
// is not there. It asks the server again once it has changed the folder itself. Therefore
// Refresh makes and removes a file whose name is not a journal's. It returns the time by the server's clock, or by that
// of this machine if the folder can't be written.
func Refresh(dir string) (now time.Time) {
	now = time.Now()
	f, err := os.CreateTemp(dir, ".refresh-*")
	if err != nil {
		return now
	}
	if info, err := f.Stat(); err == nil {
		now = info.ModTime()
	}
	f.Close()
	os.Remove(f.Name())
	return now
}

// A sequence follows the numbers of a journal's lines. They show that a line was taken out
// or occurs twice, although each line that is left is whole.
type sequence struct {
	last    int // number of the last line that was in order
	unknown int // number of lines since then whose number can't be read
}

// next returns how many lines are missing before line n, or that it comes too late, as a copy
// does. A line that can't be read counts as one of those before n.
func (s *sequence) next(n int) (lost int, misplaced bool) {
	if n <= s.last {
		return 0, true
	}
	lost = max(n-s.last-1-s.unknown, 0)
	s.last, s.unknown = n, 0
	return lost, false
}
