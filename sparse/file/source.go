// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/files"
)

const (
	// blockSize is also the length of the longest line that is accepted.
	blockSize = 1 << 20
	// headerSize is how many bytes are read at a time before the first block. The sizes of nearly every file are among
	// so many: of thousands of files, on a file system that many share, not more should be read.
	headerSize = 8 << 10
	// mostBefore is how many lines may come before the first block.
	mostBefore = 1_000_000
	// sniffSize is the number of bytes by which the kind of a file is recognised.
	sniffSize = 512
)

// A source hands out a file as lines and blocks of whole lines. Every line ends in '\n',
// the last one too, so that a parser needs no other bound.
//
// Note: plain files are read, not mapped. Mapping 275 MB took 3% less processor
// time on two cores than reading them into blocks that stay in a core's cache,
// no less time on the clock, twice the resident memory, and a file that another
// process cuts off, or a network that fails, ends a process that mapped it.
type source struct {
	// Name is what errors call the file.
	Name string
	// Extension is that of the text, in lower case and without ".gz": of an
	// archive, that of the matrix in it.
	Extension string
	// Line is the number of the first line that was not handed out yet.
	Line int

	file  *os.File // which has the text as it is; nil if the text is packed, or not of a file
	r     *bufio.Reader
	start []byte // of the text
	rest  []byte // was read, and comes before what r has
	err   error  // why r has nothing more
}

// newSource inspects the first bytes, undoes gzip and tar, and refuses files that are clearly
// not text. Of an archive it takes the matrix that has one of these extensions, such as ".mtx".
func newSource(r io.Reader, name string, members ...string) (*source, error) {
	s := &source{Name: name, Extension: extension(name), Line: 1}
	err := s.open(r)
	if err == nil && bytes.HasPrefix(s.start, []byte("\x1f\x8b")) {
		var unzipped *gzip.Reader
		if unzipped, err = gzip.NewReader(s.r); err == nil {
			err = s.open(unzipped)
		}
	}

	if err == nil && isTar(s.start) {
		var m *member
		if m, err = openMember(s.r, "", members); err == nil {
			s.Extension = m.extension
			err = s.open(m)
		}
	}
	if errors.Is(err, errNoMember) {
		return nil, s.errorf(1, "this tar archive has no matrix, a file NAME/NAME%s as in archives of the "+
			"SuiteSparse collection: unpack the one you mean", strings.Join(members, " or "))
	}
	if err != nil {
		return nil, s.failure(err)
	}

	if mark := []byte("\ufeff"); bytes.HasPrefix(s.start, mark) { // a byte order mark says nothing
		s.r.Discard(len(mark))
		s.start = s.start[len(mark):]
	}
	return s, s.sniff(s.start)
}

// open makes r what s hands out.
func (s *source) open(r io.Reader) error {
	s.file, _ = r.(*os.File)
	s.r = bufio.NewReaderSize(r, headerSize)
	start, err := s.r.Peek(sniffSize)
	s.start = bytes.Clone(start)
	if len(start) == 0 && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Extension returns that of a file, in lower case and without ".gz".
func extension(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(filepath.ToSlash(name)), ".gz"))
}

// sniff refuses files that are known to be no text, by their first bytes, with
// the remedy that fits.
func (s *source) sniff(start []byte) error {
	for _, known := range []struct{ prefix, reason string }{
		{"version https://git-lfs.github.com",
			"this is a Git LFS pointer, not the matrix: fetch the file with git lfs pull"},
		{"BZh", "this is compressed with bzip2: unpack it first, or use gzip"},
		{"\xfd7zXZ", "this is compressed with xz: unpack it first, or use gzip"},
		{"\x28\xb5\x2f\xfd", "this is compressed with zstd: unpack it first, or use gzip"},
		{"\x89HDF", "this is an HDF5 file, not text: write the matrix in Matrix Market form"},
		{"MATLAB 5.0", "this is a MATLAB file, not text: write the matrix in Matrix Market form"},
		{"#!", "this is a script, not a matrix"},
	} {
		if bytes.HasPrefix(start, []byte(known.prefix)) {
			return s.errorf(1, "%s", known.reason)
		}
	}

	text := bytes.ToLower(bytes.TrimLeft(start, " \t\r\n"))
	if bytes.HasPrefix(text, []byte("<!doctype")) || bytes.HasPrefix(text, []byte("<html")) ||
		bytes.HasPrefix(text, []byte("<?xml")) {
		return s.errorf(1, "this is a web page, not a matrix: the download went to a page; get the raw file")
	}
	return nil
}

// A block is whole lines of a file.
type block struct {
	Text  []byte
	Line  int // the number of the first
	Lines int
}

// nextBlock returns the next lines, as many as buf holds, of blockSize+1 bytes, or io.EOF.
func (s *source) nextBlock(buf []byte) (block, error) {
	n := s.read(buf[:blockSize], copy(buf, s.rest))
	end := bytes.LastIndexByte(buf[:n], '\n') + 1
	if s.err == io.EOF && end < n {
		buf[n] = '\n'
		n++
		end = n
	}
	s.rest = append(s.rest[:0], buf[end:n]...)
	if end == 0 {
		return block{}, s.ended()
	}

	b := block{Text: buf[:end], Line: s.Line, Lines: bytes.Count(buf[:end], []byte("\n"))}
	s.Line += b.Lines
	return b, nil
}

// unread takes back what is behind the first lines of a block: it comes next.
func (s *source) unread(b block, lines int) block {
	end := 0
	for range lines {
		end += bytes.IndexByte(b.Text[end:], '\n') + 1
	}
	s.rest = slices.Concat(b.Text[end:], s.rest)
	s.Line -= b.Lines - lines
	return block{b.Text[:end], b.Line, lines}
}

// nextLine returns one line with its '\n', or io.EOF. A file without lines is refused.
func (s *source) nextLine() ([]byte, error) {
	end := bytes.IndexByte(s.rest, '\n') + 1
	for end == 0 && s.err == nil && len(s.rest) < blockSize {
		n := len(s.rest)
		s.rest = append(s.rest, make([]byte, headerSize)...)
		s.rest = s.rest[:s.read(s.rest, n)]
		end = bytes.IndexByte(s.rest, '\n') + 1
	}
	if end == 0 && s.err == io.EOF && len(s.rest) > 0 {
		s.rest = append(s.rest, '\n')
		end = len(s.rest)
	}
	switch {
	case end == 0:
		return nil, s.ended()
	case s.Line > mostBefore:
		return nil, s.errorf(s.Line, "%d lines and no entry yet: is it a matrix?", mostBefore)
	}

	line := s.rest[:end]
	s.rest = s.rest[end:]
	s.Line++
	return line, nil
}

// read fills buf behind its first n bytes, and returns how many it has then.
func (s *source) read(buf []byte, n int) int {
	for n < len(buf) && s.err == nil {
		var got int
		got, s.err = s.r.Read(buf[n:])
		n += got
	}
	return n
}

// ended says why there is no further line.
func (s *source) ended() error {
	switch s.err {
	case nil:
		return s.errorf(s.Line, "this line is longer than %d bytes; is this a text file with one entry a line?", blockSize)
	case io.EOF:
		if s.Line == 1 {
			return s.errorf(1, "the file is empty")
		}
		return io.EOF
	}
	return s.failure(s.err)
}

// failure says that reading failed, as opposed to the content being wrong.
func (s *source) failure(err error) error {
	reason := fmt.Sprintf("reading: %v", err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the compressed data end too early: the file was cut off; get it again"
	case errors.Is(err, tar.ErrHeader), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm):
		reason = fmt.Sprintf("the archive is damaged (%v): get it again", err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, zip.ErrChecksum):
		reason = fmt.Sprintf("the compressed data are damaged (%v): get the file again", err)
	}

	return &Error{File: s.Name, Line: s.Line, Reason: reason, Err: err}
}

// errorf returns an [*Error] for a line of the file.
func (s *source) errorf(line int, format string, args ...any) error {
	return &Error{File: s.Name, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// cutOff says that the file ends after some of so many entries, or other things, which the given line announces. orElse
// is what to do if the line is wrong.
func (s *source) cutOff(done, of int, what string, line int, orElse string) error {
	return s.errorf(s.Line, "the file ends after %d of %d %s (line %d): it was cut off, get it again; or %s", done, of,
		what, line, orElse)
}

// wrongSizes is what to do about a line of sizes that is wrong.
const wrongSizes = "correct that line"

// Open opens a file, and nothing else.
func open(path string) (*os.File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening matrix: %w", err)
	}
	return f, nil
}

// An interruptible reads from R until Ctx ends.
type interruptible struct {
	Ctx context.Context
	R   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.Ctx.Err(); err != nil {
		return 0, err
	}
	return i.R.Read(p)
}

// An Error says where and why a file was refused. Reason says what to do about
// it where that is known.
type Error struct {
	File   string // as the caller named it
	Line   int    // from 1; one past the last line where the file ends too early
	Reason string
	Err    error // the cause, where reading itself failed
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

func (e *Error) Unwrap() error { return e.Err }

// Quote shows a piece of the file, shortened, with control characters escaped.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
